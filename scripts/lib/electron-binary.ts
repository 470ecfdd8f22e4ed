/**
 * Finds Electron's binary, or lets Electron's own script download it within a time limit: it is downloaded on first use, not by
 * `npm ci`.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const electron = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'node_modules', 'electron')

/** Path of the binary of the version in package.json, or null if it hasn't been downloaded. */
export function findElectron(): string | null {
  try {
    const folder = process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(electron, 'dist')
    const { version } = JSON.parse(readFileSync(join(electron, 'package.json'), 'utf8')) as { version: string }
    const present = readFileSync(join(electron, 'dist', 'version'), 'utf8')
      .replace(/^v/, '')
      .trim()
    const binary = join(folder, readFileSync(join(electron, 'path.txt'), 'utf8'))
    return present === version && existsSync(binary) ? binary : null
  } catch {
    // A file is missing: the download never happened or was incomplete.
    return null
  }
}

/** The line with the error, without the stack. */
export function downloadError(said: string): string {
  const lines = said.split('\n').map((line) => line.trim())
  const line = lines.find((text) => /^\[?cause\]?:/.test(text)) ?? lines.find((text) => /Error\b/.test(text)) ?? ''
  return (
    line
      .replace(/^\[?cause\]?: /, '')
      .replace(/^\w*Error: /, '')
      .replace(/[{,\s]+$/, '') || 'no reason given'
  )
}

/** The path of the binary, or the reason for its absence. */
export type FetchedElectron =
  { readonly binary: string; readonly reason: null } | { readonly binary: null; readonly reason: string }

/** Runs Electron's own install script, quietly, for at most `limit` milliseconds. Never rejects. */
export function fetchElectron({ limit }: { readonly limit: number }): Promise<FetchedElectron> {
  const present = findElectron()
  if (present !== null) return Promise.resolve({ binary: present, reason: null })
  const script = join(electron, 'install.js')
  if (!existsSync(script)) return Promise.resolve({ binary: null, reason: 'the electron package is not installed; run npm ci' })
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    let late = false
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()))
    const timer = setTimeout(() => {
      late = true
      child.kill('SIGKILL')
    }, limit)
    child.on('error', (error) => (said += error.message))
    child.on('close', () => {
      clearTimeout(timer)
      const binary = findElectron()
      if (binary !== null) resolve({ binary, reason: null })
      else if (late) resolve({ binary, reason: `download took longer than ${limit / 1000} s` })
      else resolve({ binary, reason: `download failed: ${downloadError(said)}` })
    })
  })
}

export interface Surroundings {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  /** Null if the platform isn't supported. */
  readonly userId: number | null
}

const here = (): Surroundings => ({ platform: process.platform, env: process.env, userId: process.getuid?.() ?? null })

/**
 * Why a desktop window can't be opened on this computer although the binary exists; null if it can. As root, Chromium can't run
 * with its sandbox, and without it the window must not show untrusted content.
 */
export function noDesktopReason({ platform, env, userId } = here()): string | null {
  if (platform !== 'linux') return null
  const display = env['DISPLAY'] || env['WAYLAND_DISPLAY']
  if (display === undefined || display === '') return 'no display found (neither DISPLAY nor WAYLAND_DISPLAY is set)'
  return userId === 0 ? "Electron can't run sandboxed as root" : null
}
