/**
 * Reads the rows of a damaged database directly from its pages, because SQLite reaches no row below a damaged page. The place of a
 * page is stored twice: in the page above it, and in the map of parents that a file with `auto_vacuum` has.
 */
import { isUtf8 } from 'node:buffer'
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'

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

export interface RecoveredRow {
  /** Null in an index, and in a table without row ids. */
  readonly rowId: number | null
  readonly values: readonly unknown[]
}

export interface DamagedFile {
  /** Version of the schema; null if the header is damaged. */
  readonly version: number | null
  /**
   * Reads a table with row ids, or a table without them or an index, by its root page: each row, null for an unreadable one,
   * `damaged` for an unreadable page of rows.
   */
  read(root: number, hasRowIds: boolean): Generator<RecoveredRow | null | 'damaged'>
  close(): void
}

interface Page {
  readonly bytes: Buffer
  readonly isTable: boolean
  readonly isLeaf: boolean
  /** Offsets of its cells. */
  readonly cells: readonly number[]
  readonly children: readonly number[]
}

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
export function openDamaged(file: string): DamagedFile {
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
  const pageOf = (page: number): Page | null => {
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
    version:
      header.toString('latin1', 0, 16) === 'SQLite format 3\0' ? header.readUInt32BE(60) : null,
    *read(root, hasRowIds) {
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
