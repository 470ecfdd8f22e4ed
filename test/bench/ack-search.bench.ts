/** What searches over a million deliveries cost whoever waits for an acknowledgement: open loop, with and without them in turns. */
import type { RunOptions, Table } from '../../scripts/lib/measurement.ts'
import { measureWhileSearching } from './scale/acknowledging.ts'
import { onMillion, target } from './scale/million.ts'

export const name = 'ack-search'

export async function run({ progress }: RunOptions): Promise<Table[]> {
  return onMillion(progress, async (folder) => [await measureWhileSearching(folder, target, progress)])
}
