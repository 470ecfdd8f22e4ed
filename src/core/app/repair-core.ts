/**
 * What runs in the place of the core while its database can't be used: it holds the data folder, answers deliveries 503, says why to
 * every command, and repairs the database when it is asked to.
 */
import { commands } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { RepairState } from '../../shared/model/repair.ts'
import type { AppStatus, ReceiverStatus } from '../../shared/model/status.ts'
import { createRouter, type Handlers } from '../../shared/rpc/router.ts'
import type { Transport } from '../../shared/rpc/transport.ts'
import { createCapture } from './capture.ts'
import { closeAll, type Closer } from '../base/close-all.ts'
import { throttle } from '../base/throttle.ts'
import { damagedCheck } from '../commands/doctor.ts'
import { isResponding } from '../control/connect.ts'
import { startControlServer } from '../control/control-server.ts'
import { holdInstance, type Instance } from '../control/instance-file.ts'
import type { Core, CoreOptions } from './core.ts'
import { caFileOf } from '../base/data-folder.ts'
import type { Deps } from '../base/deps.ts'
import { createEventHub } from '../base/event-hub.ts'
import { openIdentity } from '../receiver/identity.ts'
import { UNAVAILABLE } from '../receiver/intake.ts'
import { DEFAULT_LIMITS } from '../receiver/limits.ts'
import { repairDatabase } from '../store/repair/repair.ts'
import { createVault } from '../hooks/vault.ts'

export interface RepairCoreOptions extends CoreOptions {
  readonly serve: NonNullable<CoreOptions['serve']>
  /** What is wrong with the database. */
  readonly damage: AppError
  /** The previous repair, if it failed. */
  readonly before: RepairState | null
  /** Called once, with how the repair ended. */
  onEnded(state: RepairState): void
}

export interface RepairCore extends Core {
  start(): void
}

/** Creates it. Rejects with an `AppError`, and then leaves nothing open. */
export async function createRepairCore(deps: Deps, options: RepairCoreOptions): Promise<RepairCore> {
  const { clock, dataFolder, log } = deps
  const { serve, damage } = options
  const randomBytes = (count: number) => deps.randomBytes(count)
  const closers: Closer[] = []
  const hub = createEventHub()
  const cancelling = new AbortController()
  let state: RepairState =
    options.before?.phase === 'failed'
      ? options.before
      : { phase: 'damaged', problem: damage.message, progress: null, report: null }
  let running: Promise<void> | null = null

  const become = (next: RepairState) => {
    state = next
    hub.emit('repair.changed', next)
  }

  async function run(): Promise<void> {
    const progressed = throttle(() => hub.emit('repair.changed', state))
    become({ ...state, phase: 'running', progress: { rows: 0, deliveries: 0, of: null } })
    try {
      const report = await repairDatabase({
        dataFolder,
        worker: deps.workers.rewriting,
        signal: cancelling.signal,
        now: clock.now(),
        onProgress(progress) {
          state = { ...state, progress }
          progressed()
        },
      })
      progressed.stop()
      become({ ...state, phase: 'ended', problem: null, report })
    } catch (error) {
      progressed.stop()
      const problem = error instanceof AppError ? error : AppError.internal(log.bug(error, 'repairing the database'))
      become({ ...state, phase: 'failed', problem: problem.message })
    }
    options.onEnded(state)
  }

  const start = () => {
    running ??= run().finally(() => {
      running = null
    })
  }

  try {
    const starting: Instance = {
      pid: process.pid,
      version: deps.version,
      host: deps.host,
      startedAt: new Date(clock.now()).toISOString(),
      control: null,
      receiver: null,
      sandbox: null,
      ca: caFileOf(dataFolder),
      data: dataFolder,
    }
    const held = await holdInstance(dataFolder, starting, isResponding)
    closers.push(held.release)
    const vault = createVault(await deps.secretBackends(dataFolder))
    const identity = await openIdentity({ dataFolder, clock, log, randomBytes })
    closers.push(identity.close)
    // Ports are remembered in the database.
    const ports: Core['ports'] = {
      choose: (_name, requested, fallback) => Promise.resolve(requested ?? fallback),
      remember: () => Promise.resolve(),
    }
    const capture = createCapture({
      identity,
      clock,
      log,
      ports,
      host: serve.host,
      port: serve.receiverPort,
      httpPort: serve.receiverHttpPort,
      whenPortBusy: serve.whenPortBusy ?? 'fail',
      bodyLimit: () => DEFAULT_LIMITS.bodyBytes(),
      publicUrl: null,
      rememberPublicUrl: () => Promise.resolve(),
      onChanged: () => undefined,
    })
    capture.setPaused(true)
    closers.push(capture.close)
    await capture.start({
      take: () => Promise.resolve(UNAVAILABLE),
      startOverflow: () => ({ update: () => undefined }),
    })
    closers.push(async () => {
      cancelling.abort()
      await running
    })

    const receiver = (): ReceiverStatus => capture.status()
    const status = (): Promise<AppStatus> =>
      Promise.resolve({
        version: deps.version,
        host: deps.host,
        pid: process.pid,
        dataFolder,
        caFile: caFileOf(dataFolder),
        receiver: receiver(),
        sandbox: null,
        store: { state: 'damaged', problem: damage.message, deliveries: 0, bytes: 0, search: { state: 'off', left: 0 } },
        vault: vault.status(),
      })
    const refused = () =>
      Promise.reject(
        state.phase === 'running'
          ? new AppError('DATABASE_DAMAGED', 'The database is being repaired. Try again when the repair has finished.')
          : damage,
      )
    const handlers = Object.fromEntries(Object.keys(commands).map((name) => [name, refused])) as unknown as Handlers
    const router = createRouter({
      handlers: {
        ...handlers,
        'app.status': status,
        'app.open': async () => ({ url: (await options.openUrl?.()) ?? '' }),
        'doctor.run': () => Promise.resolve({ checks: [damagedCheck(damage.message)] }),
        'repair.get': () => Promise.resolve(state),
        'repair.start': () => {
          start()
          return Promise.resolve(state)
        },
        'repair.cancel': () => {
          cancelling.abort()
          return Promise.resolve({})
        },
      },
      ...(options.native === undefined ? {} : { native: options.native }),
      reportBug: (error, command) => log.bug(error, command),
    })
    const connect = (transport: Transport): (() => void) => {
      const connection = router.connect(transport)
      const stop = hub.onAny(connection.emit)
      return () => {
        stop()
        connection.close()
      }
    }
    const announce = () => {
      hub.emit('repair.changed', state)
    }
    const control = await startControlServer(randomBytes, connect)
    closers.push(control.close)
    await held.publish({ ...starting, control: { url: control.url, token: control.token }, receiver: receiver().url })
    return {
      connect,
      on: hub.on,
      status,
      control,
      ports,
      keepFromSends: () => undefined,
      announce,
      start,
      close: () => closeAll(closers),
    }
  } catch (error) {
    await closeAll(closers).catch((failure: unknown) => log.bug(failure, 'closing what had been opened'))
    throw error
  }
}
