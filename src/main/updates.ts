/**
 * Updates of the desktop app: which installs may update themselves, when a check is due, and the state of an update from the check to
 * the restart. Nothing here needs Electron. `update-engine.ts` talks to the server and replaces the app.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, posix, win32 } from 'node:path'
import { z } from 'zod'
import { canWrite } from '../core/base/data-folder.ts'
import type { Log } from '../core/base/deps.ts'
import type { NativeInputOf, UpdateState } from '../shared/contract/native.ts'
import { PRODUCT_NAME } from '../shared/product.ts'

/** What decides whether an install may update itself. */
export interface Install {
  readonly isPackaged: boolean
  readonly platform: NodeJS.Platform
  /** The app's program. */
  readonly program: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The kind of Linux package, which electron-builder writes into the app's resources; null if it isn't one. */
  readonly packageType: string | null
  /** Whether the build has the URL of a feed, and keys to verify updates with. */
  readonly hasSource: boolean
  exists(path: string): boolean
  canWrite(folder: string): boolean
}

/** Why this install can't update itself, and where updates come from; null if it can. */
export function whyNoUpdates(install: Install): string | null {
  const { platform, program, env } = install
  if (!install.isPackaged)
    return 'This is a development build. Update its source code and build it again.'
  if (platform === 'linux') {
    const packageType =
      install.packageType ??
      (env['SNAP'] === undefined ? (env['FLATPAK_ID'] === undefined ? null : 'Flatpak') : 'Snap')
    if (packageType !== null)
      return `${PRODUCT_NAME} was installed as a ${packageType} package. Your package manager updates it, or install the new package.`
  }
  if (!install.hasSource)
    return 'This build has no update source. Get new versions from where you got this one.'
  const { dirname, join: joined } = platform === 'win32' ? win32 : posix
  const appImage = env['APPIMAGE']
  const isUnpacked =
    platform === 'win32'
      ? !install.exists(joined(dirname(program), `Uninstall ${PRODUCT_NAME}.exe`))
      : platform === 'linux' && appImage === undefined
  if (isUnpacked)
    return 'This copy was unpacked from an archive. Replace its folder with the new version.'
  const folder =
    platform === 'darwin'
      ? // Countersign.app/Contents/MacOS/Countersign: the new bundle takes the place of the old one.
        dirname(dirname(dirname(dirname(program))))
      : dirname(platform === 'linux' ? (appImage ?? program) : program)
  if (!install.canWrite(folder))
    return `${PRODUCT_NAME} can't write to ${folder}. Move it to a folder of yours, or ask your administrator for the update.`
  return null
}

/** The facts about this process. `resources` is the folder of the installed app's resources. */
export function thisInstall(
  isPackaged: boolean,
  resources: string,
  keys: readonly string[],
): Install {
  const packageFile = join(resources, 'package-type')
  return {
    isPackaged,
    platform: process.platform,
    program: process.execPath,
    env: process.env,
    packageType: existsSync(packageFile) ? readFileSync(packageFile, 'utf8').trim() : null,
    hasSource: keys.length > 0 && existsSync(join(resources, 'app-update.yml')),
    exists: existsSync,
    canWrite,
  }
}

const memorySchema = z.object({
  /** Time of the last daily check. */
  checkedAt: z.number().nullable().default(null),
  /** Release date of the newest metadata with a valid signature. */
  newest: z.number().nullable().default(null),
})
type Remembered = z.infer<typeof memorySchema>

/** The memory between starts. A missing or damaged file counts as empty. */
export interface UpdateMemory {
  get(): Remembered
  set(change: Partial<Remembered>): void
}

export function createUpdateMemory(file: string): UpdateMemory {
  const get = () => {
    try {
      return memorySchema.parse(JSON.parse(readFileSync(file, 'utf8')))
    } catch {
      return memorySchema.parse({})
    }
  }
  return {
    get,
    set(change) {
      writeFileSync(`${file}.new`, JSON.stringify({ ...get(), ...change }), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    },
  }
}

const DAY_MS = 86_400_000

/** Whether the daily check is due. A clock that was set back doesn't postpone it. */
function isCheckDue(checkedAt: number | null, now: number): boolean {
  return checkedAt === null || now - checkedAt >= DAY_MS || checkedAt > now
}

/** A failure with a message for the user: what happened, and what to do. */
export class UpdateError extends Error {}

export interface FoundUpdate {
  readonly version: string
  /** In bytes. */
  readonly size: number
}

export interface UpdateEngine {
  /** Asks the server. `later`: a newer version that isn't for this computer yet. */
  check(
    signal: AbortSignal,
  ): Promise<{ readonly found: FoundUpdate | null; readonly later: string | null }>
  /** Downloads the found version and verifies it. */
  download(signal: AbortSignal, onReceived: (bytes: number) => void): Promise<void>
  /** Makes the downloaded version ready, while the app still runs. */
  prepare(): Promise<void>
  /** Replaces the app and starts the new version, as the last act of this process. On failure the old version starts again. */
  install(): void
}

interface UpdatesOptions {
  readonly version: string
  /** Why this install can't update itself; null if it can. */
  readonly off: string | null
  /** Loaded with the first check: no start needs it. */
  readonly loadEngine: () => Promise<UpdateEngine>
  readonly log: Log
  changed(state: UpdateState): void
  /** Quits the app; `finish` runs after the core has closed. */
  quit(): void
  /** Shows a failure after the window has closed. */
  showError(title: string, message: string): void
}

export interface Updates {
  act(input: NativeInputOf<'native.update'>): Promise<UpdateState>
  /** The check that the user asked for once a day, if it is due. Only a found update is shown. */
  checkDaily(memory: UpdateMemory, now: number): Promise<void>
  /** Replaces the app if the user chose to. Call when the core has closed, or couldn't. */
  finish(isClosed: boolean): void
}

type Action = NativeInputOf<'native.update'>['action']

/** The phases in which each action does something. */
const applies: Readonly<Record<Exclude<Action, 'look'>, readonly UpdateState['phase'][]>> = {
  check: ['idle', 'current', 'available', 'failed'],
  download: ['available', 'failed'],
  cancel: ['checking', 'downloading'],
  restart: ['ready'],
}

export function createUpdates({
  version,
  off,
  loadEngine,
  log,
  changed,
  quit,
  showError,
}: UpdatesOptions): Updates {
  let state: UpdateState = off === null ? { phase: 'idle' } : { phase: 'off', reason: off }
  let found: FoundUpdate | null = null
  let running = new AbortController()
  let engine: UpdateEngine | null = null
  const unchanged = `${PRODUCT_NAME} ${version} is unchanged.`

  const set = (next: UpdateState) => {
    state = next
    changed(next)
  }
  const load = async () => (engine ??= await loadEngine())
  const messageOf = (title: string, error: unknown): string => {
    if (error instanceof UpdateError) {
      log.warn(`${title}.`, {
        reason: error.message,
        ...(error.cause instanceof Error ? { cause: error.cause.message } : {}),
      })
      return error.message
    }
    return `Something unexpected happened: see ${log.bug(error, title)} in the log. ${unchanged}`
  }
  const fail = (title: string, error: unknown, retry: 'check' | 'download') => {
    set({ phase: 'failed', title, message: messageOf(title, error), retry })
  }
  const offer = (update: FoundUpdate) => {
    set({ phase: 'available', ...update })
  }

  const check = async (isQuiet: boolean) => {
    const { signal } = (running = new AbortController())
    const before = state
    set({ phase: 'checking' })
    try {
      const result = await (await load()).check(signal)
      found = result.found
      if (found === null) set({ phase: 'current', later: result.later })
      else offer(found)
    } catch (error) {
      if (signal.aborted) set(before)
      else if (isQuiet) {
        messageOf("Couldn't check for updates", error)
        set(before)
      } else fail("Couldn't check for updates", error, 'check')
    }
  }

  const download = async (update: FoundUpdate) => {
    const { signal } = (running = new AbortController())
    let shown = 0
    const show = (received: number) => {
      if (signal.aborted) return
      shown = received
      set({ phase: 'downloading', ...update, received })
    }
    show(0)
    try {
      const loaded = await load()
      await loaded.download(signal, (received) => {
        if (received - shown >= update.size / 100) show(received)
      })
      set({ phase: 'ready', version: update.version })
    } catch (error) {
      if (signal.aborted) offer(update)
      else fail("Couldn't download the update", error, 'download')
    }
  }

  const restart = async (update: FoundUpdate) => {
    set({ phase: 'restarting', version: update.version })
    try {
      await (await load()).prepare()
      quit()
    } catch (error) {
      fail("Couldn't install the update", error, 'download')
    }
  }

  return {
    async act({ action }) {
      if (action === 'look' || !applies[action].includes(state.phase)) return state
      // They end in a state, never in an error.
      if (action === 'check') void check(false)
      else if (action === 'cancel') running.abort()
      else if (found !== null && action === 'download') void download(found)
      else if (found !== null) void restart(found)
      return state
    },
    async checkDaily(memory, now) {
      if (!applies.check.includes(state.phase) || !isCheckDue(memory.get().checkedAt, now)) return
      // A check that fails counts too, so that it isn't repeated all day.
      memory.set({ checkedAt: now })
      await check(true)
    },
    finish(isClosed) {
      if (state.phase !== 'restarting' || engine === null) return
      const title = `Couldn't update ${PRODUCT_NAME}`
      try {
        if (!isClosed)
          throw new UpdateError(
            `${PRODUCT_NAME} didn't close in time, so it wasn't updated. Start it again.`,
          )
        engine.install()
      } catch (error) {
        showError(title, messageOf(title, error))
      }
    },
  }
}
