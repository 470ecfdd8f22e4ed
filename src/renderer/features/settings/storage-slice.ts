/** How much room everything takes, making it less, and the limits of what is kept. */
import type { OutputOf } from '../../../shared/contract/contract.ts'
import type { Compaction, Retention, Storage } from '../../../shared/model/keeping.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { outcomeOf, type Outcome } from '../../ui/call-problem.ts'

export interface StorageSlice {
  /** Null until it was read. */
  readonly state: Storage | null
  readonly problem: string | null
  readonly compaction: Compaction | null
  read(): Promise<void>
  compact(): Promise<void>
  cancelCompaction(): Promise<void>
  setCompaction(compaction: Compaction): void
  /** How many deliveries limits would remove now. */
  previewLimits(limits: Retention): Promise<Outcome<OutputOf<'retention.preview'>>>
  setLimits(limits: Retention): Promise<Outcome<unknown>>
}

export function createStorageSlice({ client, resource, act, set, get }: FeatureTools<StorageSlice>): StorageSlice {
  return {
    state: null,
    problem: null,
    compaction: null,
    read: resource(async () => {
      const { storage, compaction } = await client.call('storage.get', {})
      return { state: storage, compaction }
    }, 'problem'),
    async compact() {
      await act('The database was not made smaller', () => client.call('storage.compact', {}))
      await get().read()
    },
    async cancelCompaction() {
      await outcomeOf(client.call('storage.cancelCompaction', {}))
    },
    setCompaction(compaction) {
      set({ compaction })
    },
    previewLimits: (limits) => outcomeOf(client.call('retention.preview', limits)),
    setLimits: (limits) => outcomeOf(client.call('settings.set', { retention: limits })),
  }
}
