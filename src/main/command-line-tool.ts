/**
 * The `countersign` command of the installed app, with a separate Node, because the app's binary
 * doesn't run as Node.
 */
import { existsSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MessageBoxOptions } from 'electron'
import { canWrite, makeFolder } from '../core/base/data-folder.ts'

export interface ToolPlace {
  readonly platform: NodeJS.Platform
  readonly resources: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folder with `bin` for packages and `local/bin` for users. */
  readonly usr?: string
}

/**
 * Creates the tool; null if a package has installed the command, or if the app's path is temporary,
 * as in an AppImage or disk image.
 */
export function createCommandLineTool({ platform, resources, home, env, usr = '/usr' }: ToolPlace) {
  const isWindows = platform === 'win32'
  const name = isWindows ? 'countersign.cmd' : 'countersign'
  const launcher = join(resources, 'cli', name)
  const local = env['LOCALAPPDATA'] ?? home
  // A console's code page may lack letters of the user's name.
  const launcherText = launcher.replaceAll('%', '%%').replace(local, () => '%LOCALAPPDATA%')
  // The uninstaller for Windows recognizes the file by its first words.
  const batch = `@rem Countersign's command line, installed by the app.\r\n@call "${launcherText}" %*\r\n`
  const isOurs = (link: string) => {
    try {
      return isWindows ? readFileSync(link, 'utf8') === batch : readlinkSync(link) === launcher
    } catch {
      return false
    }
  }
  const isTemporaryPlace =
    env['APPIMAGE'] !== undefined || /\/AppTranslocation\/|^\/Volumes\//.test(resources)
  if (isTemporaryPlace || !existsSync(launcher) || isOurs(join(usr, 'bin', name))) return null
  // Windows has its folder on every user's PATH.
  const links = isWindows
    ? [join(local, 'Microsoft', 'WindowsApps', name)]
    : [join(usr, 'local', 'bin', name), join(home, '.local', 'bin', name)]
  const installed = () => links.find(isOurs)

  return {
    isInstalled: () => installed() !== undefined,
    /** Installs or uninstalls the command; returns a message about the result. */
    change(): Pick<MessageBoxOptions, 'type' | 'message' | 'detail'> {
      const installedLink = installed()
      const link =
        installedLink ?? links.find((path) => canWrite(dirname(path))) ?? links.at(-1) ?? ''
      try {
        if (installedLink !== undefined) {
          rmSync(link)
          return { type: 'info', message: `Removed ${link}` }
        }
        makeFolder(dirname(link))
        if (isWindows) writeFileSync(link, batch, { flag: 'wx' })
        else symlinkSync(launcher, link)
        const detail = `Open a new terminal and run: countersign --help\n\nIf your terminal doesn't find it, add ${dirname(link)} to PATH.`
        return { type: 'info', message: `Installed ${link}`, detail }
      } catch (error) {
        const detail = `${(error as Error).message}\nRemove another program of this name, or check the permissions of the folder.`
        return { type: 'error', message: `Couldn't change ${link}`, detail }
      }
    },
  }
}
