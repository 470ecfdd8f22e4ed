/** What waits for a target and will not go. There may be very many: they are taken piece by piece, and what comes in goes in between. */
import { SENDS_AT_ONCE } from '../store/waiting-sends.ts'
import type { Store } from '../store/store.ts'

/** Drops all that waits for a target, for a reason that is shown; resolves with how many that were. */
export async function dropAllWaiting(store: Pick<Store, 'write'>, id: string, reason: string): Promise<number> {
  let total = 0
  for (;;) {
    const dropped = await store.write('forwardDrop', { id, reason, most: SENDS_AT_ONCE })
    total += dropped
    if (dropped < SENDS_AT_ONCE) return total
  }
}
