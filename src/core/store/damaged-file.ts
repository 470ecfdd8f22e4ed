/**
 * Reads rows of a damaged database page by page, because SQLite reaches no row below a damaged
 * page. Pages form a tree for each table and index, in which inner pages point to children and
 * leaves hold rows (https://sqlite.org/fileformat.html); its pointer map has each page's parent.
 */
import { closeSync, existsSync, openSync, fstatSync, readSync } from 'node:fs'
import { isUtf8 } from 'node:buffer'

const PAGE_BYTES = 4_096
const FRAME_HEADER_BYTES = 24
const LOG_HEADER_BYTES = 32
const FILE_HEADER_BYTES = 100
const LEAF_HEADER_BYTES = 8
const INNER_HEADER_BYTES = 12

/** First page that can have a parent, after the schema's root and the pointer map. */
const FIRST_CHILD = 3

const TABLE_LEAF = 0x0d
const TABLE_INNER = 0x05
const INDEX_LEAF = 0x0a
const INDEX_INNER = 0x02

/** Types of pages in the pointer map: 1 and 2 have no parent, 3 and 4 are overflow pages. */
const FIRST_WITH_PARENT = 3
const TREE_PAGE = 5
const MAP_ENTRY_BYTES = 5
const PAGES_PER_MAP = Math.floor(PAGE_BYTES / MAP_ENTRY_BYTES)
/** Maximum depth of a tree, so that damaged parents in a circle end. */
const MAX_DEPTH = 20

/** Bytes of the largest row that doesn't overflow its page (the format's section 1.6). */
const MAX_TABLE_CELL = PAGE_BYTES - 35
const MAX_INDEX_CELL = Math.floor(((PAGE_BYTES - 12) * 64) / 255) - 23
/** Minimum bytes of an overflowing row on its page; the rest is on linked overflow pages. */
const MIN_CELL = Math.floor(((PAGE_BYTES - 12) * 32) / 255) - 23
/** Bytes of a row on an overflow page, which begins with the number of the next one. */
const OVERFLOW_BYTES = PAGE_BYTES - 4

export interface RecoveredRow {
  /** Row id in a table; null in an index. */
  readonly rowId: number | null
  readonly values: readonly unknown[]
}

export function openDamaged(file: string): DamagedFile {
  const database = openSync(file, 'r')
  const log = existsSync(`${file}-wal`) ? readLog(openSync(`${file}-wal`, 'r')) : null
  const pages = new Pages(
    database,
    log,
    log?.count ?? Math.floor(fstatSync(database).size / PAGE_BYTES),
  )
  return new DamagedFile(pages, parentsOf(pages))
}

/** Damaged database, read page by page; a file that isn't a database has no rows. */
export class DamagedFile {
  readonly #pages: Pages
  readonly #parents: ReadonlySet<number>
  readonly #roots: Uint32Array

  constructor(pages: Pages, parents: Uint32Array) {
    this.#pages = pages
    this.#parents = new Set(parents)
    this.#roots = rootsOf(parents)
  }

  /** Version of the schema; null if the header is damaged. */
  get version(): number | null {
    const header = this.#pages.bytesOf(1)
    return header.toString('latin1', 0, 16) === 'SQLite format 3\0' ? header.readUInt32BE(60) : null
  }

  /**
   * Yields the rows below a root page: null for an unreadable one, `damaged` for a whole page. An
   * index, or a table without row ids, is of kind `index`.
   */
  *read(root: number, kind: 'table' | 'index'): Generator<RecoveredRow | null | 'damaged'> {
    for (let page = 1; page <= this.#pages.count; page++) {
      if (this.#roots[page] !== root) continue
      const read = this.#pages.read(page)
      if (read !== null && read.isTable === (kind === 'table')) yield* this.#rowsOf(read)
      else if (kind === 'index' || !this.#parents.has(page)) yield 'damaged'
    }
  }

  close(): void {
    this.#pages.close()
  }

  *#rowsOf(page: Page): Generator<RecoveredRow | null> {
    if (page.isTable && !page.isLeaf) return
    let last = Number.NEGATIVE_INFINITY
    for (const cell of page.cells) {
      const { value: size, end } = readVarint(page.bytes, page.isLeaf ? cell : cell + 4)
      const id = page.isTable ? readVarint(page.bytes, end) : null
      const rowId = id?.value ?? null
      const row = this.#rowBytes(page, id?.end ?? end, size)
      const values = row === null ? null : valuesOfRow(row)
      const isInOrder = rowId === null || rowId > last
      last = rowId ?? last
      yield values !== null && isInOrder ? { rowId, values } : null
    }
  }

  /** Returns a row's bytes; null if an overflow page is damaged. */
  #rowBytes({ bytes, isTable }: Page, at: number, size: number): Buffer | null {
    const { count } = this.#pages
    const most = isTable ? MAX_TABLE_CELL : MAX_INDEX_CELL
    const rest = MIN_CELL + ((size - MIN_CELL) % OVERFLOW_BYTES)
    const here = size <= most ? size : rest <= most ? rest : MIN_CELL
    if (size > count * PAGE_BYTES || at + here + (here < size ? 4 : 0) > PAGE_BYTES) return null
    const parts = [bytes.subarray(at, at + here)]
    let next = here < size ? bytes.readUInt32BE(at + here) : 0
    for (let left = size - here; left > 0; left -= OVERFLOW_BYTES) {
      if (next < FIRST_CHILD || next > count) return null
      const overflow = this.#pages.bytesOf(next)
      parts.push(overflow.subarray(4, 4 + Math.min(left, OVERFLOW_BYTES)))
      next = overflow.readUInt32BE(0)
    }
    return next === 0 ? Buffer.concat(parts) : null
  }
}

interface Page {
  readonly bytes: Buffer
  readonly isLeaf: boolean
  readonly isTable: boolean
  readonly cells: readonly number[]
  readonly children: readonly number[]
}

/** Pages of a database in their last committed version. */
class Pages {
  readonly #database: number
  readonly #log: ReturnType<typeof readLog> | null
  readonly count: number

  constructor(database: number, log: ReturnType<typeof readLog> | null, count: number) {
    this.#database = database
    this.#log = log
    this.count = count
  }

  bytesOf(page: number): Buffer {
    const offset = this.#log?.offsets.get(page)
    return this.#log !== null && offset !== undefined
      ? bytesAt(this.#log.file, offset, PAGE_BYTES)
      : bytesAt(this.#database, (page - 1) * PAGE_BYTES, PAGE_BYTES)
  }

  /** Reads a page of a table or index; null if it is damaged or of another kind. */
  read(page: number): Page | null {
    const bytes = this.bytesOf(page)
    const start = page === 1 ? FILE_HEADER_BYTES : 0
    const type = bytes[start]!
    const isLeaf = type === TABLE_LEAF || type === INDEX_LEAF
    if (!isLeaf && type !== TABLE_INNER && type !== INDEX_INNER) return null
    const pointers = start + (isLeaf ? LEAF_HEADER_BYTES : INNER_HEADER_BYTES)
    const count = bytes.readUInt16BE(start + 3)
    if (pointers + 2 * count > PAGE_BYTES) return null
    const cells = Array.from({ length: count }, (_, index) =>
      bytes.readUInt16BE(pointers + 2 * index),
    )
    if (cells.some((at) => at < pointers + 2 * count || at > PAGE_BYTES - 4)) return null
    const children = isLeaf
      ? []
      : [...cells, start + LEAF_HEADER_BYTES].map((at) => bytes.readUInt32BE(at))
    if (children.some((child) => child < FIRST_CHILD || child > this.count)) return null
    return { bytes, isLeaf, isTable: type === TABLE_LEAF || type === TABLE_INNER, cells, children }
  }

  close(): void {
    closeSync(this.#database)
    if (this.#log !== null) closeSync(this.#log.file)
  }
}

/** Returns the parent of each page; 0 for a root. */
function parentsOf(pages: Pages): Uint32Array {
  const { count } = pages
  const parents = new Uint32Array(count + 1)
  for (let page = 1; page <= count; page++)
    for (const child of pages.read(page)?.children ?? []) parents[child] = page
  // The pointer map is correct even if the parent is damaged.
  for (let map = 2; map <= count; map += PAGES_PER_MAP + 1) {
    const bytes = pages.bytesOf(map)
    parents[map] = 0
    for (let index = 0; index < PAGES_PER_MAP && map + 1 + index <= count; index++) {
      const type = bytes[index * MAP_ENTRY_BYTES]!
      const parent = bytes.readUInt32BE(index * MAP_ENTRY_BYTES + 1)
      const isIntact =
        type < FIRST_WITH_PARENT ? type > 0 && parent === 0 : parent > 0 && parent <= count
      if (isIntact && type <= TREE_PAGE) parents[map + 1 + index] = type === TREE_PAGE ? parent : 0
    }
  }
  return parents
}

/** Returns the root page that each page leads up to. */
function rootsOf(parents: Uint32Array): Uint32Array {
  return parents.map((_, page) => {
    let root = page
    for (let depth = 0; parents[root]! > 0 && depth < MAX_DEPTH; depth++) root = parents[root]!
    return root
  })
}

function bytesAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  readSync(file, bytes, 0, length, at)
  return bytes
}

/** Reads the log: offsets of committed pages, and the number of pages in the database. */
function readLog(log: number) {
  const offsets = new Map<number, number>()
  const uncommitted = new Map<number, number>()
  let count: number | null = null
  const { size } = fstatSync(log)
  const salt = bytesAt(log, 16, 8)
  const frameBytes = FRAME_HEADER_BYTES + PAGE_BYTES
  for (let at = LOG_HEADER_BYTES; at + frameBytes <= size; at += frameBytes) {
    const frame = bytesAt(log, at, FRAME_HEADER_BYTES)
    // Later frames are from before the log was reused.
    if (!frame.subarray(8, 16).equals(salt)) break
    uncommitted.set(frame.readUInt32BE(0), at + FRAME_HEADER_BYTES)
    const committed = frame.readUInt32BE(4)
    if (committed === 0) continue
    for (const [page, offset] of uncommitted) offsets.set(page, offset)
    uncommitted.clear()
    count = committed
  }
  return { file: log, offsets, count }
}

/** Reads an integer of 1 to 9 bytes, of which the first 8 have 7 bits and a mark if more follow. */
function readVarint(bytes: Buffer, at: number): { readonly value: number; readonly end: number } {
  let value = 0n
  for (let index = 0; index < 8; index++) {
    const byte = bytes[at + index] ?? 0
    value = (value << 7n) | BigInt(byte & 0x7f)
    if (byte < 0x80) return { value: Number(value), end: at + index + 1 }
  }
  value = (value << 8n) | BigInt(bytes[at + 8] ?? 0)
  return { value: Number(BigInt.asIntN(64, value)), end: at + 9 }
}

/** Bytes of a value by type: null, six integers, a double, and the numbers 0 and 1. */
const VALUE_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]
/** First type of blobs (even) and texts (odd), which also gives their length. */
const FIRST_BLOB = 12

/** Parses a row, which begins with the types of its values; null if it isn't intact. */
function valuesOfRow(row: Buffer): unknown[] | null {
  const header = readVarint(row, 0)
  const values: unknown[] = []
  let at = header.value
  for (let next = header.end; next < header.value;) {
    const { value: type, end } = readVarint(row, next)
    next = end
    const size = type < FIRST_BLOB ? VALUE_BYTES[type] : Math.floor((type - FIRST_BLOB) / 2)
    if (size === undefined || next > header.value || at + size > row.length) return null
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
