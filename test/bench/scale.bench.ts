/**
 * The app's speed with a million deliveries: first pages, searches, counts, the start, and the list
 * in Chromium. `PARTS=reading,counting,start,window,detail` selects parts.
 */
import { buildIfStale } from '../../scripts/build.mjs'
import type { RunOptions, Table } from '../../scripts/lib/measurement.ts'
import { startTestCore } from '../support/test-core.ts'
import { onMillion, target } from './scale/million.ts'
import { measureCounting, measureReading } from './scale/reading.ts'
import { measureStarting } from './scale/starting.ts'
import { measureDetail, measureWindow } from './scale/window.ts'

export const name = 'scale'

export async function run({ progress }: RunOptions): Promise<Table[]> {
  const parts = (process.env['PARTS'] ?? 'reading,counting,start,window,detail').split(',')
  return onMillion(progress, async (folder) => {
    const tables: Table[] = []
    if (parts.includes('reading')) {
      const core = await startTestCore({ dataFolder: folder })
      tables.push(...(await measureReading(core.client, progress)))
      await core.stop()
    }
    if (parts.some((part) => part !== 'reading')) await buildIfStale()
    if (parts.includes('counting')) {
      const core = await startTestCore({ dataFolder: folder })
      tables.push(await measureCounting(core.client, progress))
      await core.stop()
    }
    if (parts.includes('start')) tables.push(await measureStarting(folder, progress))
    if (parts.includes('window')) tables.push(await measureWindow(folder, target, progress))
    if (parts.includes('detail')) tables.push(await measureDetail(folder, progress))
    return tables
  })
}
