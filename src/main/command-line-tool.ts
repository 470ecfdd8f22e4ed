/**
 * The `countersign` command of the installed app: where terminals find it, and what installing and uninstalling it does. Its program
 * is in `cli` in the app's resources, with a separate Node, because the app's binary doesn't run as Node.
 */
import { execFile } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join, sep } from 'node:path'
import { promisify } from 'node:util'
import type { MessageBoxOptions } from 'electron'
import { canWrite, makeFolder } from '../core/base/data-folder.ts'

const run = promisify(execFile)

/** The facts that decide where the command goes. */
export interface ToolPlace {
  readonly platform: NodeJS.Platform
  readonly version: string
  /** The installed app's resources. */
  readonly resources: string
  /** True in an AppImage, whose path changes with every start: the command is then a copy in the data folder. */
  readonly isAppImage: boolean
  readonly dataFolder: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The package's own link, and the folder for programs of all users. Tests replace both. */
  readonly packageLink?: string
  readonly sharedFolder?: string
}

/** What a terminal finds: nothing of ours, our command, or our command from the package; or why it can't be installed. */
type ToolState =
  | { readonly kind: 'missing'; readonly link: string; readonly inTheWay: string | null }
  | { readonly kind: 'installed'; readonly link: string }
  | { readonly kind: 'packaged'; readonly link: string }
  | { readonly kind: 'unstable' }

export interface CommandLineTool {
  state(): ToolState
  /** Installs the command, in place of anything else with its name. Rejects with the system's error. */
  install(): Promise<void>
  uninstall(): Promise<void>
  /** How to make terminals find the link; null if they do. */
  advice(link: string): string | null
  /** Copies the program of an AppImage again if it is another version's. Resolves with true if it did. */
  refresh(): Promise<boolean>
}

const MARK = "@rem Countersign's command line, installed by the app."

/** Replaces the copy at once, with the system's tools: Electron's own functions treat an archive as a folder. */
const COPY = `set -eu
rm -rf "$2.new" "$2.old"
mkdir -p -m 700 "$2.new"
cp -R "$1/cli" "$1/app.asar" "$1/app.asar.unpacked" "$2.new/"
printf %s "$3" > "$2.new/version"
if [ -e "$2" ]; then mv "$2" "$2.old"; fi
mv "$2.new" "$2"
rm -rf "$2.old"`

/** The batch file that starts the command: `%LOCALAPPDATA%` instead of a name that the console's code page may lack. */
function batchFile(resources: string, localAppData: string): string {
  const isInside =
    localAppData !== '' && resources.toLowerCase().startsWith(`${localAppData.toLowerCase()}${sep}`)
  const rest = (isInside ? resources.slice(localAppData.length) : resources).replaceAll('%', '%%')
  const folder = join(`${isInside ? '%LOCALAPPDATA%' : ''}${rest}`, 'cli')
  return `${MARK}\r\n@"${join(folder, 'node.exe')}" "${join(folder, 'out', 'node', 'cli.js')}" %*\r\n`
}

interface Found {
  readonly words: string
  readonly target?: string
  readonly text?: string
}

/** What a path has: a link's target, or the beginning of a file; null if there is nothing. Never throws. */
function lookAt(path: string): Found | null {
  try {
    const info = lstatSync(path, { throwIfNoEntry: false })
    if (info === undefined) return null
    if (info.isDirectory()) return { words: 'a folder' }
    if (!info.isSymbolicLink())
      return {
        words: 'another program',
        ...(info.size < 10_000 ? { text: readFileSync(path, 'utf8') } : {}),
      }
    const target = readlinkSync(path)
    return { words: `a link to ${target}`, target }
  } catch {
    return { words: 'a file that you may not read' }
  }
}

/** The folders for the command, best first. */
function toolFolders({
  platform,
  home,
  env,
  sharedFolder = '/usr/local/bin',
}: ToolPlace): readonly string[] {
  if (platform !== 'win32') return [sharedFolder, join(home, '.local', 'bin')]
  // Windows has this folder on every user's PATH. Nobody must edit PATH, which an installer can cut off.
  return [join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'Microsoft', 'WindowsApps')]
}

/** How to add the command's folder to PATH; null if it is there. */
function pathAdvice(
  { platform, home, env, sharedFolder = '/usr/local/bin' }: ToolPlace,
  link: string,
): string | null {
  const windows = platform === 'win32'
  const folder = dirname(link)
  // Apps on a Mac don't get the PATH of terminals, which always has this folder.
  if (platform === 'darwin' && folder === sharedFolder) return null
  const plain = (path: string) => (windows ? path.toLowerCase() : path).replace(/[\\/]$/, '')
  const path = env['PATH'] ?? env['Path'] ?? ''
  if (path.split(delimiter).some((part) => plain(part) === plain(folder))) return null
  if (windows)
    return `If your terminal doesn't find it, add ${folder} to PATH in the system's environment variables.`
  const file = platform === 'darwin' ? '~/.zprofile' : '~/.profile'
  const short = folder.startsWith(`${home}/`) ? `$HOME${folder.slice(home.length)}` : folder
  return `If your terminal doesn't find it, add this line to ${file} and sign in again:\nexport PATH="${short}:$PATH"`
}

/** The command of the installed app; null if the app isn't installed. */
export function createCommandLineTool(place: ToolPlace): CommandLineTool | null {
  const { platform, resources, isAppImage, version, env } = place
  const windows = platform === 'win32'
  if (!existsSync(join(resources, 'cli'))) return null
  const copy = join(place.dataFolder, 'desktop', 'command-line')
  const launcher = join(isAppImage ? copy : resources, 'cli', 'countersign')
  const batch = batchFile(resources, env['LOCALAPPDATA'] ?? '')
  const links = toolFolders(place).map((folder) =>
    join(folder, windows ? 'countersign.cmd' : 'countersign'),
  )
  const packageLink = place.packageLink ?? '/usr/bin/countersign'

  const isInstalledAt = (link: string) => {
    const there = lookAt(link)
    return windows ? there?.text === batch : there?.target === launcher
  }
  /** Links of the app at a former place are ours too. */
  const isOurs = ({ target, text }: Found) =>
    text?.startsWith(MARK) ??
    /\/([Rr]esources|desktop\/command-line)\/cli\/countersign$/.test(target ?? '')

  const state = (): ToolState => {
    if (!windows && isInstalledAt(packageLink)) return { kind: 'packaged', link: packageLink }
    const installed = links.find(isInstalledAt)
    if (installed !== undefined) return { kind: 'installed', link: installed }
    // A Mac starts a downloaded app from a random folder until it is moved, and a disk image is only there until it is ejected.
    if (platform === 'darwin' && /\/AppTranslocation\/|^\/Volumes\//.test(resources))
      return { kind: 'unstable' }
    const link = links.find((path) => canWrite(dirname(path))) ?? links.at(-1) ?? ''
    const there = lookAt(link)
    return { kind: 'missing', link, inTheWay: there === null || isOurs(there) ? null : there.words }
  }
  const copyProgram = () => run('/bin/sh', ['-c', COPY, 'sh', resources, copy, version])
  const copied = () =>
    isAppImage && existsSync(join(copy, 'version'))
      ? readFileSync(join(copy, 'version'), 'utf8')
      : null

  return {
    state,
    advice: (link) => pathAdvice(place, link),
    async install() {
      const now = state()
      if (now.kind !== 'missing') return
      if (isAppImage) await copyProgram()
      makeFolder(dirname(now.link))
      // Fails for a folder, which is never removed.
      rmSync(now.link, { force: true })
      if (windows) writeFileSync(now.link, batch)
      else symlinkSync(launcher, now.link)
    },
    async uninstall() {
      for (const link of links) if (isInstalledAt(link)) rmSync(link)
      if (isAppImage) await run('/bin/rm', ['-rf', copy])
    },
    async refresh() {
      const before = copied()
      if (before === null || before === version) return false
      await copyProgram()
      return true
    },
  }
}

type Message = Pick<
  MessageBoxOptions,
  'type' | 'message' | 'detail' | 'buttons' | 'defaultId' | 'cancelId' | 'noLink'
>

const tell = (type: 'info' | 'error', message: string, detail: string): Message => ({
  ...{ type, message, detail, buttons: ['OK'], noLink: true },
})

/** What the menu's entry says first, and what the first button does; null: nothing. */
function toolQuestion(state: ToolState): {
  readonly message: Message
  readonly does: 'install' | 'uninstall' | null
} {
  const ask = (does: 'install' | 'uninstall', button: string, message: string, detail: string) => ({
    does,
    message: {
      ...{ type: 'question' as const, message, detail },
      ...{ buttons: [button, 'Cancel'], defaultId: 0, cancelId: 1, noLink: true },
    },
  })
  if (state.kind === 'packaged') {
    const detail = `The package installed it as ${state.link} and removes it with the app.`
    return { does: null, message: tell('info', 'The command line tool is installed', detail) }
  }
  if (state.kind === 'unstable') {
    const detail = 'The command line tool is a link to the app, which must stay in its place.'
    return {
      does: null,
      message: tell('info', 'Move Countersign to the Applications folder first', detail),
    }
  }
  const { kind, link } = state
  if (kind === 'installed')
    return ask(
      'uninstall',
      'Uninstall',
      'Uninstall the "countersign" command?',
      `This removes ${link}.`,
    )
  if (state.inTheWay === null)
    return ask(
      'install',
      'Install',
      'Install the "countersign" command?',
      `Terminals find it as ${link}.`,
    )
  return ask(
    'install',
    'Replace',
    `Replace ${link}?`,
    `It is ${state.inTheWay}, which Countersign didn't install.`,
  )
}

/** Carries out the menu's entry. `show` shows a message and resolves with the number of the button. Never rejects for the system. */
export async function runToolEntry(
  tool: CommandLineTool,
  show: (message: Message) => Promise<number>,
): Promise<void> {
  const state = tool.state()
  const { message, does } = toolQuestion(state)
  const button = await show(message)
  if (does === null || button !== 0) return
  try {
    await tool[does]()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    await show(
      tell(
        'error',
        `Couldn't ${does} the "countersign" command`,
        `${reason}\nCheck the permissions of the folder.`,
      ),
    )
    return
  }
  if (does === 'uninstall' || state.kind !== 'missing') return
  const advice = tool.advice(state.link)
  const start = 'Open a new terminal and run: countersign --help'
  await show(
    tell(
      'info',
      'The "countersign" command is installed',
      advice === null ? start : `${start}\n\n${advice}`,
    ),
  )
}
