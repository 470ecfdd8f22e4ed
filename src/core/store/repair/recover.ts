/**
 * Recovers the readable part of a damaged database into a new file beside it, a few rows at a time, so that it can be stopped at
 * any moment. A body is only accepted if it matches its hash from receipt; a delivery without its body is recovered and marked.
 */
import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite, { type Database, type Statement } from 'better-sqlite3'
import { byteSize } from '../../../shared/text/counted.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import {
  NAMED_LOSSES,
  type RepairProgress,
  type RepairReport,
} from '../../../shared/model/repair.ts'
import { IMPORTED } from '../../transfer/record.ts'
import { systemClock } from '../../base/system-clock.ts'
import { isCorrupt } from '../damaged.ts'
import { FILL_RESPONSES } from '../handler-responses.ts'
import { FORGET_TOTALS } from '../totals-repo.ts'
import { migrate } from '../migrate.ts'
import { migrations } from '../migrations/index.ts'
import { checkPages, openDamaged, removeWorkingCopy, type DamagedSource } from './damaged-source.ts'
import { quotedName, readAround, type SourceRow, type SourceTable } from './read-around.ts'

export interface Recovery {
  /** Works for about this many milliseconds; returns whether everything is done. */
  step(budgetMs: number): boolean
  progress(): RepairProgress
  /** The report, once everything is done. */
  result(): RecoveryResult
  /** Closes both files and removes the new one. */
  drop(): void
  /** Closes both files; the new one is complete and on disk. */
  finish(): void
}

export interface RecoveryResult extends Pick<
  RepairReport,
  'parts' | 'lostDeliveries' | 'lostBodies' | 'bodiesLost'
> {
  /** Whether the file is undamaged. */
  readonly isSound: boolean
}

interface Column {
  readonly name: string
  readonly type: string
  readonly pk: number
}

interface Target {
  readonly insert: Statement
  readonly columns: readonly Column[]
  readonly source: SourceTable
}

interface Tally {
  recovered: number
  /** Rows that are known to be lost. */
  lost: number
  /** Whether there are gaps with an unknown number of rows. */
  hasHoles: boolean
}

/** A body up to this size is on its row's page, where damage is noticed. */
const BYTES_ON_ONE_PAGE = 4_000
/** Names of tables in the report; other tables keep their own name. */
const NAMES: Readonly<Record<string, string>> = {
  hook_secrets: 'hook secrets',
  sends: 'replays and forwards',
  replay_jobs: 'replay jobs',
  forward_targets: 'forward targets',
  check_runs: 'handler checks',
  flow_runs: 'flow runs',
  flow_deliveries: 'deliveries of flow runs',
  sandbox_objects: 'sandbox objects',
  responses: "the receiver's responses",
}
/** Single rows or derived data, which the report doesn't count. */
const UNNAMED = [
  'progress',
  'forward_progress',
  'deleted',
  'notifications',
  'bodies',
  'handler_responses',
  'details',
  'causes',
  'delivery_totals',
]

/** Path of the new file while it is created. */
export function newFileOf(file: string): string {
  return `${file}.repairing`
}

/** Removes the files that a killed repair left behind. */
export function removeNewFile(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(newFileOf(file) + end, { force: true })
  removeWorkingCopy(file)
}

function checkRoom(file: string): void {
  const sizes = [file, `${file}-wal`].map((name) => (existsSync(name) ? statSync(name).size : 0))
  // The new file, and a working copy if the header or an inner page is damaged.
  const needed = 2 * sizes.reduce((sum, size) => sum + size, 0)
  const { bavail, bsize } = statfsSync(dirname(file))
  if (bavail * bsize < needed)
    throw new AppError(
      'STORE_UNAVAILABLE',
      `The repair needs ${byteSize(needed)} of free disk space, but only ${byteSize(bavail * bsize)} is free. Nothing was changed. Free some space, then try again.`,
    )
}

/** Whether SQLite's own check of the pages finds nothing. */
function areTablesSound(file: string, { isRebuilt }: DamagedSource): boolean {
  if (isRebuilt) return false
  try {
    checkPages(file)
    return true
  } catch (error) {
    if (isCorrupt(error)) return false
    throw error
  }
}

/** Starts the recovery. Throws if there is too little space or no table can be found, leaving nothing behind. */
export function beginRecovery(file: string): Recovery {
  checkRoom(file)
  removeNewFile(file)
  const source = openDamaged(file)
  try {
    closeSync(openSync(newFileOf(file), 'wx', 0o600))
    const target = new Sqlite(newFileOf(file))
    try {
      return recoverInto(target, source, file)
    } catch (error) {
      target.close()
      throw error
    }
  } catch (error) {
    source.close()
    removeNewFile(file)
    throw error
  }
}

/** How to read a table and insert it into the new one; text is copied as its exact bytes. */
function targetOf(source: Database, target: Database, table: string): Target | null {
  const known = new Set(
    (source.pragma(`table_info(${quotedName(table)})`) as Column[]).map(({ name }) => name),
  )
  const columns = (target.pragma(`table_info(${quotedName(table)})`) as Column[]).filter(
    ({ name }) => known.has(name),
  )
  if (columns.length === 0) return null
  const isText = ({ type }: Column) => type.toUpperCase() === 'TEXT'
  const hasRowIds =
    target
      .prepare<[string], number>(
        "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?",
      )
      .pluck()
      .get(table) === 0
  const keys = columns.filter(({ pk }) => pk > 0)
  const hasOwnRowId = keys.length === 1 && keys[0]!.type.toUpperCase() === 'INTEGER'
  const named = [
    ...(hasRowIds && !hasOwnRowId ? [{ name: 'rowid', type: 'INTEGER', pk: 0 }] : []),
    ...columns,
  ]
  return {
    columns: named,
    insert: target.prepare(
      `INSERT INTO ${quotedName(table)} (${named.map(({ name }) => (name === 'rowid' ? name : quotedName(name))).join(', ')})
       VALUES (${named.map((column) => (isText(column) ? 'CAST(? AS TEXT)' : '?')).join(', ')})`,
    ),
    source: {
      name: table,
      hasRowIds,
      key: keys.map(({ name }) => name),
      select: columns
        .map((column) =>
          isText(column)
            ? `CAST(${quotedName(column.name)} AS BLOB) AS ${quotedName(column.name)}`
            : quotedName(column.name),
        )
        .join(', '),
    },
  }
}

function recoverInto(target: Database, source: DamagedSource, file: string): Recovery {
  target.pragma('auto_vacuum = INCREMENTAL')
  // Needs no durability yet: the file counts only once it replaces the damaged one.
  target.pragma('journal_mode = MEMORY')
  target.pragma('synchronous = OFF')
  target.pragma('foreign_keys = OFF')
  migrate(
    target,
    migrations.filter(({ version }) => version <= source.version),
  )
  const isSound = areTablesSound(file, source)
  const tables = target
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
    )
    .pluck()
    .all()
  const tallies = new Map<string, Tally>(
    tables.map((name) => [name, { recovered: 0, lost: 0, hasHoles: false }]),
  )
  const tallyOf = (table: string) => tallies.get(table)!
  const lostDeliveries: string[] = []
  const lostBodies: string[] = []
  let rows = 0
  const expected = countByIndex(source.db, 'deliveries')

  const work = (function* () {
    target.exec('BEGIN')
    // Small tables first: hooks and their secrets matter more than any single delivery.
    const last = ['deliveries', 'sends']
    for (const table of [
      ...tables.filter((name) => name !== 'bodies' && !last.includes(name)),
      ...last,
    ]) {
      const into = targetOf(source.db, target, table)
      if (into === null) continue
      // Rows that the migrations inserted.
      const seeds = target.prepare(`SELECT * FROM ${quotedName(table)}`).all() as SourceRow[]
      target.exec(`DELETE FROM ${quotedName(table)}`)
      if (table === 'deliveries') yield* recoverDeliveries(into)
      else yield* recoverTable(into)
      const tally = tallyOf(table)
      const before = countByIndex(source.db, table)
      if (before !== null) {
        tally.lost = Math.max(0, before - tally.recovered)
        tally.hasHoles = false
      }
      if (tally.recovered === 0) for (const seed of seeds) putSeed(target, table, seed)
    }
    yield
    setRight(target, tallyOf)
    nameLost()
    target.exec('COMMIT')
    yield
    const sound = target.pragma('quick_check(1)', { simple: true })
    if (sound !== 'ok') throw new Error(`The new database isn't sound: ${String(sound)}`)
  })()

  function put({ insert, columns }: Target, row: SourceRow): boolean {
    const values = columns.map(({ name }) => row[name])
    // Text with invalid bytes comes from a damaged page.
    if (
      columns.some(
        ({ type }, index) =>
          type.toUpperCase() === 'TEXT' &&
          values[index] instanceof Uint8Array &&
          !isUtf8(values[index]),
      )
    )
      return false
    try {
      insert.run(...values)
      return true
    } catch (error) {
      if ((error as { code?: string }).code?.startsWith('SQLITE_CONSTRAINT') === true) return false
      throw error
    }
  }

  function* recoverTable(into: Target): Generator<void> {
    const tally = tallyOf(into.source.name)
    const found = readAround(source.db, into.source, (hole) => {
      if (hole !== null && hole.to - hole.from === 1) tally.lost++
      else tally.hasHoles = true
    })
    for (const row of found) {
      if (put(into, row)) tally.recovered++
      else tally.lost++
      rows++
      yield
    }
  }

  function* recoverDeliveries(into: Target): Generator<void> {
    const tally = tallyOf('deliveries')
    const bodies = tallyOf('bodies')
    const body = source.db
      .prepare<[number], Buffer>('SELECT bytes FROM bodies WHERE seq = ?')
      .pluck()
    const putBody = target.prepare('INSERT INTO bodies (seq, bytes) VALUES (?, ?)')
    const markLost = target.prepare('UPDATE deliveries SET truncated = 1 WHERE seq = ?')
    const found = readAround(source.db, into.source, () => {
      tally.hasHoles = true
    })
    for (const row of found) {
      rows++
      if (!put(into, row)) {
        tally.lost++
        yield
        continue
      }
      tally.recovered++
      const seq = row['seq'] as number
      // An empty body has nothing to lose.
      const bytes = row['body_size'] === 0 ? Buffer.alloc(0) : bodyOf(() => body.get(seq))
      if (bytes !== null && isAsReceived(row, bytes)) {
        putBody.run(seq, bytes)
        bodies.recovered++
      } else {
        putBody.run(seq, Buffer.alloc(0))
        markLost.run(seq)
        lostBodies.push(textOf(row['id']))
      }
      yield
    }
  }

  function nameLost(): void {
    const known = target.prepare<[string], number>('SELECT 1 FROM deliveries WHERE id = ?').pluck()
    const tally = tallyOf('deliveries')
    // The id index still lists rows that the table lost.
    const named = new Set<string>()
    const isWhole = idsOfDeliveries(source.db, (id) => {
      if (known.get(id) === undefined) named.add(id)
    })
    lostDeliveries.push(...[...named].slice(0, NAMED_LOSSES))
    tally.lost = Math.max(tally.lost, named.size)
    tally.hasHoles &&= !isWhole && expected === null
  }

  return {
    step(budgetMs) {
      const until = systemClock.monotonic() + budgetMs
      do {
        if (work.next().done === true) return true
      } while (systemClock.monotonic() < until)
      return false
    },
    progress: () => ({ rows, deliveries: tallyOf('deliveries').recovered, of: expected }),
    result() {
      const parts = tables
        .filter((name) => !UNNAMED.includes(name))
        .map((name) => {
          const { recovered, lost, hasHoles } = tallyOf(name)
          return { name: NAMES[name] ?? name, recovered, lost: hasHoles ? null : lost }
        })
        .filter(({ recovered, lost }) => recovered > 0 || lost !== 0)
      return {
        isSound:
          isSound &&
          lostBodies.length === 0 &&
          [...tallies.values()].every(({ lost, hasHoles }) => lost === 0 && !hasHoles),
        parts,
        lostDeliveries,
        lostBodies: lostBodies.slice(0, NAMED_LOSSES),
        bodiesLost: lostBodies.length,
      }
    },
    drop() {
      // Ends the reading: a connection with an open cursor can't be closed.
      work.return()
      target.close()
      source.close()
      removeNewFile(file)
    },
    finish() {
      target.close()
      source.close()
      const descriptor = openSync(newFileOf(file), 'r+')
      fsyncSync(descriptor)
      closeSync(descriptor)
    },
  }
}

const textOf = (bytes: unknown) => Buffer.from(bytes as Uint8Array).toString()

function bodyOf(read: () => Buffer | undefined): Buffer | null {
  try {
    return read() ?? null
  } catch (error) {
    if (isCorrupt(error)) return null
    throw error
  }
}

/** Whether a body is the received one. Truncated and imported bodies can't be compared; small ones needn't be. */
function isAsReceived(row: SourceRow, bytes: Buffer): boolean {
  if (bytes.length <= BYTES_ON_ONE_PAGE || row['truncated'] === 1) return true
  const isImported = row['remote'] !== null && textOf(row['remote']).startsWith(IMPORTED)
  return isImported || hash('sha256', bytes, 'hex') === textOf(row['body_sha256'])
}

/** The number of rows in a table's index; null if there is none or it is damaged too. */
function countByIndex(db: Database, table: string): number | null {
  const indexes = db.pragma(`index_list(${quotedName(table)})`) as {
    readonly name: string
    readonly partial: number
  }[]
  for (const { name, partial } of indexes) {
    if (partial === 1) continue
    try {
      return (
        db
          .prepare<[], number>(
            `SELECT count(*) FROM ${quotedName(table)} INDEXED BY ${quotedName(name)}`,
          )
          .pluck()
          .get() ?? null
      )
    } catch (error) {
      if (!isCorrupt(error) && (error as { code?: string }).code !== 'SQLITE_ERROR') throw error
    }
  }
  return null
}

/** Reads the delivery ids from their index, from both ends; returns whether the index is complete. */
function idsOfDeliveries(db: Database, hear: (id: string) => void): boolean {
  for (const order of ['ASC', 'DESC'])
    try {
      const ids = db
        .prepare<[], string>(
          `SELECT id FROM deliveries INDEXED BY deliveries_id ORDER BY id ${order}`,
        )
        .pluck()
      for (const id of ids.iterate()) hear(id)
      return true
    } catch (error) {
      if (!isCorrupt(error)) throw error
    }
  return false
}

function putSeed(target: Database, table: string, seed: SourceRow): void {
  const names = Object.keys(seed)
  target
    .prepare(
      `INSERT INTO ${quotedName(table)} (${names.map(quotedName).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    .run(...names.map((name) => seed[name]))
}

/** Restores consistency between tables that lost rows. If something is unknown, the safe choice sends nothing. */
function setRight(target: Database, tallyOf: (table: string) => Tally): void {
  const hasTable = (name: string) =>
    target
      .prepare<[string], number>("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
      .get(name) !== undefined
  const remove = (table: string, where: string) => {
    const { changes } = target.prepare(`DELETE FROM ${table} WHERE ${where}`).run()
    const tally = tallyOf(table)
    tally.recovered -= changes
    tally.lost += changes
  }
  remove('sends', 'delivery_seq NOT IN (SELECT seq FROM deliveries)')
  // No process would finish or cancel them.
  remove(
    'sends',
    "state IN ('waiting', 'under-way') AND job_id NOT IN (SELECT id FROM replay_jobs UNION ALL SELECT id FROM forward_targets)",
  )
  remove('hook_secrets', 'hook_id NOT IN (SELECT id FROM hooks)')
  remove('marks', 'seq NOT IN (SELECT seq FROM deliveries)')
  // A database of an earlier version has neither table: its migration fills them.
  if (hasTable('flow_deliveries'))
    remove('flow_deliveries', 'seq NOT IN (SELECT seq FROM deliveries)')
  if (hasTable('handler_responses')) target.exec(`DELETE FROM handler_responses; ${FILL_RESPONSES}`)
  if (hasTable('details')) {
    for (const table of ['details', 'causes'])
      target.exec(`DELETE FROM ${table} WHERE seq NOT IN (SELECT seq FROM deliveries)`)
    // Missing details and causes are computed again.
    target.exec('UPDATE progress SET undetailed_seq = described_seq')
    target.exec(`UPDATE deliveries SET response = NULL WHERE response NOT IN (SELECT key FROM responses);
      WITH used AS MATERIALIZED (SELECT response, count(*) AS uses FROM deliveries WHERE response IS NOT NULL GROUP BY response)
      UPDATE responses SET uses = coalesce((SELECT used.uses FROM used WHERE used.response = responses.key), 0);
      DELETE FROM responses WHERE uses = 0`)
  }
  if (hasTable('delivery_totals')) target.exec(FORGET_TOTALS)
  const newest = '(SELECT coalesce(max(seq), 0) FROM deliveries)'
  // If its progress is lost, nothing is described or forwarded a second time.
  if (tallyOf('progress').recovered === 0)
    target.exec(`UPDATE progress SET described_seq = ${newest}`)
  if (tallyOf('forward_progress').recovered === 0)
    target.exec(`UPDATE forward_progress SET routed_seq = ${newest}`)
  // A hook keeps its secret. Its environment is live until the user changes it, so sending asks first.
  target.exec(`
    INSERT INTO environments (name, mode, base_url, prefix, auth, ack, created_at)
    SELECT DISTINCT environment, 'live', 'https://environment-lost.invalid', 'service', 'service-key', '200', 0 FROM hooks
    WHERE environment NOT IN (SELECT name FROM environments) AND environment NOT LIKE 'sandbox-%'`)
}
