/** The repair of a damaged database by the running core. */
import { NO_REPAIR, type RepairState } from '../../../shared/model/repair.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'

export interface RepairSlice {
  readonly state: RepairState
  /** Whether the repair screen was closed after the last repair. */
  readonly closed: boolean
  changed(repair: RepairState): void
  read(): Promise<void>
  start(): Promise<void>
  cancel(): Promise<void>
  close(): void
}

export function createRepairSlice({ client, act, set }: FeatureTools<RepairSlice>): RepairSlice {
  return {
    state: NO_REPAIR,
    // A page loaded after a repair has nothing to report about it.
    closed: true,
    changed(repair) {
      set(
        repair.phase === 'running' || repair.phase === 'damaged'
          ? { state: repair, closed: false }
          : { state: repair },
      )
    },
    async read() {
      const repair = await client.call('repair.get', {})
      set(
        repair.phase === 'idle' || repair.phase === 'ended'
          ? { state: repair }
          : { state: repair, closed: false },
      )
    },
    async start() {
      await act("Couldn't start the repair", () => client.call('repair.start', {}))
    },
    async cancel() {
      await act("Couldn't cancel the repair", () => client.call('repair.cancel', {}))
    },
    close() {
      set({ closed: true })
    },
  }
}
