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

/** Returns why this copy can't check for updates, as a sentence; null if it can. */
export function updatesOffReason({
  isPackaged,
  resources,
}: {
  readonly isPackaged: boolean
  readonly resources: string
}): string | null {
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
  // By default, the updater sends an ID of this computer.
  autoUpdater.requestHeaders = { 'x-user-staging-id': 'none' }
  return autoUpdater
}

interface UpdatesOptions {
  /** Result of `updatesOffReason`. */
  readonly off: string | null
  /** URL of new versions, if this copy can't be replaced. */
  readonly page: string | null
  /** Loads the updater with the first check, so that the start of the app is quick. */
  readonly loadUpdater: () => Promise<Updater>
  readonly log: Log
  changed(state: UpdateState): void
  /** Quits; `finish` runs after the core has closed. */
  quit(): void
}

type Action = NativeInputOf<'native.update'>['action']

/** Phases in which an action applies; in others it does nothing. */
const allowedPhases: Readonly<Record<Exclude<Action, 'look'>, readonly UpdateState['phase'][]>> = {
  check: ['idle', 'current', 'available', 'failed'],
  download: ['available'],
  restart: ['ready'],
}

/** Update of the app, from the check to the restart. */
export class Updates {
  readonly #options: UpdatesOptions
  #state: UpdateState
  #updater: Updater | null = null
  #newVersion = ''

  constructor(options: UpdatesOptions) {
    this.#options = options
    const { off } = options
    this.#state = off === null ? { phase: 'idle' } : { phase: 'off', reason: off }
  }

  /** Starts an allowed action; resolves with the state now, before the action ends. */
  act = async ({ action }: NativeInputOf<'native.update'>): Promise<UpdateState> => {
    if (action === 'look' || !allowedPhases[action].includes(this.#state.phase)) return this.#state
    // Checks and downloads end in a state, never in an error.
    if (action === 'check') void this.#check()
    else if (action === 'restart') {
      this.#set({ phase: 'restarting', version: this.#newVersion })
      this.#options.quit()
    } else if (this.#options.page === null) void this.#download()
    return this.#state
  }

  /** Checks once a day, if the user asked for it. */
  checkDaily(client: Pick<Client, 'call'>): void {
    const { log, off } = this.#options
    if (off !== null) return
    const checkOnce = async () => {
      try {
        const { desktop } = await client.call('settings.get', {})
        if (desktop.checkUpdates) await this.checkQuietly()
      } catch (error) {
        // Without settings, nobody asked for checks.
        log.warn("Couldn't check for updates.", { reason: String(error) })
      }
    }
    void checkOnce()
    setInterval(() => void checkOnce(), DAY_MS).unref()
  }

  /** Checks without showing a failure. */
  async checkQuietly(): Promise<void> {
    if (allowedPhases.check.includes(this.#state.phase))
      await this.#check({ stateIfFailed: this.#state })
  }

  /** Replaces the app if the user chose to restart. Call when the core has closed. */
  finish = (): void => {
    if (this.#state.phase === 'restarting') this.#updater?.quitAndInstall(true, true)
  }

  async #check({ stateIfFailed }: { stateIfFailed?: UpdateState } = {}): Promise<void> {
    this.#set({ phase: 'checking' })
    try {
      const result = await (await this.#load()).checkForUpdates()
      if (result === null)
        this.#set({
          phase: 'off',
          reason:
            'This copy was unpacked from an archive. Replace its folder with the new version.',
        })
      else if (result.isUpdateAvailable) {
        this.#newVersion = result.updateInfo.version
        this.#set({ phase: 'available', version: this.#newVersion, page: this.#options.page })
      } else this.#set({ phase: 'current' })
    } catch (error) {
      this.#fail("Couldn't check for updates", error, stateIfFailed)
    }
  }

  async #download(): Promise<void> {
    this.#set({ phase: 'downloading', version: this.#newVersion, percent: 0 })
    try {
      await (await this.#load()).downloadUpdate()
      this.#set({ phase: 'ready', version: this.#newVersion })
    } catch (error) {
      this.#fail("Couldn't download the update", error)
    }
  }

  async #load(): Promise<Updater> {
    if (this.#updater !== null) return this.#updater
    const updater = await this.#options.loadUpdater()
    this.#updater = updater
    updater.on('download-progress', ({ percent }) =>
      this.#set({
        phase: 'downloading',
        version: this.#newVersion,
        percent: Math.floor(percent),
      }),
    )
    return updater
  }

  #fail(title: string, error: unknown, nextState?: UpdateState): void {
    this.#options.log.warn(`${title}.`, { reason: String(error) })
    const message = `${PRODUCT_NAME} is unchanged. Check your connection, then try again. The log has the reason.`
    this.#set(nextState ?? { phase: 'failed', title, message })
  }

  #set(state: UpdateState): void {
    this.#state = state
    this.#options.changed(state)
  }
}
