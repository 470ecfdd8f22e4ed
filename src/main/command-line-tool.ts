/**
 * The `countersign` command of the installed app: the menu's entry installs it for terminals, or removes it. Its program
 * is in `cli` in the app's resources, with a separate Node, because the app's binary doesn't run as Node.
 */
import { existsSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MessageBoxOptions } from 'electron'
import { canWrite, makeFolder } from '../core/base/data-folder.ts'

export interface ToolPlace {
  readonly platform: NodeJS.Platform
  /** The installed app's resources. */
  readonly resources: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The package's own link, and the folder for programs of all users. Tests replace both. */
  readonly packageLink?: string
  readonly sharedFolder?: string
}

type Message = Pick<MessageBoxOptions, 'type' | 'message' | 'detail'>

export type CommandLineTool = NonNullable<ReturnType<typeof createCommandLineTool>>

/** The uninstaller for Windows looks for the beginning. */
const MARK = "@rem Countersign's command line, installed by the app."

/**
 * The command of the installed app. Null if the package has installed it, and for an app without a lasting place: an AppImage, which
 * is elsewhere at every start, and on a Mac a disk image or the random folder of a downloaded app.
 */
export function createCommandLineTool(place: ToolPlace) {
  const { platform, resources, home, env } = place
  const { packageLink = '/usr/bin/countersign', sharedFolder = '/usr/local/bin' } = place
  const isWindows = platform === 'win32'
  const launcher = join(resources, 'cli', isWindows ? 'countersign.cmd' : 'countersign')
  const local = env['LOCALAPPDATA'] ?? home
  const escaped = launcher.replace(local, '').replaceAll('%', '%%')
  // A console's code page may lack letters of the user's name.
  const start = launcher.startsWith(local) ? `%LOCALAPPDATA%${escaped}` : escaped
  const batch = `${MARK}\r\n@call "${start}" %*\r\n`
  const isOurs = (link: string) => {
    try {
      return isWindows ? readFileSync(link, 'utf8') === batch : readlinkSync(link) === launcher
    } catch {
      return false
    }
  }
  const isPassing =
    env['APPIMAGE'] !== undefined || /\/AppTranslocation\/|^\/Volumes\//.test(resources)
  if (isPassing || !existsSync(launcher) || isOurs(packageLink)) return null
  // Windows has its folder on every user's PATH.
  const links = isWindows
    ? [join(local, 'Microsoft', 'WindowsApps', 'countersign.cmd')]
    : [sharedFolder, join(home, '.local', 'bin')].map((folder) => join(folder, 'countersign'))
  const installed = () => links.find(isOurs)

  return {
    isInstalled: () => installed() !== undefined,
    /** Installs the command, or removes it. Returns the message that says so, or why not. */
    change(): Message {
      const there = installed()
      const link = there ?? links.find((path) => canWrite(dirname(path))) ?? links.at(-1) ?? ''
      try {
        if (there !== undefined) {
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
