/** Marks, deletion, limits and disk space for the rest of the core. */
import type { Retention, Storage } from '../../shared/model/retention.ts'
import type { MarksChange } from '../../shared/model/marks.ts'
import { Deletions } from './deletions.ts'
import { createRemoval, type RetentionDeps } from './removal.ts'
import { StorageLimits } from './storage-limits.ts'

interface Options extends RetentionDeps {
  limits(): Retention
  /** Whether deliveries are received; otherwise nothing is removed automatically. */
  readonly isServing: boolean
}

export type RetentionService = ReturnType<typeof createRetentionService>

export function createRetentionService(deps: Options) {
  const { store, hub } = deps
  const removal = createRemoval(deps, () => deletions.undoableFrom())
  const deletions: Deletions = new Deletions(deps, removal)
  const limits = new StorageLimits(deps, { deletions, removal, limits: deps.limits })
  if (deps.isServing) {
    removal.wake()
    limits.start()
  }

  return {
    /** Marks deliveries. Rejects with `NOT_FOUND`, before any change, if one is unknown. */
    async mark(ids: readonly string[], change: MarksChange): Promise<number> {
      const deliveries = await store.read('deliveriesToMark', { ids, identified: false })
      const seqs = deliveries.map(({ seq }) => seq)
      await store.write('setMarks', { seqs, change })
      hub.emit('deliveries.updated', seqs)
      return seqs.length
    },
    remove: deletions.remove,
    restore: deletions.restore,
    preview: limits.preview,
    async storage(): Promise<Storage> {
      const { database, log: logBytes, search } = await store.sizes()
      const { used, free } = await store.read('fileUse', null)
      const pinned = await store.read('pinned', null)
      return { database, log: logBytes, search, used, free, deliveries: store.total(), pinned }
    },
    limitsChanged: limits.changed,
    async close() {
      deletions.close()
      await limits.close()
      await removal.close()
    },
  }
}
