/** Marks, deletion, limits and disk space in one place for the rest of the core. */
import type { PayloadOf } from '../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Retention, Storage, MarksChange } from '../../shared/model/keeping.ts'
import type { Clock, Log } from '../base/deps.ts'
import type { Store } from '../store/store.ts'
import { createDeletions } from './deletions.ts'
import { createRemoval } from './removal.ts'
import { createRetention } from './retention.ts'

export interface KeepingDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  limits(): Retention
  /** Whether deliveries are received. Otherwise nothing is removed automatically. */
  readonly isServing: boolean
  onMarked(rows: readonly DeliveryRow[]): void
  onDeleted(change: PayloadOf<'deliveries.deleted'>): void
  onRestored(change: PayloadOf<'deliveries.restored'>): void
}

export type Keeping = ReturnType<typeof createKeeping>

/** Lists reload if there are more rows than this; see `createChangeFeed`. */
const MARKED_AT_ONCE = 200

export function createKeeping(deps: KeepingDeps) {
  const { store, clock, log } = deps
  const removal = createRemoval({ store, log, undoableFrom: () => deletions.undoableFrom() })
  const deletions = createDeletions({
    store,
    clock,
    removal,
    onDeleted: (seqs, more) => deps.onDeleted({ seqs: [...seqs], more, total: store.total() }),
    onRestored: () => deps.onRestored({ total: store.total() }),
  })
  const retention = createRetention({
    store,
    clock,
    log,
    deletions,
    removal,
    limits: () => deps.limits(),
    onRemoved: () => deps.onDeleted({ seqs: [], more: true, total: store.total() }),
  })
  if (deps.isServing) {
    removal.wake()
    retention.start()
  }

  return {
    /** Marks deliveries and returns how many. Rejects with `NOT_FOUND` if one is unknown; nothing changes then. */
    async mark(ids: readonly string[], change: MarksChange): Promise<number> {
      const found = await store.read('marked', { ids, identified: false })
      const seqs = found.map(({ seq }) => seq)
      await store.write('setMarks', { seqs, change })
      for (let from = 0; from < seqs.length; from += MARKED_AT_ONCE)
        deps.onMarked(await store.read('rowsBySeq', seqs.slice(from, from + MARKED_AT_ONCE)))
      return seqs.length
    },
    remove: deletions.remove,
    restore: deletions.restore,
    preview: retention.preview,
    /** How much disk space everything takes. */
    async storage(): Promise<Storage> {
      const { database, log: logBytes, search } = await store.sizes()
      const { used, free } = await store.read('fileUse', null)
      const pinned = await store.read('pinned', null)
      return { database, log: logBytes, search, used, free, deliveries: store.total(), pinned }
    },
    limitsChanged: retention.changed,
    async close() {
      deletions.close()
      await retention.close()
      await removal.close()
    },
  }
}
