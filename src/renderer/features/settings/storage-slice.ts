/** How much room everything takes, making it less, and the limits of what is kept. */
import type { StateCreator } from 'zustand/vanilla'
import type { OutputOf } from '../../../shared/contract/contract.ts'
import type { Compaction, Retention, Storage } from '../../../shared/model/keeping.ts'
import { isQuiet, sentenceOf, type SliceContext } from '../../state/slice-context.ts'
import { outcomeOf, type Outcome } from '../../ui/call-problem.ts'

export interface StorageSlice {
  /** Null until it was read. */
  readonly storage: Storage | null
  readonly storageProblem: string | null
  readonly compaction: Compaction | null
  readStorage(): Promise<void>
  compact(): Promise<void>
  cancelCompaction(): Promise<void>
  setCompaction(compaction: Compaction): void
  /** How many deliveries limits would remove now. */
  previewLimits(limits: Retention): Promise<Outcome<OutputOf<'retention.preview'>>>
  setLimits(limits: Retention): Promise<Outcome<unknown>>
}

export function createStorageSlice({ client, notify }: SliceContext): StateCreator<StorageSlice> {
  return (set, get) => ({
    storage: null,
    storageProblem: null,
    compaction: null,
    async readStorage() {
      try {
        set({ ...(await client.call('storage.get', {})), storageProblem: null })
      } catch (error) {
        if (!isQuiet(error)) set({ storageProblem: sentenceOf(error) })
      }
    },
    async compact() {
      try {
        await client.call('storage.compact', {})
      } catch (error) {
        if (!isQuiet(error)) notify({ tone: 'bad', title: 'The database was not made smaller', message: sentenceOf(error) })
      }
      await get().readStorage()
    },
    async cancelCompaction() {
      await outcomeOf(client.call('storage.cancelCompaction', {}))
    },
    setCompaction(compaction) {
      set({ compaction })
    },
    previewLimits: (limits) => outcomeOf(client.call('retention.preview', limits)),
    setLimits: (limits) => outcomeOf(client.call('settings.set', { retention: limits })),
  })
}
