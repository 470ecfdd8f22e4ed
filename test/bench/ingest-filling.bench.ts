/**
 * Measures how filling the whole index slows down deliveries, compared with mockttp, which only
 * records in memory.
 */
import type { RunOptions, Table } from '../../scripts/lib/measurement.ts'
import { measureWhileFilling } from './scale/acknowledging.ts'
import { onMillion, target } from './scale/million.ts'

export const name = 'ingest-filling'

export async function run({ progress }: RunOptions): Promise<Table[]> {
  return onMillion(progress, async (folder) => [
    await measureWhileFilling(folder, target, progress),
  ])
}
