/** Events of the core: the cache changes that each makes, and the commands to read again. */
import { QueryObserver } from '@tanstack/react-query'
import type { CommandName, EventName, PayloadOf } from '../../shared/contract/contract.ts'
import type { Client } from '../../shared/rpc/client.ts'
import type { Data } from './data.ts'

interface Effect<E extends EventName> {
  readonly change?: (data: Data, payload: PayloadOf<E>) => void
  readonly reads?: readonly CommandName[]
}

/** Replaces an item of a newest-first list, or adds a new one at the top. */
export function withItem<Item extends { readonly id: string }>(
  list: readonly Item[] | null,
  item: Item,
): Item[] {
  const items = list ?? []
  return items.some(({ id }) => id === item.id)
    ? items.map((one) => (one.id === item.id ? item : one))
    : [item, ...items]
}

/** Input of the cached list of flow runs. */
export const ALL_FLOW_RUNS = { limit: 500 } as const

const deliveriesEffect = {
  change: (data: Data, { total }: { readonly total: number }) =>
    data.patch('app.status', {}, (status) => ({
      ...status,
      store: { ...status.store, deliveries: total },
    })),
  reads: [
    'deliveries.page',
    'deliveries.counts',
    'deliveries.attempts',
    'timeline.start',
    'timeline.read',
    'statistics.read',
    'lifecycle.get',
    'lifecycle.attempts',
    'compare.offers',
    'replay.ofDelivery',
  ],
} as const

const READS_OF_ONE_DELIVERY = [
  'deliveries.get',
  'deliveries.signature',
  'deliveries.schema',
] as const

const deletionEffect = {
  ...deliveriesEffect,
  reads: ['deliveries.get', ...deliveriesEffect.reads],
} as const

/** Effect of every event of the contract; null if the window doesn't use it. */
export const effects: { readonly [E in EventName]: Effect<E> | null } = {
  'deliveries.changed': {
    ...deliveriesEffect,
    change(data, { total, updated }) {
      deliveriesEffect.change(data, { total })
      for (const { id } of updated)
        for (const command of READS_OF_ONE_DELIVERY) data.invalidate(command, { id })
    },
  },
  'deliveries.deleted': deletionEffect,
  'deliveries.restored': deletionEffect,
  'hooks.changed': {
    change: (data, { hook }) =>
      data.patch('hooks.list', {}, ({ hooks }) => ({ hooks: withItem(hooks, hook) })),
    reads: ['sandbox.preview'],
  },
  'hooks.removed': {
    change: (data, { id: gone }) =>
      data.patch('hooks.list', {}, ({ hooks }) => ({
        hooks: hooks.filter(({ id }) => id !== gone),
      })),
    reads: ['sandbox.preview'],
  },
  'handlers.changed': {
    change: (data, all) => data.patch('handlers.list', {}, () => all),
    reads: ['handlers.page', 'handlers.causes'],
  },
  'environments.changed': { change: (data, all) => data.patch('environments.list', {}, () => all) },
  'views.changed': { change: (data, all) => data.patch('views.list', {}, () => all) },
  'receiver.changed': {
    change: (data, receiver) => data.patch('app.status', {}, (status) => ({ ...status, receiver })),
  },
  'store.changed': {
    change: (data, store) => data.patch('app.status', {}, (status) => ({ ...status, store })),
    reads: ['storage.get'],
  },
  'tunnels.changed': { change: (data, tunnel) => data.patch('tunnels.status', {}, () => tunnel) },
  'consent.changed': { change: (data, all) => data.patch('consent.list', {}, () => all) },
  'settings.changed': {
    change: (data, all) => data.patch('settings.get', {}, () => all),
    // Applying a setup reports settings last.
    reads: ['flows.list', 'setup.plan'],
  },
  'forward.changed': {
    change: (data, state) => data.patch('forward.list', {}, () => state),
    reads: ['forward.sends'],
  },
  'forward.sent': { reads: ['forward.sends', 'replay.ofDelivery'] },
  'check.changed': {
    change: (data, { run }) =>
      data.patch('check.list', {}, ({ runs }) => ({ runs: withItem(runs, run) })),
    reads: ['check.get'],
  },
  'sandbox.changed': {
    change: (data, { parts }) => {
      for (const part of parts) data.readAgain(`sandbox.${part}`)
      if (parts.includes('objects') || parts.includes('clock')) data.readAgain('sandbox.preview')
    },
  },
  'replay.changed': {
    change(data, { replay }) {
      data.patch('replay.list', REPLAYS, ({ replays }) => ({ replays: withItem(replays, replay) }))
      // While a replay runs, these are read now and then.
      if (replay.state === 'running') return
      data.readAgain('replay.statistics')
      data.readAgain('handlers.causes')
    },
    reads: ['handlers.page', 'deliveries.counts', 'replay.ofDelivery', 'replay.sends'],
  },
  'flows.changed': {
    change(data, { run }) {
      data.patch('flows.run', { runId: run.id }, () => ({ run }))
      data.patch('flows.runs', ALL_FLOW_RUNS, ({ runs }) => ({ runs: withItem(runs, run) }))
    },
  },
  // Only the command line searches for the smallest failing body.
  'shrink.changed': null,
}

/** Commands read on each connection and kept current, because most screens need them. */
export const ALWAYS_READ = [
  'app.status',
  'hooks.list',
  'handlers.list',
  'environments.list',
  'settings.get',
  'views.list',
  'tunnels.status',
] as const satisfies readonly CommandName[]

/** Input of the cached list of replays. */
export const REPLAYS = { limit: 200 } as const

/**
 * Applies the core's events to the cache.
 *
 * @returns `open`: call it per connection; it reads everything again.
 */
export function followCore(client: Client, data: Data) {
  const apply = <E extends EventName>(event: E, payload: PayloadOf<E>) => {
    const effect = effects[event]
    effect?.change?.(data, payload)
    for (const command of effect?.reads ?? []) data.readAgain(command)
  }
  const stops = [
    ...(Object.keys(effects) as EventName[]).map((event) =>
      client.on(event, (payload) => apply(event, payload)),
    ),
    client.onGap(data.readAllAgain),
  ]
  let isRead = false
  return {
    open() {
      data.readAllAgain()
      if (isRead) return
      isRead = true
      for (const queryKey of [
        ...ALWAYS_READ.map((command) => [command, {}]),
        ['replay.list', REPLAYS],
      ])
        stops.push(new QueryObserver(data.queries, { queryKey }).subscribe(() => undefined))
    },
    stop() {
      for (const stop of stops) stop()
    },
  }
}
