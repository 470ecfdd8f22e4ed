/** Sandbox state, kept up to date while its screen is open, and the selection in it. */
import type { PayloadOf } from '../../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type {
  PendingClearing,
  SandboxClockState,
  SandboxObject,
  SandboxObjectKind,
  Notification,
} from '../../../shared/model/sandbox.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { createReloader } from '../../state/reloader.ts'
import { outcomeOf } from '../../ui/call-problem.ts'

export const sandboxViews = ['trigger', 'objects', 'log'] as const
export type SandboxView = (typeof sandboxViews)[number]
export type SandboxEnvironment = 'sandbox-test' | 'sandbox-live'

/** The sandbox clock's state at a real time, in milliseconds. */
export interface ClockReading {
  readonly state: SandboxClockState
  readonly readAt: number
}

export interface SandboxSlice {
  readonly view: SandboxView
  readonly environment: SandboxEnvironment
  readonly objectKind: SandboxObjectKind
  readonly objectId: string | null
  readonly objectFilter: string
  readonly notificationId: string | null
  readonly waitingShown: boolean
  /** Both environments, oldest first; null until loaded. */
  readonly objects: readonly SandboxObject[] | null
  /** Both environments, newest first; null until loaded. */
  readonly notifications: readonly Notification[] | null
  /** Soonest first. */
  readonly clearings: readonly PendingClearing[]
  readonly clockReading: ClockReading | null
  /** Received deliveries of attempts by ID; null if deleted. */
  readonly attemptRows: Readonly<Record<string, DeliveryRow | null>>
  readonly problem: string | null
  show(view: SandboxView): void
  setEnvironment(environment: SandboxEnvironment): void
  setObjectKind(kind: SandboxObjectKind): void
  setObjectFilter(filter: string): void
  /** Selects an object in the list of its kind. */
  showObject(object: Pick<SandboxObject, 'kind' | 'id'>): void
  selectNotification(id: string): void
  /** Loads the delivery of an attempt. */
  readAttemptRow(id: string): Promise<void>
  setWaitingShown(shown: boolean): void
  /** Applies a call's result before its event arrives. */
  readClock(state: SandboxClockState): void
  /** Loads everything and keeps it up to date. Returns a function that stops it. */
  watch(): () => void
  reload(): void
}

type Part = PayloadOf<'sandbox.changed'>['parts'][number]

const everything: readonly Part[] = ['objects', 'notifications', 'clearings', 'clock']

/** Pause between two reads, in milliseconds: a fast clock sends hundreds of deliveries. */
const READING_PAUSE_MS = 250
/** The sandbox keeps this many finished notifications. */
const NOTIFICATIONS_READ = 500

export function createSandboxSlice({
  client,
  resource,
  set,
  get,
}: FeatureTools<SandboxSlice>): SandboxSlice {
  let ask: (parts: readonly Part[]) => void = () => undefined

  const readers: Readonly<Record<Part, (signal: AbortSignal) => Promise<Partial<SandboxSlice>>>> = {
    objects: async (signal) => ({
      objects: (await client.call('sandbox.objects', {}, { signal })).objects,
    }),
    notifications: async (signal) =>
      client.call('sandbox.notifications', { limit: NOTIFICATIONS_READ }, { signal }),
    clearings: async (signal) => client.call('sandbox.clearings', {}, { signal }),
    clock: async (signal) => ({
      clockReading: {
        state: await client.call('sandbox.clock', {}, { signal }),
        readAt: Date.now(),
      },
    }),
  }

  return {
    view: 'trigger',
    environment: 'sandbox-test',
    objectKind: 'transaction',
    objectId: null,
    objectFilter: '',
    notificationId: null,
    waitingShown: false,
    objects: null,
    notifications: null,
    clearings: [],
    clockReading: null,
    attemptRows: {},
    problem: null,

    show(view) {
      set({ view })
    },
    setEnvironment(environment) {
      set({ environment, objectId: null, notificationId: null })
    },
    setObjectKind(kind) {
      set({ objectKind: kind, objectId: null })
    },
    setObjectFilter(filter) {
      set({ objectFilter: filter })
    },
    showObject({ kind, id }) {
      const { objectKind, objectFilter } = get()
      set({
        view: 'objects',
        objectKind: kind,
        objectId: id,
        objectFilter: kind === objectKind ? objectFilter : '',
      })
    },
    selectNotification(id) {
      set({ notificationId: id })
    },
    async readAttemptRow(id) {
      const outcome = await outcomeOf(client.call('deliveries.get', { id }))
      // Other errors are temporary. The next view loads it again.
      if (!outcome.ok && outcome.problem.code !== 'NOT_FOUND') return
      set(({ attemptRows }) => ({
        attemptRows: { ...attemptRows, [id]: outcome.ok ? outcome.value : null },
      }))
    },
    setWaitingShown(shown) {
      set({ waitingShown: shown })
    },
    readClock(state) {
      set({ clockReading: { state, readAt: Date.now() } })
    },
    reload() {
      ask(everything)
    },
    watch() {
      const ending = new AbortController()
      const wanted = new Set<Part>()
      const read = resource(async () => {
        const parts = [...wanted]
        wanted.clear()
        const pieces = await Promise.all(parts.map((part) => readers[part](ending.signal)))
        return pieces.reduce((known, piece) => ({ ...known, ...piece }), {})
      }, 'problem')
      const again = createReloader(read, READING_PAUSE_MS, ending.signal)
      ask = (parts) => {
        for (const part of parts) wanted.add(part)
        again()
      }
      const all = () => ask(everything)
      const stops = [
        client.on('sandbox.changed', ({ parts }) => ask(parts)),
        ...(['deliveries.deleted', 'deliveries.restored'] as const).map((event) =>
          client.on(event, () => set({ attemptRows: {} })),
        ),
        client.onGap(all),
      ]
      all()
      return () => {
        ending.abort()
        ask = () => undefined
        for (const stop of stops) stop()
      }
    },
  }
}
