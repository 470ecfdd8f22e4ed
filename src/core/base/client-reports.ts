import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { StoreStatus } from '../../shared/model/status.ts'
import { createMutex } from './async.ts'
import type { EventHub } from './event-hub.ts'
import { throttle } from './throttle.ts'

/** Rows in a report; a list reads others itself. */
const MOST_ROWS = 200

interface ReportDeps {
  readonly hub: EventHub
  read(seqs: readonly number[]): Promise<readonly DeliveryRow[]>
  total(): number
}

/** Reports changed deliveries, ten times per second at most; returns its end. */
export function reportDeliveries({ hub, read, total }: ReportDeps): () => void {
  const exclusive = createMutex()
  let added = new Set<number>()
  let updated = new Set<number>()
  let skipped = 0
  let isStopped = false

  async function report(): Promise<void> {
    const changes = { added, updated, skipped }
    added = new Set()
    updated = new Set()
    skipped = 0
    const rows = await read([...changes.added.union(changes.updated)]).catch(() => [])
    if (isStopped) return
    hub.emit('deliveries.changed', {
      added: rows.filter(({ seq }) => changes.added.has(seq)),
      skipped: changes.skipped + (rows.length === 0 ? changes.added.size : 0),
      updated: rows.filter(({ seq }) => changes.updated.has(seq)),
      total: total(),
    })
  }

  const changed = throttle(() => void exclusive(report), { first: 'next-turn' })

  const onAdded = (seq: number) => {
    added.add(seq)
    skipped += dropOldest(added)
    changed()
  }
  const onUpdated = (seqs: readonly number[]) => {
    for (const seq of seqs) updated.add(seq)
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

function dropOldest(seqs: Set<number>): number {
  const excess = Math.max(0, seqs.size - MOST_ROWS)
  for (const seq of seqs) {
    if (seqs.size <= MOST_ROWS) break
    seqs.delete(seq)
  }
  return excess
}

/** Minimum interval between reports of the size, in milliseconds. */
const STATUS_PAUSE_MS = 2_000

/** Reports the store's size after changes; returns its end. */
export function reportStorage(hub: EventHub, status: () => Promise<StoreStatus>): () => void {
  const report = async () => {
    hub.emit('store.changed', await status())
  }
  const changed = throttle(() => void report(), { everyMs: STATUS_PAUSE_MS, first: 'later' })
  hub.on('deliveries.changed', changed)
  hub.on('deliveries.deleted', changed)
  hub.on('deliveries.restored', changed)
  return changed.stop
}
