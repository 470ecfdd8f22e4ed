/**
 * Updates of the desktop app. Only a signed app is replaced, because only then the system verifies
 * the new one.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../core/base/deps.ts'
import type { NativeInputOf, UpdateState } from '../shared/contract/native.ts'
import { PRODUCT_NAME } from '../shared/product.ts'
import type { Client } from '../shared/rpc/client.ts'

const DAY_MS = 86_400_000

/** Returns a sentence, or null if this copy can check. */
export function whyNoUpdates(isPackaged: boolean, resources: string): string | null {
  if (!isPackaged) return 'This is a development build. Update its source code and build it again.'
  return existsSync(join(resources, 'app-update.yml'))
    ? null
    : 'This build has no update source. Get new versions from where you got this one.'
}

/** Whether `scripts/package.mjs` noted that the app is signed. */
export function isSignedApp(appFolder: string): boolean {
  const { isSigned } = JSON.parse(readFileSync(join(appFolder, 'package.json'), 'utf8')) as {
    readonly isSigned?: unknown
  }
  return isSigned === true
}

export interface Updater {
  /** Resolves with null for an unpacked archive. */
  checkForUpdates(): Promise<{
    readonly isUpdateAvailable: boolean
    readonly updateInfo: { readonly version: string }
  } | null>
  downloadUpdate(): Promise<unknown>
  quitAndInstall(isSilent: boolean, isStartedAfter: boolean): void
  on(
    event: 'download-progress',
    listener: (progress: { readonly percent: number }) => void,
  ): unknown
}

/** Reads the server's URL from the app's `app-update.yml`. */
export async function loadUpdater(): Promise<Updater> {
  const { autoUpdater } = await import('electron-updater')
  autoUpdater.autoDownload = false
  // Failures reach the caller, who logs them.
  autoUpdater.logger = null
  // Otherwise it sends an ID of this computer.
  autoUpdater.requestHeaders = { 'x-user-staging-id': 'none' }
  return autoUpdater
}

interface UpdatesOptions {
  readonly off: string | null
  /** URL of new versions, if this copy can't be replaced. */
  readonly page: string | null
  /** Called with the first check: no start needs it. */
  readonly loadUpdater: () => Promise<Updater>
  readonly log: Log
  changed(state: UpdateState): void
  /** Quits; `finish` runs after the core has closed. */
  quit(): void
}

type Action = NativeInputOf<'native.update'>['action']

/** Phases in which an action does something. */
const applies: Readonly<Record<Exclude<Action, 'look'>, readonly UpdateState['phase'][]>> = {
  check: ['idle', 'current', 'available', 'failed'],
  download: ['available'],
  restart: ['ready'],
}

export function createUpdates(options: UpdatesOptions) {
  const { off, page, log } = options
  let state: UpdateState = off === null ? { phase: 'idle' } : { phase: 'off', reason: off }
  let updater: Updater | null = null
  let version = ''

  const set = (next: UpdateState) => {
    state = next
    options.changed(next)
  }
  const load = async () => {
    if (updater !== null) return updater
    updater = await options.loadUpdater()
    updater.on('download-progress', ({ percent }) =>
      set({ phase: 'downloading', version, percent: Math.floor(percent) }),
    )
    return updater
  }
  /** Returns to the state `before` if the user didn't ask. */
  const fail = (title: string, error: unknown, before?: UpdateState) => {
    log.warn(`${title}.`, { reason: String(error) })
    const message = `${PRODUCT_NAME} is unchanged. Check your connection, then try again. The log has the reason.`
    set(before ?? { phase: 'failed', title, message })
  }

  const check = async (before?: UpdateState) => {
    set({ phase: 'checking' })
    try {
      const result = await (await load()).checkForUpdates()
      if (result === null)
        set({
          phase: 'off',
          reason:
            'This copy was unpacked from an archive. Replace its folder with the new version.',
        })
      else if (result.isUpdateAvailable) {
        version = result.updateInfo.version
        set({ phase: 'available', version, page })
      } else set({ phase: 'current' })
    } catch (error) {
      fail("Couldn't check for updates", error, before)
    }
  }

  const download = async () => {
    set({ phase: 'downloading', version, percent: 0 })
    try {
      await (await load()).downloadUpdate()
      set({ phase: 'ready', version })
    } catch (error) {
      fail("Couldn't download the update", error)
    }
  }

  const checkQuietly = async (): Promise<void> => {
    if (applies.check.includes(state.phase)) await check(state)
  }

  return {
    async act({ action }: NativeInputOf<'native.update'>): Promise<UpdateState> {
      if (action === 'look' || !applies[action].includes(state.phase)) return state
      // They end in a state, never in an error.
      if (action === 'check') void check()
      else if (action === 'restart') {
        set({ phase: 'restarting', version })
        options.quit()
      } else if (page === null) void download()
      return state
    },
    checkQuietly,
    /** Checks once a day, if the user asked for it. */
    checkDaily(client: Pick<Client, 'call'>): void {
      if (off !== null) return
      const checkOnce = async () => {
        try {
          const { desktop } = await client.call('settings.get', {})
          if (desktop.checkUpdates) await checkQuietly()
        } catch (error) {
          // Without settings, nobody asked for checks.
          log.warn("Couldn't check for updates.", { reason: String(error) })
        }
      }
      void checkOnce()
      setInterval(() => void checkOnce(), DAY_MS).unref()
    },
    /** Call when the core has closed. */
    finish(): void {
      if (state.phase === 'restarting') updater?.quitAndInstall(true, true)
    },
  }
}
