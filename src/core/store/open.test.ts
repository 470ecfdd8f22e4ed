import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import Sqlite from 'better-sqlite3'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import {
  columnsOf,
  migrate,
  type Migration,
  migrations,
  NEWEST_VERSION,
  versionByColumns,
} from './migrations.ts'
import { openForReading, openForWriting } from './open.ts'
import { databaseFileOf, type WritableDb } from './database.ts'

let folder: string
let file: string
let open: WritableDb[]
beforeEach(() => {
  folder = temporaryFolder()
  file = databaseFileOf(folder)
  open = []
})
afterEach(() => {
  for (const db of open) db.close()
})

function openWritable(): WritableDb {
  const db = openForWriting(file)
  open.push(db)
  return db
}

const versionOf = (db: WritableDb) => db.pragma('user_version', { simple: true })
const tablesOf = (db: WritableDb) =>
  db
    .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
    .pluck()
    .all()

test('an arriving delivery is written to three indexes: each one costs acknowledgement time', () => {
  const db = openWritable()
  const indexes = db
    .prepare<[], { name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'deliveries' ORDER BY name`,
    )
    .all()
    // Columns of imported deliveries only.
    .filter(({ sql }) => !sql.includes(' WHERE '))
  expect(indexes.map(({ name }) => name)).toEqual([
    'deliveries_event',
    'deliveries_id',
    'deliveries_verdict',
  ])
})

function step(version: number, sql: string): Migration {
  return { version, up: (db) => void db.exec(sql) }
}

describe('migrations', () => {
  test('bring a new file to the current schema, and leave a current one unchanged', () => {
    const db = openWritable()
    expect(versionOf(db)).toBe(migrations.at(-1)?.version)
    expect(tablesOf(db)).toEqual(
      expect.arrayContaining(['bodies', 'deliveries', 'hook_secrets', 'hooks', 'settings']),
    )
    const before = tablesOf(db)
    migrate(db)
    expect(tablesOf(db)).toEqual(before)
  })

  test('run only pending steps, in order', () => {
    const db = openWritable()
    db.pragma('user_version = 10')
    const ran: number[] = []
    const note = (version: number): Migration => ({
      version,

      up: () => void ran.push(version),
    })
    migrate(db, [note(10), note(20), note(30)])
    expect(ran).toEqual([20, 30])
    expect(versionOf(db)).toBe(30)
  })

  test('a failing step restores the old schema and version, including the steps before it', () => {
    const db = openWritable()
    const version = versionOf(db)
    const tables = tablesOf(db)
    const steps = [
      ...migrations,
      step(1_000, 'CREATE TABLE good (a)'),
      step(1_010, 'CREATE TABLE hooks (a)'),
    ]
    expect(() => {
      migrate(db, steps)
    }).toThrow(/hooks already exists/)
    expect(versionOf(db)).toBe(version)
    expect(tablesOf(db)).toEqual(tables)
    expect(db.inTransaction).toBe(false)
  })

  test('rename outcomes, and a group and a cause of stored checks', () => {
    const db = openWritable()
    db.pragma('user_version = 374')
    db.exec(`
      PRAGMA foreign_keys = OFF;
      INSERT INTO sends (job_id, position, delivery_seq, target, state, outcome)
      VALUES ('a', 1, 1, 't', 'settled', 'first-pass'), ('a', 2, 2, 't', 'settled', 'first-fail');
      INSERT INTO check_runs VALUES
      (1, 'a', 't', '{}', '[{"group":"genuine"},{"cause":"other-recipe"}]');
    `)
    migrate(db)
    expect(db.prepare('SELECT outcome FROM sends ORDER BY seq').pluck().all()).toEqual([
      'passed',
      'failed',
    ])
    expect(db.prepare('SELECT findings FROM check_runs').pluck().get()).toBe(
      '[{"group":"valid"},{"cause":"other-signing-method"}]',
    )
  })

  test("the product's versions increase", () => {
    const versions = migrations.map(({ version }) => version)
    expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b))
  })
})

const columnsWith = (extra = '') => {
  const db = new Sqlite(':memory:')
  migrate(db)
  db.exec(extra)
  return columnsOf(db)
}

test.each([
  ['its own', '', NEWEST_VERSION, NEWEST_VERSION],
  ['a later one', '', NEWEST_VERSION + 1, 'newer'],
  ['its own with unknown columns', 'CREATE TABLE later (a)', NEWEST_VERSION - 1, 'newer'],
  ['one with altered bits', '', 0x4000_00e6, NEWEST_VERSION],
  // The steps after it change no column and may run again.
  ['the one before, with its columns', '', NEWEST_VERSION - 1, NEWEST_VERSION - 1],
  ['an earlier one than its columns', '', NEWEST_VERSION - 3, NEWEST_VERSION],
  ['none that can be read', '', null, NEWEST_VERSION],
] as const)(
  'the version of a damaged database is decided by its columns if it claims %s',
  (_, extra, claimed, expected) => {
    expect(versionByColumns(columnsWith(extra), claimed)).toBe(expected)
  },
)

describe("a database that can't be opened stays unchanged", () => {
  test('written by a newer version: rejected, byte for byte unchanged', () => {
    const db = openForWriting(file)
    db.exec('CREATE TABLE from_the_future (a)')
    db.pragma('user_version = 999999')
    db.close()
    const before = readFileSync(file)
    expect(() => openForWriting(file)).toThrow(
      expect.objectContaining({
        code: 'DATABASE_FROM_FUTURE',
        message: expect.stringContaining('999999'),
      }),
    )
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(existsSync(`${file}-wal`)).toBe(false)
  })

  test('written by an unreleased build: rejected, and says what to do', () => {
    const db = new Sqlite(file)
    db.exec('CREATE TABLE deliveries (seq INTEGER PRIMARY KEY); PRAGMA user_version = 320')
    db.close()
    expect(() => openForWriting(file)).toThrow(
      expect.objectContaining({
        code: 'STORE_UNAVAILABLE',
        message: `${file} was written by an unreleased build of Countersign (schema 320). Choose another folder with --data, and import what that build exports.`,
      }),
    )
  })

  // Root may write to every file, but not on a read-only mount.
  test.runIf(process.platform === 'linux')('read-only', (context) => {
    openForWriting(file).close()
    const script =
      'chmod 400 "$0"; [ "$(id -u)" != 0 ] || { mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"; }'
    if (spawnSync('sh', ['-c', script, file]).status !== 0) context.skip('nothing can be mounted')
    try {
      expect(() => openForWriting(file)).toThrow(
        expect.objectContaining({
          code: 'STORE_UNAVAILABLE',
          message: `Can't write to ${file}. Make it writable for your user, or choose a folder with --data or COUNTERSIGN_DATA.`,
        }),
      )
    } finally {
      spawnSync('umount', [file])
    }
  })

  test('not a database', () => {
    const bytes = Buffer.from('This is a letter, not a database. '.repeat(200))
    writeFileSync(file, bytes)
    expect(() => openForWriting(file)).toThrow(
      expect.objectContaining({ code: 'DATABASE_DAMAGED', message: expect.stringContaining(file) }),
    )
    expect(readFileSync(file).equals(bytes)).toBe(true)
    expect(() => openForReading(join(folder, 'missing.db'))).toThrow(
      expect.objectContaining({ code: 'STORE_UNAVAILABLE' }),
    )
    expect(existsSync(join(folder, 'missing.db'))).toBe(false)
  })
})

test.skipIf(process.platform === 'win32')(
  'only the user can access the database and its log',
  () => {
    const db = openWritable()
    db.prepare('INSERT INTO settings VALUES (?, ?)').run('a', 'b')
    for (const name of [file, `${file}-wal`, `${file}-shm`])
      expect(statSync(name).mode & 0o777, name).toBe(0o600)
  },
)

test('a reading connection cannot write', () => {
  openWritable()
  const reading = openForReading(file)
  expect(() => reading.exec('DELETE FROM settings')).toThrow(/readonly/)
  reading.close()
})
