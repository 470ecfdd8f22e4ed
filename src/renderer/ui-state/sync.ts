/**
 * Keeps the list of deliveries in step with the core: events apply at once, but wait in a queue
 * while the list loads. A gap or a new connection reloads the list.
 */
import type { EventName, PayloadOf } from '../../shared/contract/contract.ts'
import { followCore } from '../core-data/events.ts'
import type { Host } from '../host/host.ts'
import type { AppState, AppStore } from './store.ts'
import { discardDrafts } from './tab-drafts.ts'

type Change<E extends EventName> = (state: AppState, payload: PayloadOf<E>) => void

/** Store updates for the events that `core-data/events.ts` doesn't apply. */
const changes = {
  'deliveries.changed': (state, change) => {
    state.list.changed(change)
    state.selection.refresh(change.updated)
  },
  'deliveries.deleted': (state, change) => state.marks.deleted(change),
  'deliveries.restored': (state) => void state.list.reload(),
} satisfies { readonly [E in EventName]?: Change<E> }

/** Connects cache and slices to the core; returns a function that disconnects them. */
export function startSync({
  host: { client, onConnection },
  store,
}: {
  readonly host: Pick<Host, 'client' | 'onConnection'>
  readonly store: AppStore
}): () => void {
  const core = followCore(client, store.getState().data)
  let queue: (() => void)[] | null = null
  let again = false
  const load = async () => {
    if (queue !== null) {
      again = true
      return
    }
    const waiting: (() => void)[] = []
    queue = waiting
    await store.getState().list.reload()
    queue = null
    for (const change of waiting) change()
    if (again) {
      again = false
      await load()
    }
  }
  const follow = <E extends keyof typeof changes>(event: E, change: Change<E>) =>
    client.on(event, (payload) => {
      const apply = () => change(store.getState(), payload)
      // Only the list is loading; other changes needn't wait.
      if (queue === null || !event.startsWith('deliveries.')) apply()
      else queue.push(apply)
    })
  const stops = [
    core.stop,
    ...(Object.keys(changes) as (keyof typeof changes)[]).map((event) =>
      follow(event, changes[event] as Change<typeof event>),
    ),
    client.onGap(() => void load()),
    onConnection((connection) => {
      store.getState().core.setConnection(connection)
      if (connection.phase === 'over') discardDrafts()
      if (connection.phase !== 'open') return
      core.open()
      void load()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
