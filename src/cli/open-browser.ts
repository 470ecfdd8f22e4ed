/**
 * Opens an address in the user's browser. The address holds a one-time token, and the arguments of a process can be read by
 * everyone on the machine: so the browser is given a file that only the user can read, and the file leads on.
 */
import { spawn } from 'node:child_process'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** How long to wait for the system's opener to say that it cannot, in milliseconds. */
const PATIENCE_MS = 2_000

function redirectFile(dataFolder: string): string {
  return join(dataFolder, 'open.html')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

/** Writes the file anew, with mode 0600 from the first moment, whatever stood there before. */
async function writeRedirect(dataFolder: string, address: string): Promise<string> {
  const file = redirectFile(dataFolder)
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Countersign</title><meta http-equiv="refresh" content="0;url=${escapeHtml(address)}">\n`
  const temporary = `${file}.${process.pid}`
  await rm(temporary, { force: true })
  await writeFile(temporary, page, { mode: 0o600, flag: 'wx' })
  await rename(temporary, file)
  return file
}

function openerOf(file: string, env: Readonly<Record<string, string | undefined>>): readonly [string, readonly string[]] | null {
  if (process.platform === 'darwin') return ['open', [file]]
  if (process.platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', file]]
  const hasDisplay = Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME'])
  return hasDisplay ? ['xdg-open', [file]] : null
}

/** Resolves to true where the system took the file; false where there is no browser to open it in. The address stays good then. */
export async function openInBrowser(
  dataFolder: string,
  address: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const opener = openerOf(redirectFile(dataFolder), env)
  if (opener === null) return false
  await writeRedirect(dataFolder, address)
  const [command, args] = opener
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true })
    // Some openers stay for as long as the browser does.
    const timer = setTimeout(() => {
      resolve(true)
    }, PATIENCE_MS)
    const settle = (opened: boolean) => {
      clearTimeout(timer)
      resolve(opened)
    }
    child.on('error', () => {
      settle(false)
    })
    child.on('exit', (code) => {
      settle(code === 0)
    })
    child.unref()
  })
}

/** Takes the file away again; its token was used or has expired long since. */
export async function removeRedirect(dataFolder: string): Promise<void> {
  await rm(redirectFile(dataFolder), { force: true })
}
