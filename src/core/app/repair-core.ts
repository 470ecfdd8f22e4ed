/**
 * Replaces the core while its database can't be used: it holds the data folder, responds 503 to deliveries, rejects every command
 * with the reason, and repairs the database on request.
 */
import { DEFAULT_SETTINGS, portIn } from '../../shared/model/settings.ts'
import { commands } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { RepairState } from '../../shared/model/repair.ts'
import type { AppStatus, ReceiverStatus } from '../../shared/model/status.ts'
import { createRouter, type Handlers } from '../../shared/rpc/router.ts'
import { openCapture } from './capture.ts'
import { closeAll, type Closer } from '../base/close-all.ts'
import { createRuns, type ActiveRun } from '../base/runs.ts'
import { writeDiagnostics } from './diagnostics.ts'
import { damagedCheck } from '../commands/doctor.ts'
import type { Core, CoreOptions } from './core.ts'
import type { Deps } from '../base/deps.ts'
import { createEventHub } from '../base/event-hub.ts'
import { UNAVAILABLE } from '../receiver/intake.ts'
import { DEFAULT_LIMITS } from '../receiver/limits.ts'
import { damageWithoutCommand } from '../store/damaged.ts'
import { repairDatabase } from '../store/repair/repair.ts'
import { createVault } from '../hooks/vault.ts'
import { createConnect, holdFolder, processStatus } from './serving.ts'

export interface RepairCoreOptions extends CoreOptions {
  readonly serve: NonNullable<CoreOptions['serve']>
  /** The database's problem. */
  readonly damage: AppError
  /** The previous repair, if it failed. */
  readonly before: RepairState | null
  /** Called once with the result of the repair. */
  onEnded(state: RepairState): void
}

/** Only one repair runs at a time. */
const ONLY = 'repair'

interface RepairCore extends Core {
  start(): void
}

/** Creates it. Rejects with an `AppError`, leaving nothing open. */
export async function createRepairCore(
  deps: Deps,
  options: RepairCoreOptions,
): Promise<RepairCore> {
  const { clock, dataFolder, log } = deps
  const { serve, damage } = options
  const closers: Closer[] = []
  const hub = createEventHub()
  let state: RepairState =
    options.before?.phase === 'failed'
      ? options.before
      : { phase: 'damaged', problem: damageWithoutCommand(damage), progress: null, report: null }
  const become = (next: RepairState) => {
    state = next
    hub.emit('repair.changed', next)
  }

  const runs = createRuns<null, void>({
    onProgress: () => hub.emit('repair.changed', state),
    onFailed(error) {
      const problem =
        error instanceof AppError
          ? error
          : AppError.internal(log.bug(error, 'repairing the database'))
      become({ ...state, phase: 'failed', problem: problem.message })
    },
    onEnded: () => options.onEnded(state),
  })

  async function repair({ stopped, progress }: ActiveRun<null>): Promise<void> {
    become({ ...state, phase: 'running', progress: { rows: 0, deliveries: 0, of: null } })
    const report = await repairDatabase({
      dataFolder,
      worker: deps.workers.repair,
      signal: stopped,
      now: clock.now(),
      onProgress(next) {
        state = { ...state, progress: next }
        progress()
      },
    })
    progress.stop()
    become({ ...state, phase: 'ended', problem: null, report })
  }

  const start = () => {
    if (!runs.isRunning(ONLY)) runs.start(ONLY, null, repair)
  }

  try {
    const folder = await holdFolder(deps, closers)
    const vault = createVault(await deps.secretBackends(dataFolder))
    // Ports are stored in the database.
    const ports: Core['ports'] = {
      choose: (name, requested) =>
        Promise.resolve(requested ?? portIn(DEFAULT_SETTINGS.ports, name)),
      remember: () => Promise.resolve(),
    }
    const { capture } = await openCapture(
      deps,
      {
        ports,
        serve,
        bodyLimit: () => DEFAULT_LIMITS.bodyBytes(),
        publicUrl: null,
        rememberPublicUrl: () => Promise.resolve(),
        onChanged: () => undefined,
      },
      closers,
    )
    capture.setPaused(true)
    await capture.start({
      take: () => Promise.resolve(UNAVAILABLE),
      startOverflow: () => ({ update: () => undefined }),
    })
    closers.push(runs.close)

    const receiver = (): ReceiverStatus => capture.status()
    const status = (): Promise<AppStatus> =>
      Promise.resolve({
        ...processStatus(deps),
        receiver: receiver(),
        sandbox: null,
        store: {
          state: 'damaged',
          problem: damage.message,
          deliveries: 0,
          bytes: 0,
          search: { state: 'off', left: 0 },
        },
        vault: vault.status(),
      })
    const refused = () =>
      Promise.reject(
        state.phase === 'running'
          ? new AppError(
              'DATABASE_DAMAGED',
              'The database is being repaired. Try again when the repair has finished.',
            )
          : damage,
      )
    const handlers = Object.fromEntries(
      Object.keys(commands).map((name) => [name, refused]),
    ) as unknown as Handlers
    const router = createRouter({
      handlers: {
        ...handlers,
        'app.status': status,
        'app.open': async () => ({ url: (await options.openUrl?.()) ?? '' }),
        'doctor.run': () => Promise.resolve({ checks: [damagedCheck(damage.message)] }),
        // The secrets are in the damaged database; the log never contains them in clear.
        'app.diagnostics': async () =>
          writeDiagnostics({
            status: await status(),
            checks: [damagedCheck(damage.message)],
            stored: null,
            now: clock.now(),
            mask: (text) => text,
          }),
        'repair.get': () => Promise.resolve(state),
        'repair.start': () => {
          start()
          return Promise.resolve(state)
        },
        'repair.cancel': () => {
          runs.get(ONLY)?.cancel()
          return Promise.resolve({})
        },
      },
      ...(options.native === undefined ? {} : { native: options.native }),
      reportBug: (error, command) => log.bug(error, command),
    })
    const connect = createConnect(router, hub)
    const announce = () => {
      hub.emit('repair.changed', state)
    }
    const control = await folder.startControl(connect)
    await folder.publish({ control, receiver: receiver().url, sandbox: null })
    return {
      connect,
      on: hub.on,
      status,
      control,
      ports,
      keepFromSends: () => undefined,
      // Nothing is received anyway.
      suspended: () => undefined,
      resumed: () => Promise.resolve(),
      announce,
      start,
      close: () => closeAll(closers),
    }
  } catch (error) {
    await closeAll(closers).catch((failure: unknown) => log.bug(failure, 'closing opened parts'))
    throw error
  }
}
