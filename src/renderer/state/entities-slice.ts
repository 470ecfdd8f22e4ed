/** Shared state from the core: status, hooks, saved handlers and environments. */
import type { Environment } from '../../shared/model/environment.ts'
import type { SavedHandler } from '../../shared/model/handler.ts'
import type { Hook } from '../../shared/model/hook.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../shared/model/settings.ts'
import type { AppStatus, ReceiverStatus, StoreStatus } from '../../shared/model/status.ts'
import type { ConnectionState } from '../host/host.ts'
import { withItem, type FeatureTools } from './feature-tools.ts'

export interface EntitiesSlice {
  readonly connection: ConnectionState
  /** Null until the first snapshot is loaded. */
  readonly status: AppStatus | null
  readonly hooks: readonly Hook[]
  /** In order of creation. */
  readonly handlers: readonly SavedHandler[]
  readonly environments: readonly Environment[]
  readonly settings: Settings
  /** Times in which the computer slept, newest first. */
  /** Why the first snapshot couldn't be loaded. */
  readonly snapshotProblem: string | null
  /** Loads the snapshot again. */
  readAgain(): void
  setConnection(connection: ConnectionState): void
  setSnapshotProblem(problem: string): void
  setSnapshot(
    snapshot: Pick<EntitiesSlice, 'hooks' | 'handlers' | 'environments' | 'settings'> & {
      status: AppStatus
    },
  ): void
  setSettings(settings: Settings): void
  setHandlers(handlers: readonly SavedHandler[]): void
  setEnvironments(environments: readonly Environment[]): void
  setReceiver(receiver: ReceiverStatus): void
  setStore(store: StoreStatus): void
  setDeliveryCount(count: number): void
  putHook(hook: Hook): void
  dropHook(id: string): void
}

export function createEntitiesSlice({ set }: FeatureTools<EntitiesSlice>): EntitiesSlice {
  return {
    connection: { phase: 'connecting' },
    status: null,
    hooks: [],
    handlers: [],
    environments: [],
    settings: DEFAULT_SETTINGS,
    snapshotProblem: null,
    // Replaced by `sync.ts` when it starts.
    readAgain: () => undefined,
    setSnapshotProblem: (snapshotProblem) => set({ snapshotProblem }),
    setConnection: (connection) => set({ connection }),
    setSnapshot: (snapshot) => set({ ...snapshot, snapshotProblem: null }),
    setSettings: (settings) => set({ settings }),
    setHandlers: (handlers) => set({ handlers }),
    setEnvironments: (environments) => set({ environments }),
    setReceiver: (receiver) =>
      set(({ status }) => (status === null ? {} : { status: { ...status, receiver } })),
    setStore: (store) =>
      set(({ status }) => (status === null ? {} : { status: { ...status, store } })),
    setDeliveryCount: (deliveries) =>
      set(({ status }) =>
        status === null ? {} : { status: { ...status, store: { ...status.store, deliveries } } },
      ),
    putHook: (hook) => set(({ hooks }) => ({ hooks: withItem(hooks, hook) })),
    dropHook: (gone) => set(({ hooks }) => ({ hooks: hooks.filter(({ id }) => id !== gone) })),
  }
}
