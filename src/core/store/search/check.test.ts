import { copyFileSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  generateDeliveries,
  type GeneratedHook,
} from '../../../../test/support/generated-deliveries.ts'
import { databaseInFolder } from '../../../../test/support/in-folder.ts'
import type { TestDatabase } from '../../../../test/support/test-database.ts'
import { readQuery } from '../../../shared/query/parse.ts'
import { shownEventTypes } from '../../../shared/service/event-type.ts'
import { countDeliveries } from '../deliveries-repo.ts'
import { openForReading, type ReadableDb } from '../open.ts'
import { whereOf } from '../query-sql.ts'
import { find } from './finder.ts'
import { openSearch, searchFileOf } from './open-search.ts'
import { closeSearchTools, openSearchTools, searchJobs, type SearchTools } from './search-jobs.ts'

const COUNT = 310
const PROBES = [
  '',
  'coffee',
  'cof',
  '"the corner coffee"',
  'cafe',
  'london -coffee',
  'is:invalid',
  'event:transaction.*',
  'status:500..599',
  'coffee is:valid',
  'coffee OR is:invalid',
  'nosuchword',
  '-is:valid',
  'card.scheme:visa',
]

const hooks: readonly GeneratedHook[] = shownEventTypes.map((event) => ({
  id: `hook-${event}`,
  event,
  url: `https://127.0.0.1:4430/h/${event}`,
  secret: event,
  environment: 'sandbox-test',
  mode: 'test',
}))

/** Stored, described and indexed deliveries: created once, because that takes longer than each test on a copy of them. */
let filled: string
let database: TestDatabase
let main: ReadableDb
let tools: SearchTools
const searchFile = () => searchFileOf(database.folder)

function open(): void {
  main = openForReading(database.file)
  tools = openSearchTools(main, searchFile())
}

function shut(): void {
  closeSearchTools(tools)
  main.close()
}

/** Ends like a crash: the file is not marked as closed. */
function crash(): void {
  shut()
  const search = new Sqlite(searchFile())
  search.exec('UPDATE state SET dirty = 1')
  search.close()
}

function fill(): void {
  while (searchJobs.fill(tools, 1_000).behind);
}

/** The store's actions after an unclean stop. */
function mend(): { emptied: number; mended: number } {
  const suspects = searchJobs.suspects(tools, null)
  const outcomes = suspects.map((partition) => searchJobs.check(tools, partition))
  searchJobs.trust(tools, null)
  fill()
  return {
    emptied: outcomes.filter(({ emptied }) => emptied).length,
    mended: outcomes.reduce((sum, { mended }) => sum + mended, 0),
  }
}

/** Searches find the same as examining every delivery. */
function expectSearchesRight(): void {
  for (const text of PROBES) {
    const query = readQuery(text, { now: 0, hooks: [] })
    const { sql, values } = whereOf(query)
    const expected = main
      .prepare<unknown[], number>(`SELECT d.seq FROM deliveries d WHERE ${sql} ORDER BY d.seq DESC`)
      .pluck()
      .all(...values)
    expect(find(main, { query, budgetMs: 60_000 }).seqs, text).toEqual(expected)
  }
}

/** The same, and the index has every delivery. */
function expectRight(): void {
  expectSearchesRight()
  expect(tools.indexing.documents()).toBe(
    countDeliveries(main, readQuery('', { now: 0, hooks: [] })),
  )
}

beforeAll(() => {
  database = databaseInFolder()
  const deliveries = [...generateDeliveries(3, COUNT, hooks)]
  database.put(deliveries)
  const answer = database.db.prepare(
    'UPDATE deliveries SET answer_status = ?, schema = ? WHERE seq = ?',
  )
  deliveries.forEach(({ answer: { status }, schema }, index) =>
    answer.run(status, schema, index + 1),
  )
  database.db.exec(`UPDATE progress SET described_seq = ${COUNT}`)
  open()
  fill()
  shut()
  database.db.close()
  filled = database.folder
})

beforeEach(() => {
  database = databaseInFolder({ copyOf: filled })
  open()
})
afterEach(() => {
  if (main.open) shut()
})

test('indexed deliveries are found like without the index, and the probes find something', () => {
  expectRight()
  expect(
    find(main, { query: readQuery('coffee', { now: 0, hooks: [] }), budgetMs: 1_000 }).seqs.length,
  ).toBeGreaterThan(5)
})

test('closed cleanly it is trusted; after an unclean stop it is checked, and if correct it stays unchanged', () => {
  shut()
  open()
  expect(searchJobs.suspects(tools, null)).toEqual([])
  // Nothing was written since: even a crash leaves no doubt.
  crash()
  open()
  expect(searchJobs.suspects(tools, null)).toEqual([0])
  expect(mend()).toEqual({ emptied: 0, mended: 0 })
  expectRight()
  shut()
  open()
  expect(searchJobs.suspects(tools, null)).toEqual([])
})

test('closed before its check ended, it is checked again', () => {
  crash()
  open()
  expect(searchJobs.suspects(tools, null)).toEqual([0])
  shut()
  open()
  expect(searchJobs.suspects(tools, null)).toEqual([0])
})

/** Ways in which the index can differ from the stored data: by SQL on the closed file. */
const drifts: readonly (readonly [string, string])[] = [
  ['a delivery that is not known to be indexed', 'DELETE FROM documents WHERE seq = 17'],
  [
    'another delivery under the same seq',
    'UPDATE documents SET evidence = evidence + 1 WHERE seq = 17',
  ],
  ['other facts', 'UPDATE documents SET fact_set = (SELECT max(id) FROM fact_sets) WHERE seq = 17'],
  ['facts that are no set', 'UPDATE documents SET fact_set = 999 WHERE seq = 17'],
  [
    'a mark too high',
    `UPDATE partitions SET mark = ${COUNT}; DELETE FROM words_0 WHERE rowid > 300; DELETE FROM documents WHERE seq > 300`,
  ],
]

describe('detected and repaired automatically', () => {
  test.each(drifts)('%s', (_, sql) => {
    crash()
    const search = new Sqlite(searchFile())
    search.unsafeMode(true)
    search.exec(sql)
    search.close()
    open()
    const done = mend()
    expect(done.emptied + done.mended).toBeGreaterThan(0)
    expectRight()
  })

  test('deliveries that were deleted, changed or inserted in the meantime', () => {
    crash()
    database.db.exec(`
      DELETE FROM deliveries WHERE seq IN (3, 4, 399);
      UPDATE deliveries SET answer_status = 500, schema = 'issues' WHERE seq BETWEEN 20 AND 29;
      UPDATE deliveries SET id = 'restored', body_sha256 = 'other' WHERE seq = 40;
      UPDATE bodies SET bytes = CAST('{"text":"restored coffee"}' AS BLOB) WHERE seq = 40;
    `)
    open()
    expect(mend().mended).toBeGreaterThanOrEqual(13)
    expectRight()
  })

  test.each([
    [
      'is truncated',
      (file: string) => {
        truncateSync(file, 10_000)
      },
    ],
    [
      'is of another program',
      (file: string) => {
        copyFileSync(database.file, file)
      },
    ],
    [
      'is of another version',
      (file: string) => {
        const search = new Sqlite(file)
        search.pragma('user_version = 999')
        search.close()
      },
    ],
  ] as const)('a file that %s', (_, damage) => {
    shut()
    damage(searchFile())
    try {
      open()
      fill()
      expectRight()
    } catch (error) {
      expect((error as { code: string }).code).toMatch(/^SQLITE_(CORRUPT|NOTADB|IOERR)/)
      searchJobs.begin(tools, null)
      fill()
    }
    expectRight()
  })
})

test('deleted or changed deliveries are found correctly once reported', () => {
  database.db.exec(
    `DELETE FROM deliveries WHERE seq = 7; UPDATE deliveries SET verdict = 'unsigned' WHERE seq = 9`,
  )
  searchJobs.refresh(tools, [7, 9, 12_345])
  expectRight()
})

test("stored deliveries that aren't indexed yet are found too, whatever the query", () => {
  searchJobs.begin(tools, null)
  expectSearchesRight()
  searchJobs.fill(tools, 0)
  expectSearchesRight()
})

test("the deliveries' own file is never changed", () => {
  database.db.pragma('wal_checkpoint(TRUNCATE)')
  const before = readFileSync(join(database.folder, 'countersign.db'))
  crash()
  open()
  mend()
  searchJobs.begin(tools, null)
  fill()
  expect(readFileSync(join(database.folder, 'countersign.db')).equals(before)).toBe(true)
  expect(openSearch(searchFile()).close().open).toBe(false)
})
