/**
 * Opens a link through a private file that redirects to it, because every user can read process
 * arguments.
 */
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFile, replaceWholeFile } from '../core/base/whole-files.ts'

const PATIENCE_MS = 2_000

function redirectFile(dataFolder: string): string {
  return join(dataFolder, 'open.html')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

/** Replaces the file, private (0600) from the start. */
async function writeRedirect(dataFolder: string, address: string): Promise<void> {
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Countersign</title><meta http-equiv="refresh" content="0;url=${escapeHtml(address)}">\n`
  await replaceWholeFile(redirectFile(dataFolder), page)
}

function openerOf(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): { readonly command: string; readonly args: readonly string[] } | null {
  if (process.platform === 'darwin') return { command: 'open', args: [file] }
  if (process.platform === 'win32')
    return { command: 'rundll32', args: ['url.dll,FileProtocolHandler', file] }
  const hasDisplay = Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME'])
  return hasDisplay ? { command: 'xdg-open', args: [file] } : null
}

/** Resolves with false if there is no browser to open; the link stays valid. */
export async function openInBrowser(
  dataFolder: string,
  address: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const opener = openerOf(redirectFile(dataFolder), env)
  if (opener === null) return false
  await writeRedirect(dataFolder, address)
  const { command, args } = opener
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true })
    // Some openers run as long as the browser.
    const timer = setTimeout(() => resolve(true), PATIENCE_MS)
    const settle = (opened: boolean) => {
      clearTimeout(timer)
      resolve(opened)
    }
    child.on('error', () => settle(false))
    child.on('exit', (code) => settle(code === 0))
    child.unref()
  })
}

/** Removes the file if it has the token, after the browser has read it. */
export async function removeRedirect(dataFolder: string, token = ''): Promise<void> {
  const file = redirectFile(dataFolder)
  const page = await readFile(file, 'utf8').catch(() => '')
  if (page.includes(token)) await removeFile(file)
}
