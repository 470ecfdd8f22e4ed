/** Reports about stored deliveries, for every client: new and changed rows, and the store's size. */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { StoreStatus } from '../../shared/model/status.ts'
import { createMutex, throttle } from './async.ts'
import type { EventHub } from './event-hub.ts'

/** Rows in a report at most; a list reads the others itself. */
const MOST_ROWS = 200

interface ReportDeps {
  readonly hub: EventHub
  /** Reads rows by seq, newest first. */
  read(seqs: readonly number[]): Promise<readonly DeliveryRow[]>
  /** Counts the stored deliveries. */
  total(): number
}

/**
 * Reports new and changed deliveries to user interfaces, at most ten times per second however many
 * arrive. The first change after a quiet moment is reported immediately. Returns the function that
 * ends it.
 */
export function reportDeliveries({ hub, read, total }: ReportDeps): () => void {
  const exclusive = createMutex()
  let added = new Set<number>()
  let updated = new Set<number>()
  let skipped = 0
  let isStopped = false

  async function tell(): Promise<void> {
    const changes = { added, updated, skipped }
    added = new Set()
    updated = new Set()
    skipped = 0
    // Rows that can't be read are left to the list, which says why.
    const rows = await read([...changes.added.union(changes.updated)]).catch(() => [])
    if (isStopped) return
    hub.emit('deliveries.changed', {
      added: rows.filter(({ seq }) => changes.added.has(seq)),
      skipped: changes.skipped + (rows.length === 0 ? changes.added.size : 0),
      updated: rows.filter(({ seq }) => changes.updated.has(seq)),
      total: total(),
    })
  }

  const changed = throttle(() => void exclusive(tell), { first: 'next-turn' })

  const onAdded = (seq: number) => {
    added.add(seq)
    // The newest are kept, because a list shows them first.
    skipped += dropOldest(added)
    changed()
  }
  const onUpdated = (seqs: readonly number[]) => {
    for (const seq of seqs) updated.add(seq)
    // A list reloads the rest of its visible rows.
    dropOldest(updated)
    if (updated.size > 0) changed()
  }
  hub.on('delivery.stored', ({ seq }) => {
    onAdded(seq)
  })
  hub.on('delivery.imported', onAdded)
  hub.on('deliveries.described', onUpdated)
  hub.on('deliveries.updated', onUpdated)
  return () => {
    isStopped = true
    changed.stop()
  }
}

/** Drops the seqs that were added first, beyond `MOST_ROWS`. Returns how many. */
function dropOldest(seqs: Set<number>): number {
  const excess = Math.max(0, seqs.size - MOST_ROWS)
  for (const seq of seqs) {
    if (seqs.size <= MOST_ROWS) break
    seqs.delete(seq)
  }
  return excess
}

/** Delay from a storage change to the event with the new size, in milliseconds. */
const STATUS_PAUSE_MS = 2_000

/**
 * Reports the store's status after deliveries were added or removed, at most once per pause: the
 * size on disk changes with them. Returns the function that ends it.
 */
export function reportStorage(hub: EventHub, status: () => Promise<StoreStatus>): () => void {
  const tell = async () => {
    hub.emit('store.changed', await status())
  }
  const changed = throttle(() => void tell(), { everyMs: STATUS_PAUSE_MS, first: 'later' })
  hub.on('deliveries.changed', changed)
  hub.on('deliveries.deleted', changed)
  hub.on('deliveries.restored', changed)
  return changed.stop
}
