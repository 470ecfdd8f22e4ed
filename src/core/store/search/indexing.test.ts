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
import { openForReading } from '../open.ts'
import { whereOf } from '../query-sql.ts'
import type { ReadableDb } from '../database.ts'
import { findMatches } from './finder.ts'
import { openSearch, searchFileOf } from './open-search.ts'
import { closeSearchTools, openSearchTools, searchJobs, type SearchTools } from './search-jobs.ts'
import { EVERY_DELIVERY_WORD } from './index-facts.ts'
import { dropIndexChanges, noteIndexChanges } from './index-changes.ts'

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

/** Stored, described and indexed deliveries, created once and copied for each test. */
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

function fill(): void {
  while (searchJobs.fill(tools, 1_000).behind);
}

/** Expects that searches find what examining every delivery finds. */
function expectSearchesRight(): void {
  for (const text of PROBES) {
    const query = readQuery(text, { now: 0, hooks: [] })
    const { sql, values } = whereOf(query)
    const expected = main
      .prepare<unknown[], number>(`SELECT d.seq FROM deliveries d WHERE ${sql} ORDER BY d.seq DESC`)
      .pluck()
      .all(...values)
    expect(findMatches(main, { query }).seqs, text).toEqual(expected)
    expect(expected.length > 0, text).toBe(text !== 'nosuchword')
  }
}

/** Expects equal matches, and an index with every delivery. */
function expectRight(): void {
  expectSearchesRight()
  expect(
    tools.search
      .prepare<[string], number>('SELECT count(*) FROM words WHERE words MATCH ?')
      .pluck()
      .get(`"${EVERY_DELIVERY_WORD}"`),
  ).toBe(database.list(readQuery('', { now: 0, hooks: [] })).length)
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

describe('removed and filled again is', () => {
  test.each([
    [
      'a file that is truncated',
      (file: string) => {
        truncateSync(file, 10_000)
      },
    ],
    [
      'a file of another program',
      (file: string) => {
        copyFileSync(database.file, file)
      },
    ],
    [
      'a file of another version',
      (file: string) => {
        const search = new Sqlite(file)
        search.pragma('user_version = 999')
        search.close()
      },
    ],
    [
      'an index of deliveries that an older copy replaced',
      () => {
        database.db.exec(
          `DELETE FROM deliveries WHERE seq > ${COUNT - 9}; UPDATE progress SET described_seq = ${COUNT - 9}`,
        )
      },
    ],
    [
      'an index of another database',
      () => {
        database.db.exec(`UPDATE deliveries SET id = 'other', event = NULL WHERE seq = ${COUNT}`)
      },
    ],
  ] as const)('%s', (_, damage) => {
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

test('deleted or changed deliveries are found correctly once the index has taken the changes', () => {
  database.db.exec(
    `DELETE FROM deliveries WHERE seq IN (7, ${COUNT}); UPDATE deliveries SET verdict = 'unsigned' WHERE seq = 9`,
  )
  noteIndexChanges(database.db, [7, 9, 9, COUNT, 12_345])
  const { taken } = searchJobs.fill(tools, 1_000)
  expect(taken).toEqual([1, 2, 3, 4, 5])
  dropIndexChanges(database.db, taken)
  expect(searchJobs.fill(tools, 1_000).taken).toEqual([])
  expectRight()
  // With its last delivery deleted, it is still the index of this database.
  shut()
  open()
  expectRight()
})

test('a change that repeats in the meantime is taken again, and a failed transaction loses none', () => {
  noteIndexChanges(database.db, [9])
  const { taken } = searchJobs.fill(tools, 1_000)
  database.db.exec(`UPDATE deliveries SET verdict = 'unsigned' WHERE seq = 9`)
  noteIndexChanges(database.db, [9])
  dropIndexChanges(database.db, taken)
  tools.search.exec(
    `CREATE TRIGGER fails BEFORE UPDATE ON state BEGIN SELECT raise(ABORT, 'full'); END`,
  )
  expect(() => searchJobs.fill(tools, 1_000)).toThrow('full')
  tools.search.exec('DROP TRIGGER fails')
  searchJobs.fill(tools, 1_000)
  expectRight()
})

test("the deliveries' own file is never changed", () => {
  database.db.pragma('wal_checkpoint(TRUNCATE)')
  const before = readFileSync(join(database.folder, 'countersign.db'))
  shut()
  open()
  searchJobs.begin(tools, null)
  fill()
  expect(readFileSync(join(database.folder, 'countersign.db')).equals(before)).toBe(true)
  expect(openSearch(searchFile(), main).close().open).toBe(false)
})
