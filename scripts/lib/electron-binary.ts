/** Finds Electron's binary, or downloads it in the background on first use. */
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

export interface ElectronPackage {
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
}

const here: ElectronPackage = { folder: electron, env: process.env }

const binaries: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
}

const overrideOf = ({ env }: ElectronPackage) => env['ELECTRON_OVERRIDE_DIST_PATH'] || null

/** Returns the path of the binary, downloaded or not. */
export function electronPath(from = here): string {
  return join(
    overrideOf(from) ?? join(from.folder, 'dist'),
    binaries[process.platform] ?? 'electron',
  )
}

export function electronVersion({ folder } = here): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string })
    .version
}

/**
 * Returns the path of the binary in package.json's version, or of the user's own. Null if it is
 * missing or incomplete.
 */
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

/** Explains why the missing binary can't be downloaded; null if it can. */
export function noDownloadReason(from = here): string | null {
  const override = overrideOf(from)
  if (override !== null)
    return `ELECTRON_OVERRIDE_DIST_PATH is ${override}, but ${electronPath(from)} doesn't exist`
  return existsSync(join(from.folder, 'install.js'))
    ? null
    : 'the electron package is not installed; run npm ci'
}

export function downloadError(output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
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
  /** Result of the download: `ended` by `stop` or Ctrl+C in a terminal. Never rejects. */
  readonly outcome: Promise<'ready' | 'ended' | { readonly problem: string }>
  bytes(): number
  /** Ends the download and removes its files. */
  stop(): void
}

function sizeBelow(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => {
      const file = statSync(join(folder, name), { throwIfNoEntry: false })
      return sum + (file?.isFile() === true ? file.size : 0)
    }, 0)
  } catch {
    return 0
  }
}

const endings: ReadonlySet<string | null> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP'])

/** Runs Electron's own install script, which takes minutes on a slow line. */
export function downloadElectron(from = here): ElectronDownload {
  // The script writes this file at the end; without it, nothing unpacked counts as complete.
  rmSync(join(from.folder, 'path.txt'), { force: true })
  // The size of the script's temporary folder is the progress.
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
  let output = ''
  let stopped = false
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()))
  child.on('error', (error) => (output += `Error: ${error.message}`))
  const clear = () => {
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
  }
  return {
    outcome: new Promise((resolve) => {
      child.on('close', (_code, signal) => {
        clear()
        if (findElectron(from) !== null) resolve('ready')
        else resolve(stopped || endings.has(signal) ? 'ended' : { problem: downloadError(output) })
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

/** Size of the download, which the server tells only the script. */
const ABOUT_MB = 110
const SAY_EVERY_MS = 15_000

/** Downloads the binary beside the app. Returns a function that ends the download. */
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

export interface SystemState {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  readonly userId: number | null
  readonly binary: string
  readText(file: string): string | null
  profiles(): readonly string[]
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

export function readSystemState(): SystemState {
  return {
    platform: process.platform,
    env: process.env,
    userId: process.getuid?.() ?? null,
    binary: findElectron() ?? electronPath(),
    readText,
    profiles: readProfiles,
    isSetuidRoot(file) {
      const stats = statSync(file, { throwIfNoEntry: false })
      return stats !== undefined && stats.uid === 0 && (stats.mode & 0o4000) !== 0
    },
  }
}

/**
 * Whether an AppArmor profile, whose path may have `*`, `**` and `{a,b}`, allows user namespaces.
 */
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

/** Returns the system setting that disables Chromium's sandbox, as `name = value`, or null. */
function closingSetting({ binary, profiles, ...system }: SystemState): string | null {
  // Chromium's older sandbox needs no namespaces.
  if (system.isSetuidRoot(join(dirname(binary), 'chrome-sandbox'))) return null
  const isSet = (name: string, value: string) =>
    system.readText(`/proc/sys/${name.replaceAll('.', '/')}`)?.trim() === value
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
 * Explains why the existing binary can't open a desktop window; null if it can.
 * Chromium's sandbox doesn't work for root or without user namespaces.
 */
export function noDesktopReason(system = readSystemState()): string | null {
  const { platform, env, userId } = system
  if (platform !== 'linux') return null
  const display = env['DISPLAY'] || env['WAYLAND_DISPLAY']
  if (display === undefined || display === '')
    return 'no display found (neither DISPLAY nor WAYLAND_DISPLAY is set)'
  if (userId === 0) return "Electron can't run sandboxed as root"
  const setting = closingSetting(system)
  return setting === null
    ? null
    : `the system setting ${setting} prevents Electron's sandbox; docs/desktop.md#linux says how to allow it`
}
