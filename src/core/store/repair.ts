/**
 * Repairs the database of a data folder that no process has open: readable rows go into a new file, which then replaces the damaged
 * one. The damaged file is kept under another name, and nothing changes before that last step.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  fstatSync,
  readSync,
} from 'node:fs'
import { isUtf8 } from 'node:buffer'
import Sqlite, { type Database, type Statement } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'
import { byteSize } from '../../shared/text/counted.ts'
import { checkPages, isCorrupt } from './open.ts'
import { FILL_RESPONSES } from './handler-responses.ts'
import { columnsOf, migrate, migrations, NEWEST_VERSION, versionByColumns } from './migrations.ts'
import { damagedValues } from './damage.ts'
import { damagedBodies } from './deliveries.ts'
import { databaseFileOf } from './open.ts'
import { removeSearch, searchFileOf } from './search/open-search.ts'
import { FORGET_TOTALS } from './timeline.ts'

export interface RepairReport {
  /** `sound`: no damage found, nothing changed. */
  readonly outcome: 'repaired' | 'sound'
  /** The database. */
  readonly file: string
  /** Path of the damaged file now; null if nothing was changed. */
  readonly setAside: string | null
  /** Stored rows by kind. `lost` is null if some were lost but can't be counted. */
  readonly parts: readonly {
    readonly name: string
    readonly recovered: number
    readonly lost: number | null
  }[]
  /** Values that couldn't be read, each with its row; the first 1,000. The row is removed if nothing can replace the value. */
  readonly damagedValues: readonly string[]
  /** Ids of lost deliveries, as far as known; the first 1,000. */
  readonly lostDeliveries: readonly string[]
  /** Ids of deliveries recovered without their body; the first 1,000. */
  readonly lostBodies: readonly string[]
  /** Number of deliveries recovered without their body. They count as recovered. */
  readonly bodiesLost: number
}

/** Maximum number of lost deliveries that a report names. */
const NAMED_LOSSES = 1_000
/** Rows between two calls of `onProgress`. */
const PROGRESS_ROWS = 10_000
/** Single rows or derived data, which the report doesn't count. */
const UNNAMED = [
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
  /** Null if rows were lost that can't be counted. */
  lost: number | null
}

/** Repairs the database. If it can't, it changes nothing and throws an `AppError` with the reason. */
export function repairDatabase(
  dataFolder: string,
  onProgress: (rows: number) => void = () => undefined,
): RepairReport {
  const file = databaseFileOf(dataFolder)
  const unfinished = `${file}.repairing`
  completeRepair(file)
  checkRoom(file)
  rmSync(unfinished, { force: true })
  closeSync(openSync(unfinished, 'wx', 0o600))
  try {
    const source = openDamaged(file)
    const target = new Sqlite(unfinished)
    let recovered: ReturnType<typeof recover>
    try {
      recovered = recover(source, target, file, onProgress)
    } finally {
      target.close()
      source.close()
    }
    const { lostBodies, damagedValues: values, ...losses } = recovered
    const report = {
      file,
      ...losses,
      damagedValues: values.slice(0, NAMED_LOSSES),
      lostBodies: lostBodies.slice(0, NAMED_LOSSES),
      bodiesLost: lostBodies.length,
    }
    const isSound =
      lostBodies.length === 0 &&
      values.length === 0 &&
      losses.parts.every(({ lost }) => lost === 0) &&
      arePagesSound(file)
    if (isSound) return { outcome: 'sound', setAside: null, ...report }
    const descriptor = openSync(unfinished, 'r+')
    fsyncSync(descriptor)
    closeSync(descriptor)
    renameSync(unfinished, finishedFileOf(file))
    const setAside = completeRepair(file)
    // The index is built from the database and may contain lost deliveries.
    removeSearch(searchFileOf(dataFolder))
    return { outcome: 'repaired', setAside, ...report }
  } finally {
    rmSync(unfinished, { force: true })
  }
}

function checkRoom(file: string): void {
  const needed = [file, `${file}-wal`].reduce(
    (sum, name) => sum + (statSync(name, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  const { bavail, bsize } = statfsSync(file)
  if (bavail * bsize < needed)
    throw new AppError(
      'STORE_UNAVAILABLE',
      `The repair needs ${byteSize(needed)} of free disk space, but only ${byteSize(bavail * bsize)} is free. Nothing was changed. Free some space, then try again.`,
    )
}

/** Whether SQLite's own check of the pages finds nothing. */
function arePagesSound(file: string): boolean {
  let db: Database | undefined
  try {
    db = new Sqlite(file, { readonly: true })
    checkPages(db)
    return true
  } catch (error) {
    if (isCorrupt(error)) return false
    throw error
  } finally {
    db?.close()
  }
}

function finishedFileOf(file: string): string {
  return `${file}.repaired`
}

/**
 * Puts a finished new file in the database's place and returns the damaged file's new name. If a crash interrupts it, the next start
 * completes it. Nothing is overwritten.
 */
export function completeRepair(file: string): string | null {
  const finished = finishedFileOf(file)
  if (!existsSync(finished)) return null
  const at = statSync(finished)
    .mtime.toISOString()
    .replaceAll(/[-:]|\.\d+/g, '')
  let setAside = `${file}.damaged-${at}`
  for (let number = 2; existsSync(file) && existsSync(setAside); number++)
    setAside = `${file}.damaged-${at}-${number}`
  // The log goes first: otherwise it would be read into the new file.
  for (const end of ['-wal', '-shm', ''])
    if (existsSync(file + end)) renameSync(file + end, setAside + end)
  renameSync(finished, file)
  return setAside
}

/** Copies every readable row into the new database and makes it consistent. */
function recover(
  source: DamagedFile,
  target: Database,
  file: string,
  onProgress: (rows: number) => void,
): Pick<RepairReport, 'parts' | 'damagedValues' | 'lostDeliveries' | 'lostBodies'> {
  target.pragma('auto_vacuum = INCREMENTAL')
  // Needs no durability yet: the file counts only once it replaces the damaged one.
  target.pragma('journal_mode = MEMORY')
  target.pragma('synchronous = OFF')
  target.pragma('foreign_keys = OFF')
  const version = versionByColumns(columnsIn(source), source.version)
  if (version === 'newer')
    throw new AppError(
      'DATABASE_FROM_FUTURE',
      `${file} was written by a newer version of Countersign (schema ${source.version ?? 'unknown'}, this one knows ${NEWEST_VERSION}). Nothing was changed. Update Countersign, then repair it.`,
    )
  // Rows are copied into the version of the damaged file, so that later migrations change them as usual.
  migrate(
    target,
    migrations.filter((migration) => migration.version <= version),
  )
  const roots = rootsOf(source, target)
  const tallies = new Map<string, Tally>()
  let rows = 0
  target.exec('BEGIN')
  for (const table of tablesOf(target)) {
    const put = inserter(target, table)
    const root = roots.get(table.name)
    let hasHoles = root === undefined
    let [recovered, lost] = [0, 0]
    for (const row of root === undefined ? [] : source.read(root, table.hasRowIds)) {
      if (row === 'damaged') hasHoles = true
      else if (row !== null && put(row)) recovered++
      else lost++
      if (++rows % PROGRESS_ROWS === 0) onProgress(rows)
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
  // Several values of one row may be damaged.
  for (const { table, column, key, keyColumn, otherwise } of damaged)
    if (otherwise === undefined) remove(target, tallies, table, `${keyColumn} = ?`, key)
    else
      target.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${keyColumn} = ?`).run(otherwise, key)
  target.exec('COMMIT')
  const gone = lostDeliveries(source, target, roots.get('deliveries_id'))
  const deliveries = tallies.get('deliveries')
  if (deliveries !== undefined && gone.areAll) deliveries.lost = gone.ids.length
  target.exec('BEGIN')
  setRight(target, tallies)
  const lostBodies = replaceLostBodies(target)
  target.exec('COMMIT')
  return {
    parts: [...tallies]
      .filter(([, { recovered, lost }]) => recovered > 0 || lost !== 0)
      .filter(([name]) => !UNNAMED.includes(name))
      .map(([name, tally]) => ({ name: name.replaceAll('_', ' '), ...tally })),
    damagedValues: damaged.map(({ text }) => text),
    lostDeliveries: gone.ids.slice(0, NAMED_LOSSES),
    lostBodies,
  }
}

/** Root pages by the names of their table or index. Unreadable ones are where this program creates them. */
function rootsOf(source: DamagedFile, target: Database): Map<string, number> {
  const found = new Map<string, number>()
  for (const row of source.read(1, true))
    if (row !== null && row !== 'damaged')
      found.set(row.values[1] as string, row.values[3] as number)
  for (const isRewritten of [false, true]) {
    // A rewritten file has its indexes behind all tables.
    if (isRewritten) target.exec('VACUUM')
    const created = new Map(
      target.prepare<[], [string, number]>('SELECT name, rootpage FROM sqlite_schema').raw().all(),
    )
    if ([...found].every(([name, root]) => created.get(name) === root)) return created
  }
  return found
}

/** The columns of the tables whose definition is readable. */
function columnsIn(source: DamagedFile): ReadonlySet<string> {
  const scratch = new Sqlite(':memory:')
  try {
    for (const row of source.read(1, true)) {
      if (row === null || row === 'damaged' || row.values[0] !== 'table') continue
      try {
        scratch.exec(String(row.values[4]))
      } catch {
        // A damaged definition, or one of SQLite's own tables.
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

/** Returns a function that inserts a row and returns whether the table accepts it. */
function inserter(target: Database, { name, columns, hasRowIds }: Table) {
  const keys = columns.filter(({ pk }) => pk > 0).toSorted((left, right) => left.pk - right.pk)
  // The row id isn't stored in a column again. A row without one begins with its key.
  const isRowId = ({ pk, type }: Table['columns'][number]) =>
    hasRowIds && keys.length === 1 && pk === 1 && type === 'INTEGER'
  const stored = hasRowIds ? columns : [...keys, ...columns.filter(({ pk }) => pk === 0)]
  // Migrations insert single rows; the recovered ones replace them.
  const hasRows = target.prepare(`SELECT 1 FROM ${name}`).get() !== undefined
  /** By the number of values: a row from before a column was added is shorter. */
  const statements = new Map<number, Statement>()
  const statementFor = (length: number): Statement => {
    const known = statements.get(length)
    if (known !== undefined) return known
    const names = stored.slice(0, length).map((column) => (isRowId(column) ? 'rowid' : column.name))
    if (hasRowIds && !names.includes('rowid')) names.push('rowid')
    const made = target.prepare(
      `INSERT ${hasRows ? 'OR REPLACE ' : ''}INTO ${name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    statements.set(length, made)
    return made
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

/** Deletes rows and counts them as lost. */
function remove(
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

/** The ids that only their index still has, and whether it is complete. */
function lostDeliveries(source: DamagedFile, target: Database, index: number | undefined) {
  const find = target.prepare<[unknown], number>('SELECT 1 FROM deliveries WHERE id = ?')
  const ids: string[] = []
  let areAll = index !== undefined
  for (const entry of index === undefined ? [] : source.read(index, false)) {
    if (entry === null || entry === 'damaged') areAll = false
    else if (find.get(entry.values[0]) === undefined) ids.push(String(entry.values[0]))
  }
  return { ids, areAll }
}

/** Restores consistency between tables that lost rows. If something is unknown, the safe choice sends nothing. */
function setRight(target: Database, tallies: ReadonlyMap<string, Tally>): void {
  const isEmpty = (table: string) => (tallies.get(table)?.recovered ?? 0) === 0
  remove(target, tallies, 'sends', 'delivery_seq NOT IN (SELECT seq FROM deliveries)')
  // No process would finish or cancel them.
  remove(
    target,
    tallies,
    'sends',
    "state IN ('waiting', 'under-way') AND job_id NOT IN (SELECT id FROM replay_jobs UNION ALL SELECT id FROM forward_targets)",
  )
  remove(target, tallies, 'hook_secrets', 'hook_id NOT IN (SELECT id FROM hooks)')
  for (const table of ['bodies', 'marks', 'flow_deliveries', 'details', 'causes'])
    remove(target, tallies, table, 'seq NOT IN (SELECT seq FROM deliveries)')
  const newest = '(SELECT coalesce(max(seq), 0) FROM deliveries)'
  // If its progress is lost, nothing is described or forwarded a second time.
  if (isEmpty('progress')) target.exec(`UPDATE progress SET described_seq = ${newest}`)
  if (isEmpty('forward_progress')) target.exec(`UPDATE forward_progress SET routed_seq = ${newest}`)
  // Missing details and causes are computed again. A hook keeps its secret; its environment is live until the user changes it, so
  // sending asks first.
  target.exec(`
    UPDATE progress SET undetailed_seq = described_seq;
    UPDATE deliveries SET response = NULL WHERE response NOT IN (SELECT key FROM responses);
    DELETE FROM handler_responses; ${FILL_RESPONSES};
    ${FORGET_TOTALS};
    INSERT INTO environments (name, mode, base_url, prefix, auth, ack, created_at)
    SELECT DISTINCT environment, 'live', 'https://environment-lost.invalid', 'service', 'service-key', '200', 0 FROM hooks
    WHERE environment NOT IN (SELECT name FROM environments) AND environment NOT LIKE 'sandbox-%'`)
}

/** Marks deliveries whose body is lost or altered, and returns their ids. */
function replaceLostBodies(target: Database): string[] {
  const damaged = [...damagedBodies(target)]
  const putEmpty = target.prepare("INSERT OR REPLACE INTO bodies (seq, bytes) VALUES (?, x'')")
  const mark = target.prepare('UPDATE deliveries SET truncated = 1 WHERE seq = ?')
  // An empty body has nothing to lose.
  const lost = damaged.filter(({ size }) => size > 0)
  for (const { seq } of damaged) putEmpty.run(seq)
  for (const { seq } of lost) mark.run(seq)
  return lost.map(({ id }) => id)
}

// Reads the rows of a damaged database directly from its pages, because SQLite reaches no row
// below a damaged page. The place of a page is stored twice: in the page above it, and in the map
// of parents that a file with `auto_vacuum` has.

const PAGE_BYTES = 4_096
const FRAME_HEADER_BYTES = 24
const LOG_HEADER_BYTES = 32
/** The header of the database, at the start of its first page. */
const FILE_HEADER_BYTES = 100

const TABLE_LEAF = 0x0d
const TABLE_INNER = 0x05
const INDEX_LEAF = 0x0a
const INDEX_INNER = 0x02

/** In the map of parents: a page of a table or an index that has a parent. Lower kinds are roots, free pages and overflow. */
const TREE = 5
const OVERFLOW = 3
const MAP_ENTRY_BYTES = 5
const PAGES_A_MAP = Math.floor(PAGE_BYTES / MAP_ENTRY_BYTES)
/** Deeper than any table or index. */
const DEEPEST = 20

/** Bytes of a row on its own page: at most, for tables and indexes, and at least if the others overflow. */
const MOST_IN_TABLE = PAGE_BYTES - 35
const MOST_IN_INDEX = Math.floor(((PAGE_BYTES - 12) * 64) / 255) - 23
const LEAST = Math.floor(((PAGE_BYTES - 12) * 32) / 255) - 23

interface RecoveredRow {
  /** Null in an index, and in a table without row ids. */
  readonly rowId: number | null
  readonly values: readonly unknown[]
}

type DamagedFile = ReturnType<typeof openDamaged>

function bytesAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  readSync(file, bytes, 0, length, at)
  return bytes
}

/** The offset of each page's last committed version in the write-ahead log, and how many pages the database had then. */
function readLog(log: number) {
  const places = new Map<number, number>()
  const uncommitted = new Map<number, number>()
  let count: number | null = null
  const { size } = fstatSync(log)
  const salt = bytesAt(log, 16, 8)
  const frameBytes = FRAME_HEADER_BYTES + PAGE_BYTES
  for (let at = LOG_HEADER_BYTES; at + frameBytes <= size; at += frameBytes) {
    const frame = bytesAt(log, at, FRAME_HEADER_BYTES)
    // The rest is left over from before the log was reused.
    if (!frame.subarray(8, 16).equals(salt)) break
    uncommitted.set(frame.readUInt32BE(0), at + FRAME_HEADER_BYTES)
    const committed = frame.readUInt32BE(4)
    if (committed === 0) continue
    for (const [page, place] of uncommitted) places.set(page, place)
    uncommitted.clear()
    count = committed
  }
  return { places, count }
}

/** A number of SQLite's variable length, and where it ends. */
function readVarint(bytes: Buffer, at: number): readonly [value: number, end: number] {
  let value = 0n
  for (let index = 0; index < 8; index++) {
    const byte = bytes[at + index] ?? 0
    value = (value << 7n) | BigInt(byte & 0x7f)
    if (byte < 0x80) return [Number(value), at + index + 1]
  }
  value = (value << 8n) | BigInt(bytes[at + 8] ?? 0)
  return [Number(BigInt.asIntN(64, value)), at + 9]
}

/** Bytes of a value by its type number, up to 9; larger ones are binary data and text. */
const VALUE_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

/** The values of a row; null if they can't be those of an intact row. */
function valuesOf(row: Buffer): unknown[] | null {
  const [headerBytes, first] = readVarint(row, 0)
  const values: unknown[] = []
  let at = headerBytes
  for (let next = first; next < headerBytes;) {
    const [type, end] = readVarint(row, next)
    next = end
    const size = type < 12 ? VALUE_BYTES[type] : Math.floor((type - 12) / 2)
    if (size === undefined || next > headerBytes || at + size > row.length) return null
    const bytes = row.subarray(at, at + size)
    at += size
    if (type === 0) values.push(null)
    else if (type === 8 || type === 9) values.push(type - 8)
    else if (type === 7) values.push(bytes.readDoubleBE())
    else if (type === 6) values.push(bytes.readBigInt64BE())
    else if (type < 6) values.push(bytes.readIntBE(0, size))
    else if (type % 2 === 0) values.push(bytes)
    else if (isUtf8(bytes)) values.push(bytes.toString())
    else return null
  }
  return at === row.length ? values : null
}

/** Opens any file; what isn't a database has no readable rows. */
function openDamaged(file: string) {
  const database = openSync(file, 'r')
  const log = existsSync(`${file}-wal`) ? openSync(`${file}-wal`, 'r') : null
  const logged = log === null ? null : readLog(log)
  const count = logged?.count ?? Math.floor(fstatSync(database).size / PAGE_BYTES)

  const bytesOf = (page: number): Buffer => {
    const place = logged?.places.get(page)
    return log !== null && place !== undefined
      ? bytesAt(log, place, PAGE_BYTES)
      : bytesAt(database, (page - 1) * PAGE_BYTES, PAGE_BYTES)
  }

  /** Reads a page of a table or an index; null if it is damaged or none. */
  const pageOf = (page: number) => {
    const bytes = bytesOf(page)
    const start = page === 1 ? FILE_HEADER_BYTES : 0
    const type = bytes[start]!
    const isLeaf = type === TABLE_LEAF || type === INDEX_LEAF
    if (!isLeaf && type !== TABLE_INNER && type !== INDEX_INNER) return null
    const places = start + (isLeaf ? 8 : 12)
    const number = bytes.readUInt16BE(start + 3)
    if (places + 2 * number > PAGE_BYTES) return null
    const cells = Array.from({ length: number }, (_, index) =>
      bytes.readUInt16BE(places + 2 * index),
    )
    if (cells.some((at) => at < places + 2 * number || at > PAGE_BYTES - 4)) return null
    const children = isLeaf ? [] : [...cells, start + 8].map((at) => bytes.readUInt32BE(at))
    if (children.some((child) => child < 3 || child > count)) return null
    return { bytes, isLeaf, isTable: type === TABLE_LEAF || type === TABLE_INNER, cells, children }
  }

  type Page = NonNullable<ReturnType<typeof pageOf>>

  const parents = new Uint32Array(count + 1)
  for (let page = 1; page <= count; page++)
    for (const child of pageOf(page)?.children ?? []) parents[child] = page
  // Correct even where the page above is damaged, or free with its old content.
  for (let map = 2; map <= count; map += PAGES_A_MAP + 1) {
    const bytes = bytesOf(map)
    parents[map] = 0
    for (let index = 0; index < PAGES_A_MAP && map + 1 + index <= count; index++) {
      const type = bytes[index * MAP_ENTRY_BYTES]!
      const parent = bytes.readUInt32BE(index * MAP_ENTRY_BYTES + 1)
      const isIntact = type < OVERFLOW ? type > 0 && parent === 0 : parent > 0 && parent <= count
      if (isIntact && type <= TREE) parents[map + 1 + index] = type === TREE ? parent : 0
    }
  }
  const inner = new Set(parents)

  const roots = parents.map((_, page) => {
    let root = page
    for (let depth = 0; parents[root]! > 0 && depth < DEEPEST; depth++) root = parents[root]!
    return root
  })

  /** The complete bytes of a row; null if an overflow page is damaged. */
  const rowOf = ({ bytes, isTable }: Page, at: number, size: number): Buffer | null => {
    const most = isTable ? MOST_IN_TABLE : MOST_IN_INDEX
    const rest = LEAST + ((size - LEAST) % (PAGE_BYTES - 4))
    const here = size <= most ? size : rest <= most ? rest : LEAST
    if (size > count * PAGE_BYTES || at + here + (here < size ? 4 : 0) > PAGE_BYTES) return null
    const parts = [bytes.subarray(at, at + here)]
    let next = here < size ? bytes.readUInt32BE(at + here) : 0
    for (let left = size - here; left > 0; left -= PAGE_BYTES - 4) {
      if (next < 3 || next > count) return null
      const overflow = bytesOf(next)
      parts.push(overflow.subarray(4, 4 + Math.min(left, PAGE_BYTES - 4)))
      next = overflow.readUInt32BE(0)
    }
    return next === 0 ? Buffer.concat(parts) : null
  }

  function* rowsOf(page: Page): Generator<RecoveredRow | null> {
    if (page.isTable && !page.isLeaf) return
    let last = Number.NEGATIVE_INFINITY
    for (const cell of page.cells) {
      const [size, behind] = readVarint(page.bytes, page.isLeaf ? cell : cell + 4)
      const [rowId, at] = page.isTable ? readVarint(page.bytes, behind) : [null, behind]
      const row = rowOf(page, at, size)
      const values = row === null ? null : valuesOf(row)
      const isInOrder = rowId === null || rowId > last
      last = rowId ?? last
      yield values !== null && isInOrder ? { rowId, values } : null
    }
  }

  const header = bytesOf(1)
  return {
    /** Version of the schema; null if the header is damaged. */
    version:
      header.toString('latin1', 0, 16) === 'SQLite format 3\0' ? header.readUInt32BE(60) : null,
    /**
     * Reads a table with row ids, or a table without them or an index, by its root page: each row, null for an unreadable one,
     * `damaged` for an unreadable page of rows.
     */
    *read(root: number, hasRowIds: boolean): Generator<RecoveredRow | null | 'damaged'> {
      for (let page = 1; page <= count; page++) {
        if (roots[page] !== root) continue
        const read = pageOf(page)
        if (read?.isTable === hasRowIds) yield* rowsOf(read)
        // The inner pages of a table only lead to its rows.
        else if (!hasRowIds || !inner.has(page)) yield 'damaged'
      }
    },
    close() {
      closeSync(database)
      if (log !== null) closeSync(log)
    },
  }
}
