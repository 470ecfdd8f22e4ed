/**
 * The core of a host with a window: the real one, or the repairing one while its database is badly damaged or being repaired.
 * Connections stay; each treats the change like a gap in the events and reads everything again.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { RepairState } from '../../shared/model/repair.ts'
import type { Core, CoreOptions } from './core.ts'
import { createCore } from './create-core.ts'
import type { Deps } from '../base/deps.ts'
import { createMutex } from '../base/mutex.ts'
import { createLine, type CoreLine } from './line.ts'

/** Creates the served core of one data folder. Rejects with an `AppError`, but not for a damaged database. */
export async function createRepairableCore(
  deps: Deps,
  options: CoreOptions & { readonly serve: NonNullable<CoreOptions['serve']> },
): Promise<Core> {
  const connections = new Set<CoreLine>()
  const ownPorts = new Set<number>()
  const exclusive = createMutex()
  let lastRepair: RepairState | null = null
  let isClosed = false

  const openReal = (): Promise<Core> =>
    createCore(deps, {
      ...options,
      repair: {
        state: () => lastRepair,
        start: (damage) =>
          void exclusive(() => beginRepair(damage)).catch((error: unknown) => log(error)),
      },
    })
  const log = (error: unknown) => deps.log.bug(error, 'switching to the repair of the database')

  async function openRepairing(damage: AppError, serve: NonNullable<CoreOptions['serve']>) {
    const { createRepairCore } = await import('./repair-core.ts')
    return createRepairCore(deps, {
      ...options,
      serve,
      damage,
      before: lastRepair,
      onEnded(state) {
        lastRepair = state
        exclusive(() => change(openReal)).catch(log)
      },
    })
  }

  let current: Core = await openReal().catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'DATABASE_DAMAGED')
      return openRepairing(error, options.serve)
    throw error
  })

  /** Replaces the current core; connections stay open. */
  async function change(open: () => Promise<Core>): Promise<void> {
    if (isClosed) return
    for (const connection of connections)
      connection.disconnect(
        'The database is being repaired. Try again when the repair has finished.',
      )
    await current.close()
    current = await open().catch((error: unknown) => {
      const damage = error instanceof AppError ? error : AppError.internal(log(error))
      return openRepairing(damage, options.serve)
    })
    for (const port of ownPorts) current.keepFromSends(port)
    for (const connection of connections) connection.connect(current)
    current.announce()
  }

  async function beginRepair(damage: AppError): Promise<void> {
    const { receiver } = await current.status()
    const port = receiver.url === null ? undefined : Number(new URL(receiver.url).port)
    const httpPort = receiver.httpUrl === null ? undefined : Number(new URL(receiver.httpUrl).port)
    await change(async () => {
      const repairing = await openRepairing(damage, {
        ...options.serve,
        ...(port === undefined ? {} : { receiverPort: port }),
        ...(httpPort === undefined ? {} : { receiverHttpPort: httpPort }),
      })
      repairing.start()
      return repairing
    })
  }

  return {
    connect(transport) {
      const line = createLine(transport)
      line.connect(current)
      connections.add(line)
      return () => {
        connections.delete(line)
        line.close()
      }
    },
    on: (event, listener) => current.on(event, listener),
    status: () => current.status(),
    get control() {
      return current.control
    },
    ports: {
      choose: (...input) => current.ports.choose(...input),
      remember: (...input) => current.ports.remember(...input),
    },
    keepFromSends(port) {
      ownPorts.add(port)
      current.keepFromSends(port)
    },
    suspended: () => {
      current.suspended()
    },
    resumed: () => current.resumed(),
    announce: () => {
      current.announce()
    },
    close: () =>
      exclusive(async () => {
        isClosed = true
        await current.close()
      }),
  }
}
