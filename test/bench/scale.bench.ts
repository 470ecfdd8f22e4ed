/**
 * Everything that is promised at a million deliveries: first pages, searches, counts, the start, what searching and filling cost an
 * acknowledgement, and the list in Chromium. The deliveries are generated once and kept in the folder for temporary files; each
 * run works on a copy. `PARTS=reading,start,search,fill,window` runs some of it.
 */
import { rm } from 'node:fs/promises'
import { buildIfStale } from '../../scripts/build.mjs'
import type { RunOptions, Table } from '../../scripts/lib/measurement.ts'
import { copyGeneratedFolder } from '../support/generated-folder.ts'
import { startTestCore } from '../support/test-core.ts'
import { fillIndex, measureWhileFilling, measureWhileSearching, type Target } from './scale/acknowledging.ts'
import { measureReading } from './scale/reading.ts'
import { measureStarting } from './scale/starting.ts'
import { measureWindow } from './scale/window.ts'

export const name = 'scale'

const SEED = 7
const COUNT = 1_000_000

/** A hook of the generated ones, whose secret is known. */
const target: Target = {
  url: 'https://127.0.0.1:4430/h/transaction-auth-test',
  secret: `secret of transaction.auth test ${SEED}`,
}

export async function run({ progress }: RunOptions): Promise<Table[]> {
  const parts = (process.env['PARTS'] ?? 'reading,start,search,window,fill').split(',')
  progress('a copy of a million deliveries')
  const folder = await copyGeneratedFolder({ seed: SEED, count: COUNT, progress })
  try {
    const tables: Table[] = []
    await fillIndex(folder)
    if (parts.includes('reading')) {
      const core = await startTestCore({ dataFolder: folder })
      tables.push(...(await measureReading(core.client, progress)))
      await core.stop()
    }
    if (parts.includes('start') || parts.includes('window')) await buildIfStale()
    if (parts.includes('start')) tables.push(await measureStarting(folder, progress))
    if (parts.includes('search')) tables.push(await measureWhileSearching(folder, target, progress))
    if (parts.includes('window')) tables.push(await measureWindow(folder, target, progress))
    if (parts.includes('fill')) tables.push(await measureWhileFilling(folder, target, progress))
    return tables
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
