/**
 * Finds Electron's binary, or lets Electron's own script download it in the background: it is downloaded on first use, not by
 * `npm ci`. Also says why a desktop window can't be opened here.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const electron = join(
  dirname(dirname(dirname(fileURLToPath(import.meta.url)))),
  'node_modules',
  'electron',
)

/** The package of Electron, and the environment that it is used in. */
export interface ElectronPackage {
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
}

const here: ElectronPackage = { folder: electron, env: process.env }

const binaries: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
}

/** The folder that the user chose instead of the downloaded one. */
const overrideOf = ({ env }: ElectronPackage) => env['ELECTRON_OVERRIDE_DIST_PATH'] || null

/** Path of the binary, downloaded or not. */
export function electronPath(from = here): string {
  return join(
    overrideOf(from) ?? join(from.folder, 'dist'),
    binaries[process.platform] ?? 'electron',
  )
}

/** The version in package.json. */
export function electronVersion({ folder } = here): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string })
    .version
}

/** Path of the binary of the version in package.json, or of the user's own one. Null if there is none, or only a part. */
export function findElectron(from = here): string | null {
  const binary = electronPath(from)
  if (!existsSync(binary)) return null
  // The user's own build may have any version, as for Electron's own start script.
  if (overrideOf(from) !== null) return binary
  try {
    // Written after everything was unpacked.
    const isWhole = readFileSync(join(from.folder, 'path.txt'), 'utf8') !== ''
    const present = readFileSync(join(from.folder, 'dist', 'version'), 'utf8')
    return isWhole && present.replace(/^v/, '').trim() === electronVersion(from) ? binary : null
  } catch {
    // A file is missing: the download was incomplete.
    return null
  }
}

/** Why the binary is missing and can't be downloaded; null if it can. */
export function noDownloadReason(from = here): string | null {
  const override = overrideOf(from)
  if (override !== null)
    return `ELECTRON_OVERRIDE_DIST_PATH is ${override}, but ${electronPath(from)} doesn't exist`
  return existsSync(join(from.folder, 'install.js'))
    ? null
    : 'the electron package is not installed; run npm ci'
}

/** The line with the error, without the stack. */
export function downloadError(said: string): string {
  const lines = said.split('\n').map((line) => line.trim())
  const line =
    lines.find((text) => /^\[?cause\]?:/.test(text)) ??
    lines.find((text) => /Error\b/.test(text)) ??
    ''
  return (
    line
      .replace(/^\[?cause\]?: /, '')
      .replace(/^\w*Error: /, '')
      .replace(/[{,\s]+$/, '') || 'no reason given'
  )
}

export interface ElectronDownload {
  /** `ended`: by `stop`, or by the Ctrl+C of a terminal, which reaches the script too. Never rejects. */
  readonly outcome: Promise<'ready' | 'ended' | { readonly problem: string }>
  /** Bytes downloaded so far. */
  bytes(): number
  /** Ends it, and removes the part that was downloaded. */
  stop(): void
}

/** Size of the files below a folder; 0 if there is none. */
function sizeBelow(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => {
      const file = statSync(join(folder, name), { throwIfNoEntry: false })
      return sum + (file?.isFile() === true ? file.size : 0)
    }, 0)
  } catch {
    // Removed meanwhile.
    return 0
  }
}

const endings: ReadonlySet<string | null> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP'])

/** Runs Electron's own install script, which takes minutes on a slow line. */
export function downloadElectron(from = here): ElectronDownload {
  // Without this file, nothing that is unpacked from now on counts as complete; the script writes it at the end.
  rmSync(join(from.folder, 'path.txt'), { force: true })
  // The script downloads to the temporary folder, whose size is the progress.
  const temporary = mkdtempSync(join(tmpdir(), 'countersign-electron-'))
  const child = spawn(process.execPath, [join(from.folder, 'install.js')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...from.env,
      TMPDIR: temporary,
      TEMP: temporary,
      TMP: temporary,
      ELECTRON_GET_NO_PROGRESS: '1',
    },
  })
  let said = ''
  let stopped = false
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (said += text.toString()))
  child.on('error', (error) => (said += `Error: ${error.message}`))
  const clear = () => {
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
  }
  return {
    outcome: new Promise((resolve) => {
      child.on('close', (_code, signal) => {
        clear()
        if (findElectron(from) !== null) resolve('ready')
        else resolve(stopped || endings.has(signal) ? 'ended' : { problem: downloadError(said) })
      })
    }),
    bytes: () => sizeBelow(temporary),
    stop() {
      stopped = true
      child.kill('SIGKILL')
      clear()
    },
  }
}

/** The download's size, which the server tells only the script. */
const ABOUT_MB = 110
const SAY_EVERY_MS = 15_000

/** Downloads the binary beside the app, saying how far it is. Returns the function that ends the download. */
export function downloadInBackground(
  say: (line: string) => void,
  from = here,
  everyMs = SAY_EVERY_MS,
): () => void {
  const name = `Electron ${electronVersion(from)}`
  const download = downloadElectron(from)
  say(`Downloading ${name} in the background (about ${ABOUT_MB} MB).`)
  let last = 0
  const timer = setInterval(() => {
    const megabytes = Math.floor(download.bytes() / 1_000_000)
    if (megabytes > last) say(`${name}: ${megabytes} of about ${ABOUT_MB} MB downloaded.`)
    last = megabytes
  }, everyMs).unref()
  void download.outcome.then((outcome) => {
    clearInterval(timer)
    if (outcome === 'ended') return
    say(
      outcome === 'ready'
        ? `${name} is ready. The next start opens the desktop app.`
        : `Couldn't download ${name}: ${outcome.problem}. The next start tries again.`,
    )
  })
  return () => {
    clearInterval(timer)
    download.stop()
  }
}

export interface Surroundings {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  /** Null if the platform isn't supported. */
  readonly userId: number | null
  /** Path of Electron's binary, downloaded or not. */
  readonly binary: string
  /** Text of a file; null if it can't be read. */
  readText(file: string): string | null
  /** Texts of the AppArmor profiles. */
  profiles(): readonly string[]
  /** Whether a file always runs as root. */
  isSetuidRoot(file: string): boolean
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function readProfiles(): string[] {
  const folder = '/etc/apparmor.d'
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .flatMap(({ name }) => readText(join(folder, name)) ?? [])
  } catch {
    return []
  }
}

/** Those of this process. */
export function theSurroundings(): Surroundings {
  return {
    platform: process.platform,
    env: process.env,
    userId: process.getuid?.() ?? null,
    binary: findElectron() ?? electronPath(),
    readText,
    profiles: readProfiles,
    isSetuidRoot(file) {
      const found = statSync(file, { throwIfNoEntry: false })
      return found !== undefined && found.uid === 0 && (found.mode & 0o4000) !== 0
    },
  }
}

/** Whether an AppArmor profile lets the binary create user namespaces. Its path may have `*`, `**` and `{a,b}`. */
function allowsNamespaces(profile: string, binary: string): boolean {
  if (!/^\s*(allow\s+)?userns\b/m.test(profile)) return false
  const paths = profile.matchAll(/^\s*(?:profile\s+\S+\s+)?"?(\/[^"\s]*)"?[^\n]*\{\s*$/gm)
  return [...paths].some(([, path = '']) => {
    const pattern = path
      .replaceAll(/[.+^$()|[\]\\?]/g, String.raw`\$&`)
      .replaceAll(/\{([^}]*)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`)
      .replaceAll(/\*\*?/g, (stars) => (stars === '**' ? '.*' : '[^/]*'))
    return new RegExp(`^${pattern}$`).test(binary)
  })
}

/** The system setting that keeps Chromium's sandbox from working, as `name = value`; null if it works. */
function closingSetting({ binary, profiles, ...surroundings }: Surroundings): string | null {
  // Chromium's older sandbox needs no namespaces.
  if (surroundings.isSetuidRoot(join(dirname(binary), 'chrome-sandbox'))) return null
  const isSet = (name: string, value: string) =>
    surroundings.readText(`/proc/sys/${name.replaceAll('.', '/')}`)?.trim() === value
      ? `${name} = ${value}`
      : null
  return (
    isSet('user.max_user_namespaces', '0') ??
    isSet('kernel.unprivileged_userns_clone', '0') ??
    (profiles().some((profile) => allowsNamespaces(profile, binary))
      ? null
      : isSet('kernel.apparmor_restrict_unprivileged_userns', '1'))
  )
}

/**
 * Why a desktop window can't be opened on this computer although the binary exists; null if it can. Chromium needs its sandbox, or
 * the window must not show untrusted content: it can't run as root, and aborts if the system closes user namespaces.
 */
export function noDesktopReason(surroundings = theSurroundings()): string | null {
  const { platform, env, userId } = surroundings
  if (platform !== 'linux') return null
  const display = env['DISPLAY'] || env['WAYLAND_DISPLAY']
  if (display === undefined || display === '')
    return 'no display found (neither DISPLAY nor WAYLAND_DISPLAY is set)'
  if (userId === 0) return "Electron can't run sandboxed as root"
  const setting = closingSetting(surroundings)
  return setting === null
    ? null
    : `the system setting ${setting} prevents Electron's sandbox; docs/desktop.md#linux says how to allow it`
}
