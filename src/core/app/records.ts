/**
 * Composes everything that is stored: the store with settings, retention, environments, hooks and views. It reports each change to
 * the hub.
 */
import { createChangeFeed, type ChangeFeed, type EventHub } from '../base/event-hub.ts'
import { type Closer, throttle } from '../base/async.ts'
import type { Core, CoreOptions } from './core.ts'
import type { Deps } from '../base/deps.ts'
import type { Environments } from '../hooks/environments.ts'
import { eraseClearHeaders } from '../hooks/hook-record.ts'
import { openAccounts, type Accounts, type HookForSandbox } from '../hooks/hooks.ts'
import { createKeeping, type Keeping } from '../keeping/keeping.ts'
import { openSettings, type SettingsService, openViews, type Views } from '../keeping/settings.ts'
import { type PortName, portIn } from '../../shared/model/settings.ts'
import { openStore, type Store } from '../store/store.ts'
import { sealSecretsAgain, type Vault } from '../hooks/vault.ts'

/** Delay from a storage change to the event with the new size, in milliseconds. */
const STATUS_PAUSE_MS = 2_000

export interface RecordsDeps extends Pick<
  Deps,
  'clock' | 'dataFolder' | 'ids' | 'log' | 'workers'
> {
  readonly hub: EventHub
  readonly vault: Vault
  readonly maxDatabaseBytes: CoreOptions['maxDatabaseBytes']
  readonly withoutThreads: boolean
  /** Whether this process listens on the port itself. */
  isOwnPort(port: number): boolean
  /** Whether deliveries are received: only then are old ones deleted by age and count. */
  readonly isServing: boolean
  randomBytes(count: number): Uint8Array
  /** Called when everything stored up to this seq is described. */
  onDescribed(seq: number): void
  /** The sandbox's URL; null while it isn't running. */
  sandboxUrl(): string | null
  /** Adds a hook to the sandbox; resolves with whether the sandbox is running. */
  tellSandbox(hook: HookForSandbox): Promise<boolean>
}

export interface Records extends Accounts {
  readonly store: Store
  readonly settings: SettingsService
  readonly keeping: Keeping
  readonly views: Views
  readonly ports: Core['ports']
  /** Reports new and changed deliveries to windows. */
  readonly feed: ChangeFeed
}

/** Opens the store. Everything to close again is added to `closers`, in opening order, also if it rejects midway. */
export async function openRecords(deps: RecordsDeps, closers: Closer[]): Promise<Records> {
  const { clock, dataFolder, hub, ids, log, vault, workers } = deps

  // The store asks for environments, which are opened after it; until then it gets an empty list.
  let environments: Environments | null = null
  const feed = createChangeFeed(
    () => store.total(),
    (change) => hub.emit('deliveries.changed', change),
  )
  const store = await openStore({
    dataFolder,
    workers,
    log,
    isBrief: !deps.isServing,
    withoutThreads: deps.withoutThreads,
    ...(deps.maxDatabaseBytes === undefined
      ? {}
      : { options: { maxBytes: deps.maxDatabaseBytes } }),
    lenientEnvironments: () =>
      (environments?.all() ?? []).filter(({ ack }) => ack === '2xx').map(({ name }) => name),
    onDescribed: (rows) => {
      feed.updated(rows)
      deps.onDescribed(Math.max(...rows.map(({ seq }) => seq)))
    },
    onStatus: (status) => hub.emit('store.changed', status),
  })
  const statusFeed = createStatusFeed(hub, () => store.status())
  closers.push(store.close, feed.close, statusFeed.close, hub.on('delivery.stored', feed.added))

  const settings = await openSettings({
    store,
    log,
    onChanged: (changed) => hub.emit('settings.changed', changed),
    // Loaded on demand: a command that only reads the store opens no socket.
    checkPort: async (port) => {
      if (!deps.isOwnPort(port)) await (await import('../receiver/server.ts')).checkPortFree(port)
    },
  })
  const keeping = createKeeping({
    store,
    clock,
    log,
    limits: () => settings.current().retention,
    isServing: deps.isServing,
    onMarked: feed.updated,
    onDeleted: (change) => hub.emit('deliveries.deleted', change),
    onRestored: (change) => hub.emit('deliveries.restored', change),
  })
  closers.push(keeping.close, hub.on('settings.changed', keeping.limitsChanged))

  if (deps.isServing) await sealSecretsAgain(store, vault, log)
  const accounts = await openAccounts({
    store,
    vault,
    clock,
    ids,
    log,
    randomBytes: (count) => deps.randomBytes(count),
    sandboxUrl: () => deps.sandboxUrl(),
    tellSandbox: (hook) => deps.tellSandbox(hook),
    onEnvironmentsOpened: (opened) => {
      environments = opened
    },
    onEnvironmentsChanged: (all) => hub.emit('environments.changed', { environments: all }),
    onHookChanged: (hook) => hub.emit('hooks.changed', { hook }),
    onHookRemoved: (id) => hub.emit('hooks.removed', { id }),
  })
  if (deps.isServing) await eraseClearHeaders(store, log)
  const views = await openViews({
    store,
    ids,
    log,
    onChanged: (changed) => hub.emit('views.changed', { views: [...changed] }),
  })
  return {
    store,
    settings,
    keeping,
    ...accounts,
    views,
    ports: createPorts(store, settings),
    feed,
  }
}

/**
 * Emits the store's status after deliveries were added or removed, at most once per pause, because the size on disk changes with
 * them.
 */
function createStatusFeed(hub: EventHub, status: Store['status']): { close(): void } {
  const tell = async () => {
    hub.emit('store.changed', await status())
  }
  const changed = throttle(() => void tell(), { everyMs: STATUS_PAUSE_MS, first: 'later' })
  const stops = [
    hub.on('deliveries.changed', changed),
    hub.on('deliveries.deleted', changed),
    hub.on('deliveries.restored', changed),
  ]
  return {
    close() {
      for (const stop of stops) stop()
      changed.stop()
    },
  }
}

/** A free port that was picked once is tried again, so that registered URLs stay valid. */
export function createPorts(
  store: Pick<Store, 'read' | 'write'>,
  settings: Pick<SettingsService, 'current'>,
): Core['ports'] {
  const settingOf = (name: PortName) => `port.${name === 'receiverHttp' ? 'receiver-http' : name}`
  return {
    async choose(name, requested) {
      if (requested === undefined) return portIn(settings.current().ports, name)
      if (requested !== 0) return requested
      return Number((await store.read('setting', settingOf(name))) ?? 0)
    },
    async remember(name, port) {
      await store.write('writeSetting', { name: settingOf(name), value: String(port) })
    },
  }
}
