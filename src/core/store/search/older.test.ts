import { fc, test as property } from '@fast-check/vitest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseInFolder } from '../../../../test/support/in-folder.ts'
import type { TestDatabase } from '../../../../test/support/test-database.ts'
import { captureOf } from '../../../../test/support/test-store.ts'
import type { Query } from '../../../shared/query/query.ts'
import { prepareIngest } from '../ingest-repo.ts'
import { openForReading, type ReadableDb } from '../open.ts'
import { find, countOlder } from './finder.ts'
import { BLOCK_SEQS, searchFileOf } from './open-search.ts'
import { closeSearchTools, openSearchTools, searchJobs, type SearchTools } from './search-jobs.ts'
import { times } from '../../../../test/support/long-form.ts'

const COUNT = 60
/** Three or four per block, and more than one partition. */
const STEP = 300
const SEQS = Array.from({ length: COUNT }, (_, index) => 60_000 + index * STEP)
/** Mostly in order, some far out of it. */
const timeOf = (index: number) => 1_000 + (index % 7 === 0 ? (index * 37) % COUNT : index) * 10

let database: TestDatabase
let main: ReadableDb
let tools: SearchTools
beforeAll(() => {
  database = databaseInFolder()
  const rows = SEQS.map((seq, index) => ({
    ...captureOf('x', { id: `id-${seq}` }).row,
    seq,
    keptBytes: 0,
    receivedAt: timeOf(index),
  }))
  prepareIngest(database.db)({ rows, bodies: new ArrayBuffer(0) })
  // The last four are stored but not indexed.
  database.db.exec(`UPDATE progress SET described_seq = ${SEQS.at(-5)}`)
  main = openForReading(database.file)
  tools = openSearchTools(main, searchFileOf(database.folder))
  while (searchJobs.fill(tools, 1_000).behind);
  const pin = database.db.prepare('INSERT INTO marks (seq, pinned) VALUES (?, 1)')
  const hide = database.db.prepare('INSERT INTO deleted (seq, at) VALUES (?, 0)')
  for (const index of [0, 7, 20, 21, 58]) pin.run(SEQS[index])
  for (const index of [1, 7, 8, 40, 59]) hide.run(SEQS[index])
})
afterAll(() => {
  closeSearchTools(tools)
  main.close()
})

const olderThan = (value: number): Query => ({
  kind: 'all',
  of: [
    { kind: 'bounds', field: 'received', bounds: [{ operator: '<', value }] },
    { kind: 'not', of: { kind: 'flag', flag: 'is:pinned' } },
  ],
})

property.prop([fc.integer({ min: 900, max: 1_000 + COUNT * 10 })], { numRuns: times(60, 1_200) })(
  'what is counted by blocks and what is found among the rest is all that looking at each finds',
  (before) => {
    const { counted, unknown } = countOlder(main, before)
    const found = unknown.map(
      ({ from, to }) =>
        find(main, { query: olderThan(before), from, to, budgetMs: 60_000 }).seqs.length,
    )
    const all = find(main, { query: olderThan(before), budgetMs: 60_000 }).seqs.length
    expect(found.reduce((sum, count) => sum + count, counted)).toBe(all)
  },
)

test('only partly older blocks and unindexed deliveries are left to examine', () => {
  const { counted, unknown } = countOlder(main, timeOf(30))
  const looked = unknown.reduce((sum, { from, to }) => sum + from - to + 1, 0)
  expect(counted).toBeGreaterThan(10)
  expect(looked).toBeLessThanOrEqual(9 * BLOCK_SEQS + 5 * STEP)
  expect(countOlder(main, 0)).toEqual({
    counted: 0,
    unknown: [{ from: SEQS.at(-1), to: SEQS.at(-5)! + 1 }],
  })
})
