/** The repair of a damaged database, as the running instance does it. */
import type { StateCreator } from 'zustand/vanilla'
import { NO_REPAIR, type RepairState } from '../../../shared/model/repair.ts'
import { isQuiet, sentenceOf, type SliceContext } from '../../state/slice-context.ts'

export interface RepairSlice {
  readonly repair: RepairState
  /** Whether the repair screen was closed after the last repair. */
  readonly repairClosed: boolean
  setRepair(repair: RepairState): void
  readRepair(): Promise<void>
  startRepair(): Promise<void>
  cancelRepair(): Promise<void>
  closeRepair(): void
}

export function createRepairSlice({ client, notify }: SliceContext): StateCreator<RepairSlice> {
  const tell = (title: string) => (error: unknown) => {
    if (!isQuiet(error)) notify({ tone: 'bad', title, message: sentenceOf(error) })
  }
  return (set) => ({
    repair: NO_REPAIR,
    // A page that is loaded after a repair has nothing to say of it.
    repairClosed: true,
    setRepair(repair) {
      set(repair.phase === 'running' || repair.phase === 'damaged' ? { repair, repairClosed: false } : { repair })
    },
    async readRepair() {
      const repair = await client.call('repair.get', {})
      set(repair.phase === 'idle' || repair.phase === 'ended' ? { repair } : { repair, repairClosed: false })
    },
    async startRepair() {
      await client.call('repair.start', {}).catch(tell("Couldn't start the repair"))
    },
    async cancelRepair() {
      await client.call('repair.cancel', {}).catch(tell("Couldn't cancel the repair"))
    },
    closeRepair() {
      set({ repairClosed: true })
    },
  })
}
