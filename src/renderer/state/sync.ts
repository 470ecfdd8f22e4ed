/**
 * Keeps the store in sync with the core: subscribes, loads a snapshot, then applies the events received meanwhile. A gap in the
 * events or a new connection triggers a reload; until then the old data stays on screen.
 */
import type { EventName, PayloadOf } from '../../shared/contract/contract.ts'
import type { Host } from '../host/host.ts'
import { isQuiet, sentenceOf, type Notice } from './slice-context.ts'
import type { AppState, AppStore } from './store.ts'

type Change<E extends EventName> = (state: AppState, payload: PayloadOf<E>) => void

/** The store update for each core event. */
const changes = {
  'deliveries.changed': (state, change) => {
    state.list.changed(change)
    state.timeline.changed()
    state.selection.refresh(change.updated)
    state.core.setDeliveryCount(change.total)
    state.detail.refresh(
      [...change.added, ...change.updated].flatMap((row) => [
        row.id,
        ...(row.attemptOf === null ? [] : [row.attemptOf]),
      ]),
    )
  },
  'deliveries.deleted': (state, change) => {
    state.marks.deleted(change)
    state.timeline.changed()
    state.core.setDeliveryCount(change.total)
  },
  'deliveries.restored': (state, { total }) => {
    state.core.setDeliveryCount(total)
    state.timeline.changed()
    void state.list.reload()
  },
  'hooks.changed': (state, { hook }) => state.core.putHook(hook),
  'hooks.removed': (state, { id }) => state.core.dropHook(id),
  'handlers.changed': (state, { handlers }) => state.core.setHandlers(handlers),
  'environments.changed': (state, { environments }) => state.environments.changed(environments),
  'views.changed': (state, { views }) => state.views.changed(views),
  'receiver.changed': (state, receiver) => state.core.setReceiver(receiver),
  'tunnels.changed': (state, tunnel) => state.tunnel.changed(tunnel),
  'forward.changed': (state, forward) => state.forward.changed(forward),
  'settings.changed': (state, settings) => {
    state.core.setSettings(settings)
    state.preferences.adopt(settings.window)
  },
  'check.changed': (state, { run }) => state.check.changed(run),
  'flows.changed': (state, { run }) => state.flows.changed(run),
  'store.changed': (state, status) => state.core.setStore(status),
  'replay.changed': (state, { job }) => state.replay.changed(job),
} satisfies { readonly [E in EventName]?: Change<E> }

/** Not part of the snapshot, so it is applied during loading too. */
const atOnce: ReadonlySet<EventName> = new Set(['replay.changed'])

/** Starts syncing `store`. Returns a function that stops it. */
export function startSync({
  host,
  store,
  notify,
}: {
  host: Host
  store: AppStore
  notify: (notice: Notice) => void
}): () => void {
  const { client } = host
  let queue: (() => void)[] | null = null
  let again = false

  /** Runs a change now, or after the snapshot that is loading. */
  const apply = (change: () => void) => {
    if (queue === null) change()
    else queue.push(change)
  }

  /** Before the first snapshot the screens show the problem themselves, because they have no data. */
  const complain = (message: string) => {
    if (store.getState().core.status === null) store.getState().core.setSnapshotProblem(message)
    else notify({ tone: 'bad', title: "Couldn't load data from Countersign", message })
  }

  const load = async () => {
    if (queue !== null) {
      again = true
      return
    }
    const waiting: (() => void)[] = []
    queue = waiting
    try {
      const [status, { hooks }, { handlers }, { environments }, settings, { views }] =
        await Promise.all([
          client.call('app.status', {}),
          client.call('hooks.list', {}),
          client.call('handlers.list', {}),
          client.call('environments.list', {}),
          client.call('settings.get', {}),
          client.call('views.list', {}),
          store.getState().list.reload(),
        ])
      // Deliveries may have been deleted unnoticed since they were counted for the timeline.
      if (store.getState().core.status !== null) store.getState().timeline.changed()
      store.getState().core.setSnapshot({ status, hooks, handlers, environments, settings })
      store.getState().preferences.adopt(settings.window)
      store.getState().views.changed(views)
      void store.getState().replay.loadJobs()
      void store.getState().tunnel.read()
      if (store.getState().forward.state !== null) void store.getState().forward.read()
    } catch (error) {
      if (!isQuiet(error)) complain(sentenceOf(error))
    }
    queue = null
    for (const change of waiting) change()
    if (again) {
      again = false
      await load()
    }
  }

  store.setState(({ core }) => ({ core: { ...core, readAgain: () => void load() } }))
  /** Subscribes to one event of the table. */
  const follow = <E extends EventName>(event: E, change: Change<E>) =>
    client.on(event, (payload) => {
      const run = () => change(store.getState(), payload)
      if (atOnce.has(event)) run()
      else apply(run)
    })
  const stops = [
    ...(Object.keys(changes) as (keyof typeof changes)[]).map((event) =>
      follow(event, changes[event] as Change<typeof event>),
    ),
    client.onGap(() => void load()),
    host.onConnection((connection) => {
      store.getState().core.setConnection(connection)
      if (connection.phase === 'open') void load()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
