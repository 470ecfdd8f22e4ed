/** Finds Electron's binary, or has it fetched by Electron's own script within a limit: it comes on first use, not with `npm ci`. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const electron = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'node_modules', 'electron')

/** Path of the binary of the version that package.json names, or null where it has not been fetched. */
export function findElectron() {
  try {
    const folder = process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(electron, 'dist')
    const { version } = JSON.parse(readFileSync(join(electron, 'package.json'), 'utf8'))
    const present = readFileSync(join(electron, 'dist', 'version'), 'utf8')
      .replace(/^v/, '')
      .trim()
    const binary = join(folder, readFileSync(join(electron, 'path.txt'), 'utf8'))
    return present === version && existsSync(binary) ? binary : null
  } catch {
    // One of the files is missing: it was never fetched, or not to the end.
    return null
  }
}

/** The last line that names an error, without the stack around it. */
function reasonOf(said) {
  const lines = said.split('\n').map((line) => line.trim())
  const cause = lines.find((line) => /\b(?:code|cause):? .*\b[A-Z]{4,}/.test(line)) ?? lines.find((line) => /Error/.test(line))
  return (
    cause
      ?.replace(/^(?:\[cause\]: )?(?:\w*Error: )?/, '')
      .replace(/[{,]$/, '')
      .trim() || 'the download failed'
  )
}

/** Runs Electron's own install script, quietly. `{ binary, reason }`: one of the two is null. */
export function fetchElectron({ limit }) {
  const present = findElectron()
  if (present !== null) return Promise.resolve({ binary: present, reason: null })
  const script = join(electron, 'install.js')
  if (!existsSync(script)) return Promise.resolve({ binary: null, reason: 'the electron package is not installed (run npm ci)' })
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    let late = false
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
    const timer = setTimeout(() => {
      late = true
      child.kill('SIGKILL')
    }, limit)
    child.on('error', (error) => (said += error.message))
    child.on('close', () => {
      clearTimeout(timer)
      const binary = findElectron()
      const reason = late ? `it could not be downloaded within ${limit / 1000} s` : `its download failed: ${reasonOf(said)}`
      resolve({ binary, reason: binary === null ? reason : null })
    })
  })
}

/**
 * Why a desktop window cannot be opened on this machine although the binary is there; null where it can. Chromium does not
 * run with its sandbox as root, and without it the window must not show what strangers send.
 */
export function noDesktopReason({ platform = process.platform, env = process.env, userId = process.getuid?.() } = {}) {
  if (platform !== 'linux') return null
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return 'there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)'
  if (userId === 0) return 'Electron does not run sandboxed as root'
  return null
}
