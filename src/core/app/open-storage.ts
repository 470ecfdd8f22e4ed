/** Opens what every core has: the data folder, its events, secrets, database and settings. */
import { dirname } from 'node:path'
import { closeAll, type Closer } from '../base/async.ts'
import { reportDeliveries, reportStorage } from '../base/client-reports.ts'
import { caFileOf, makeDataFolder } from '../base/data-folder.ts'
import type { Deps } from '../base/deps.ts'
import { createEventHub } from '../base/event-hub.ts'
import { removeLeftovers } from '../base/leftovers.ts'
import { reserveFolder } from '../control/control-server.ts'
import { OwnFlows } from '../flows/own-flows.ts'
import { createVault, resealSecrets } from '../hooks/vault.ts'
import { createRetentionService } from '../retention/retention.ts'
import { openConsents } from '../settings/consents.ts'
import { createPorts } from '../settings/ports.ts'
import { openSettings } from '../settings/settings.ts'
import { openViews } from '../settings/views.ts'
import { openStore } from '../store/store.ts'
import { removeDeadFolders } from '../store/temporary-folder.ts'
import type { CoreOptions } from './core.ts'

export type StorageParts = Awaited<ReturnType<typeof openStorage>>

/** Opened parts, closed in reverse order of opening. */
export class Closers {
  readonly #closers: Closer[] = []

  add(...closers: Closer[]): void {
    this.#closers.push(...closers)
  }

  close(): Promise<void> {
    return closeAll(this.#closers)
  }
}

async function openFolder(deps: Deps, isServing: boolean, closers: Closers) {
  const { dataFolder } = deps
  makeDataFolder(dataFolder)
  if (!isServing) return null
  const folder = await reserveFolder(deps)
  closers.add(folder.release)
  for (const each of [dataFolder, dirname(caFileOf(dataFolder))]) removeLeftovers(each)
  removeDeadFolders()
  return folder
}

export async function openStorage(deps: Deps, options: CoreOptions, closers: Closers) {
  const { clock, dataFolder, ids, log, workers } = deps
  const randomBytes = (count: number) => deps.randomBytes(count)
  const isServing = options.serve !== null
  const folder = await openFolder(deps, isServing, closers)
  const hub = createEventHub()
  const vault = createVault(await deps.secretBackends(dataFolder))
  /** Names of the environments that accept any 2xx as an acknowledgement. */
  const any2xxEnvironments = new Set<string>()
  const store = await openStore({
    dataFolder,
    workers,
    log,
    isBrief: !isServing,
    withoutThreads: options.withoutThreads === true,
    ...(options.maxDatabaseBytes === undefined
      ? {}
      : { options: { maxBytes: options.maxDatabaseBytes } }),
    lenientEnvironments: () => [...any2xxEnvironments],
    onDescribed: (seqs) => hub.emit('deliveries.described', seqs),
    onStatus: (status) => hub.emit('store.changed', status),
  })
  closers.add(
    store.close,
    reportDeliveries({ hub, read: (seqs) => store.read('rowsBySeq', seqs), total: store.total }),
    reportStorage(hub, () => store.status()),
  )
  const base = { clock, ids, log, randomBytes, hub, vault, store }
  /** Ports that the receiver and the sandbox listen on, so that no setting may name them. */
  const servedPorts = new Set<string>()
  const settings = await openSettings({
    ...base,
    checkPort: async (port) => {
      if (!servedPorts.has(String(port)))
        await (await import('../receiver/listening.ts')).checkPortFree(port)
    },
  })
  const limits = () => settings.current().retention
  const retention = createRetentionService({ ...base, limits, isServing })
  closers.add(retention.close)
  hub.on('settings.changed', retention.limitsChanged)
  const views = await openViews(base)
  const ownFlows = new OwnFlows(base)
  await ownFlows.reload()
  if (isServing) await resealSecrets(store, vault, log)
  const consents = await openConsents(base)
  const ports = createPorts(store, settings)
  return {
    ...base,
    folder,
    any2xxEnvironments,
    servedPorts,
    settings,
    ports,
    retention,
    views,
    ownFlows,
    consents,
  }
}
