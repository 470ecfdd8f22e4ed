/** Copies the readable rows of a damaged database into a new one, and makes them consistent. */
import Sqlite, { type Database, type Statement } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'
import { FILL_RESPONSES } from './handler-responses.ts'
import { columnsOf, migrate, migrations, NEWEST_VERSION, versionByColumns } from './migrations.ts'
import { damagedValues } from './damage.ts'
import { FORGET_TOTALS } from './delivery-totals.ts'
import type { DamagedFile, RecoveredRow } from './damaged-file.ts'
import { damagedBodies } from './stored-bodies.ts'

const ROWS_PER_PROGRESS = 10_000
const UNREPORTED_TABLES = [
  'progress',
  'forward_progress',
  'deleted',
  'notifications',
  'bodies',
  'handler_responses',
  'replay_plans',
  'details',
  'causes',
  'delivery_totals',
  'index_changes',
]

interface Table {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string; readonly pk: number }[]
  readonly hasRowIds: boolean
}

interface Tally {
  recovered: number
  lost: number | null
}

/**
 * Recovers rows into the empty database `target`; `file` is named in errors. Throws
 * `DATABASE_FROM_FUTURE`, or `DATABASE_DAMAGED` if no row is readable.
 */
export function recoverRows(
  source: DamagedFile,
  target: Database,
  file: string,
  onProgress: (rows: number) => void,
) {
  target.pragma('auto_vacuum = INCREMENTAL')
  // The new file counts only once it is finished.
  target.pragma('journal_mode = MEMORY')
  target.pragma('synchronous = OFF')
  target.pragma('foreign_keys = OFF')
  const version = versionByColumns(columnsIn(source), source.version)
  if (version === 'newer')
    throw new AppError(
      'DATABASE_FROM_FUTURE',
      `${file} was written by a newer version of Countersign (schema ${source.version ?? 'unknown'}, this one knows ${NEWEST_VERSION}). Nothing was changed. Update Countersign, then repair it.`,
    )
  // Later migrations change the rows as usual.
  migrate(
    target,
    migrations.filter((migration) => migration.version <= version),
  )
  const roots = rootsOf(source, target)
  const tallies = new Map<string, Tally>()
  let rows = 0
  target.exec('BEGIN')
  for (const table of tablesOf(target)) {
    const put = prepareInsert(target, table)
    const root = roots.get(table.name)
    let hasHoles = root === undefined
    let recovered = 0
    let lost = 0
    for (const row of root === undefined
      ? []
      : source.read(root, table.hasRowIds ? 'table' : 'index')) {
      if (row === 'damaged') hasHoles = true
      else if (row !== null && put(row)) recovered++
      else lost++
      if (++rows % ROWS_PER_PROGRESS === 0) onProgress(rows)
    }
    tallies.set(table.name, { recovered, lost: hasHoles ? null : lost })
  }
  target.exec('COMMIT')
  if ([...tallies.values()].every(({ recovered }) => recovered === 0))
    throw new AppError(
      'DATABASE_DAMAGED',
      `${file} has no readable Countersign tables. Nothing was changed. Restore a backup of the file, or move it away to start with an empty database.`,
    )
  migrate(target)
  const damaged = [...damagedValues(target)]
  target.exec('BEGIN')
  for (const { table, column, key, keyColumn, fallback } of damaged)
    if (fallback === undefined) removeRows(target, tallies, table, `${keyColumn} = ?`, key)
    else
      target.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${keyColumn} = ?`).run(fallback, key)
  target.exec('COMMIT')
  const losses = lostDeliveries(source, target, roots.get('deliveries_id'))
  const deliveries = tallies.get('deliveries')
  if (deliveries !== undefined && losses.areAll) deliveries.lost = losses.ids.length
  target.exec('BEGIN')
  makeConsistent(target, tallies)
  const lostBodies = replaceLostBodies(target)
  target.exec('COMMIT')
  return {
    parts: [...tallies]
      .filter(([, { recovered, lost }]) => recovered > 0 || lost !== 0)
      .filter(([name]) => !UNREPORTED_TABLES.includes(name))
      .map(([name, tally]) => ({ name: name.replaceAll('_', ' '), ...tally })),
    damagedValues: damaged.map(({ text }) => text),
    lostDeliveries: losses.ids,
    lostBodies,
  }
}

/** Indexes of columns in SQLite's table `sqlite_schema`. */
const TYPE = 0
const NAME = 1
const ROOT_PAGE = 3
const DEFINITION = 4

/**
 * Returns root pages by name. If all readable ones are where a new database has them, so are the
 * unreadable ones.
 */
function rootsOf(source: DamagedFile, target: Database): Map<string, number> {
  const roots = new Map<string, number>()
  for (const row of source.read(1, 'table'))
    if (row !== null && row !== 'damaged')
      roots.set(row.values[NAME] as string, row.values[ROOT_PAGE] as number)
  for (const isRewritten of [false, true]) {
    // A rewritten file has its indexes behind all tables.
    if (isRewritten) target.exec('VACUUM')
    const created = new Map(
      target.prepare<[], [string, number]>('SELECT name, rootpage FROM sqlite_schema').raw().all(),
    )
    if ([...roots].every(([name, root]) => created.get(name) === root)) return created
  }
  return roots
}

function columnsIn(source: DamagedFile): ReadonlySet<string> {
  const scratch = new Sqlite(':memory:')
  try {
    for (const row of source.read(1, 'table')) {
      if (row === null || row === 'damaged' || row.values[TYPE] !== 'table') continue
      try {
        scratch.exec(String(row.values[DEFINITION]))
      } catch {
        // A damaged definition, or a table of SQLite's.
      }
    }
    return columnsOf(scratch)
  } finally {
    scratch.close()
  }
}

function tablesOf(target: Database): Table[] {
  return target
    .prepare<[], { name: string; wr: number }>(
      "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all()
    .map(({ name, wr }) => ({
      name,
      columns: target.pragma(`table_info(${name})`) as Table['columns'],
      hasRowIds: wr === 0,
    }))
}

/** Creates the function that inserts a row if the table accepts it. */
function prepareInsert(target: Database, { name, columns, hasRowIds }: Table) {
  const keys = columns.filter(({ pk }) => pk > 0).toSorted((left, right) => left.pk - right.pk)
  // A row without a row id begins with its key.
  const isRowId = ({ pk, type }: Table['columns'][number]) =>
    hasRowIds && keys.length === 1 && pk === 1 && type === 'INTEGER'
  const stored = hasRowIds ? columns : [...keys, ...columns.filter(({ pk }) => pk === 0)]
  // Migrations insert rows that recovered ones replace.
  const hasRows = target.prepare(`SELECT 1 FROM ${name}`).get() !== undefined
  /** Statements by number of values: an old row has fewer. */
  const statements = new Map<number, Statement>()
  const statementFor = (length: number): Statement => {
    const cached = statements.get(length)
    if (cached !== undefined) return cached
    const names = stored.slice(0, length).map((column) => (isRowId(column) ? 'rowid' : column.name))
    if (hasRowIds && !names.includes('rowid')) names.push('rowid')
    const statement = target.prepare(
      `INSERT ${hasRows ? 'OR REPLACE ' : ''}INTO ${name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    statements.set(length, statement)
    return statement
  }
  const rowIdAt = stored.findIndex(isRowId)
  return ({ rowId, values }: RecoveredRow): boolean => {
    if (values.length > stored.length) return false
    const bound = !hasRowIds
      ? values
      : rowIdAt < 0
        ? [...values, rowId]
        : values.with(rowIdAt, rowId)
    try {
      statementFor(values.length).run(...bound)
      return true
    } catch (error) {
      if ((error as { code?: string }).code?.startsWith('SQLITE_CONSTRAINT') === true) return false
      throw error
    }
  }
}

function removeRows(
  target: Database,
  tallies: ReadonlyMap<string, Tally>,
  table: string,
  where: string,
  ...values: readonly unknown[]
): void {
  const { changes } = target.prepare(`DELETE FROM ${table} WHERE ${where}`).run(...values)
  const tally = tallies.get(table)
  if (tally === undefined) return
  tally.recovered -= changes
  if (tally.lost !== null) tally.lost += changes
}

/** Returns ids that are in the index but not in the table, and whether these are all. */
function lostDeliveries(source: DamagedFile, target: Database, index: number | undefined) {
  const find = target.prepare<[unknown], number>('SELECT 1 FROM deliveries WHERE id = ?')
  const ids: string[] = []
  let areAll = index !== undefined
  for (const entry of index === undefined ? [] : source.read(index, 'index')) {
    if (entry === null || entry === 'damaged') areAll = false
    else if (find.get(entry.values[0]) === undefined) ids.push(String(entry.values[0]))
  }
  return { ids, areAll }
}

/** Deletes rows without their parents; where data is lost, prefers not sending. */
function makeConsistent(target: Database, tallies: ReadonlyMap<string, Tally>): void {
  const isEmpty = (table: string) => (tallies.get(table)?.recovered ?? 0) === 0
  removeRows(target, tallies, 'sends', 'delivery_seq NOT IN (SELECT seq FROM deliveries)')
  // No process would finish or cancel them.
  removeRows(
    target,
    tallies,
    'sends',
    "state IN ('waiting', 'under-way') AND job_id NOT IN (SELECT id FROM replay_jobs UNION ALL SELECT id FROM forward_targets)",
  )
  removeRows(target, tallies, 'hook_secrets', 'hook_id NOT IN (SELECT id FROM hooks)')
  for (const table of ['bodies', 'marks', 'flow_deliveries', 'composed', 'details', 'causes'])
    removeRows(target, tallies, table, 'seq NOT IN (SELECT seq FROM deliveries)')
  const newest = '(SELECT coalesce(max(seq), 0) FROM deliveries)'
  // Nothing is described or forwarded a second time.
  if (isEmpty('progress')) target.exec(`UPDATE progress SET described_seq = ${newest}`)
  if (isEmpty('forward_progress')) target.exec(`UPDATE forward_progress SET routed_seq = ${newest}`)
  // A lost environment is live until the user changes it, so that sending asks first.
  target.exec(`
    INSERT OR IGNORE INTO composed (seq) SELECT seq FROM deliveries WHERE origin = 'composed';
    UPDATE progress SET undetailed_seq = described_seq;
    UPDATE deliveries SET response = NULL WHERE response NOT IN (SELECT key FROM responses);
    DELETE FROM handler_responses; ${FILL_RESPONSES};
    ${FORGET_TOTALS};
    INSERT INTO environments (name, mode, base_url, prefix, auth, ack, created_at)
    SELECT DISTINCT environment, 'live', 'https://environment-lost.invalid', 'service', 'service-key', '200', 0 FROM hooks
    WHERE environment NOT IN (SELECT name FROM environments) AND environment NOT LIKE 'sandbox-%'`)
}

/** Gives deliveries without their body an empty one, and returns their ids. */
function replaceLostBodies(target: Database): string[] {
  const damaged = [...damagedBodies(target)]
  const putEmpty = target.prepare("INSERT OR REPLACE INTO bodies (seq, bytes) VALUES (?, x'')")
  const mark = target.prepare('UPDATE deliveries SET truncated = 1 WHERE seq = ?')
  const lost = damaged.filter(({ size }) => size > 0)
  for (const { seq } of damaged) putEmpty.run(seq)
  for (const { seq } of lost) mark.run(seq)
  return lost.map(({ id }) => id)
}
