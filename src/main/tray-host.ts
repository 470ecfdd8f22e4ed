/**
 * Whether this desktop shows tray icons. macOS and Windows always do. On Linux a program shows them, which owns a name on the session
 * bus; GNOME needs an extension for that.
 */
import { execFile } from 'node:child_process'

const WATCHER = 'org.kde.StatusNotifierWatcher'
const BUS = 'org.freedesktop.DBus'

/** Ways to ask the bus who owns the name: which of these tools is installed differs. Each prints `true` or `false`. */
const questions: readonly (readonly [tool: string, ...args: string[]])[] = [
  ['gdbus', 'call', '--session', '--dest', BUS, '--object-path', '/', '--method', `${BUS}.NameHasOwner`, WATCHER],
  ['busctl', '--user', 'call', BUS, '/', BUS, 'NameHasOwner', 's', WATCHER],
  ['dbus-send', '--session', '--print-reply', `--dest=${BUS}`, '/', `${BUS}.NameHasOwner`, `string:${WATCHER}`],
]

const PATIENCE_MS = 2_000

/** Runs a program; rejects if it is missing, fails or takes too long. */
export type RunTool = (tool: string, args: readonly string[]) => Promise<string>

const runTool: RunTool = (tool, args) =>
  new Promise((resolve, reject) => {
    execFile(tool, args, { timeout: PATIENCE_MS, windowsHide: true }, (error, stdout) => {
      if (error === null) resolve(stdout)
      else reject(error)
    })
  })

/** The first tool that responds decides; without any, there is no tray. */
export async function hasTrayHost(platform: NodeJS.Platform, run: RunTool = runTool): Promise<boolean> {
  if (platform === 'darwin' || platform === 'win32') return true
  for (const [tool, ...args] of questions) {
    const answer = await run(tool, args).catch(() => null)
    if (answer !== null) return /\btrue\b/.test(answer)
  }
  return false
}
