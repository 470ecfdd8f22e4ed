/**
 * Measures how searches over a million deliveries slow down acknowledgements: open loop,
 * alternating with and without searches.
 */
import type { RunOptions, Table } from '../../scripts/lib/measurement.ts'
import { measureWhileSearching } from './scale/acknowledging.ts'
import { onMillion, target } from './scale/million.ts'

export const name = 'ack-search'

export async function run({ progress }: RunOptions): Promise<Table[]> {
  return onMillion(progress, async (folder) => [
    await measureWhileSearching(folder, target, progress),
  ])
}
