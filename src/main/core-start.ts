/** Start of the desktop app's core, which fails without Chromium's sandbox. */
import { app } from 'electron'
import { version } from '../../package.json'
import { createCore } from '../core/app/app.ts'
import type { Core, CoreOptions } from '../core/app/core.ts'
import type { Log, WorkerEntries } from '../core/base/deps.ts'
import { trustSystemAuthorities } from '../core/outgoing/wire/system-authorities.ts'
import type { AppError } from '../shared/contract/errors.ts'
import type { NativeHandlers } from '../shared/rpc/router.ts'
import { createDesktopDeps } from './desktop-deps.ts'
import { describeStartFailure, findSandboxProblem } from './start-errors.ts'

interface CoreStartOptions {
  readonly dataFolder: string
  readonly log: Log
  readonly native: NativeHandlers
  readonly ports: Partial<NonNullable<CoreOptions['serve']>>
  /** PEM certificates. */
  readonly systemAuthorities: Promise<readonly string[]>
  readonly workers: WorkerEntries
}

/** Single attempt to open the core, with its result. */
export class CoreStart {
  readonly #options: CoreStartOptions
  #core: Core | null = null
  #hasFailed = false

  constructor(options: CoreStartOptions) {
    this.#options = options
  }

  /** Open core; null before it is open and after a failure. */
  get core(): Core | null {
    return this.#core
  }

  get hasFailed(): boolean {
    return this.#hasFailed
  }

  async open(): Promise<Core> {
    const { dataFolder, log, native, ports, systemAuthorities, workers } = this.#options
    const unsafe = findSandboxProblem((name) => app.commandLine.hasSwitch(name), process.env)
    if (unsafe !== null) throw unsafe
    await trustSystemAuthorities(() => systemAuthorities, log)
    this.#core = await createCore(createDesktopDeps({ version, dataFolder, workers, log }), {
      serve: { host: '127.0.0.1', whenPortBusy: 'show', ...ports },
      native,
    })
    return this.#core
  }

  /** Logs the reason, and returns the error that the page shows. */
  fail = (error: unknown): AppError => {
    const { dataFolder, log } = this.#options
    this.#hasFailed = true
    log.warn("Couldn't start.", { reason: String(error) })
    const reportBug = (bug: unknown) => log.bug(bug, 'starting')
    return describeStartFailure(error, { version, dataFolder, process, reportBug })
  }
}
