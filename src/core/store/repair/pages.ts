/**
 * Reads the pages of a database file directly, for a repair. A file that can be shrunk in pieces has a map of each page's kind and
 * parent; with it, a table's inner pages, which only lead to its rows, are rebuilt from below.
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'

export const PAGE_BYTES = 4_096

export const TABLE_LEAF = 0x0d
export const TABLE_INNER = 0x05
export const INDEX_LEAF = 0x0a
export const INDEX_INNER = 0x02

/** Page types in the map: the root of a table or an index, or another page of one. */
const ROOT = 1
const TREE = 5
const MAP_ENTRY_BYTES = 5
const ENTRIES_A_MAP_PAGE = Math.floor(PAGE_BYTES / MAP_ENTRY_BYTES)
const LEAF_HEADER_BYTES = 8
const INNER_HEADER_BYTES = 12

export interface PageFile {
  readonly count: number
  read(page: number): Buffer
  write(page: number, bytes: Uint8Array): void
  close(): void
}

/** Opens the pages of a file for reading or (`r+`) changing. */
export function openPages(file: string, flags: 'r' | 'r+' = 'r'): PageFile {
  const descriptor = openSync(file, flags)
  return {
    count: Math.floor(fstatSync(descriptor).size / PAGE_BYTES),
    read(page) {
      const bytes = Buffer.alloc(PAGE_BYTES)
      readSync(descriptor, bytes, 0, PAGE_BYTES, (page - 1) * PAGE_BYTES)
      return bytes
    },
    write(page, bytes) {
      writeSync(descriptor, bytes, 0, PAGE_BYTES, (page - 1) * PAGE_BYTES)
    },
    close() {
      closeSync(descriptor)
    },
  }
}

interface MapEntry {
  readonly type: number
  readonly parent: number
}

/** The map's entry for each page; undefined for the map's own pages, and for all pages if the file has no map. */
function readMap(pages: PageFile): (page: number) => MapEntry | undefined {
  const loaded = new Map<number, Buffer>()
  return (page) => {
    const index = (page - 2) % (ENTRIES_A_MAP_PAGE + 1)
    if (page < 3 || index === 0) return undefined
    const mapPage = page - index
    const map = loaded.get(mapPage) ?? pages.read(mapPage)
    loaded.set(mapPage, map)
    const at = (index - 1) * MAP_ENTRY_BYTES
    return { type: map[at]!, parent: map.readUInt32BE(at + 1) }
  }
}

/** Whether the map calls a page the root of a table or an index. */
export function isRoot(pages: PageFile, page: number): boolean {
  return page <= pages.count && readMap(pages)(page)?.type === ROOT
}

function readVarint(bytes: Buffer, at: number): { readonly value: bigint; readonly end: number } {
  let value = 0n
  for (let index = 0; index < 8; index++) {
    const byte = bytes[at + index] ?? 0
    value = (value << 7n) | BigInt(byte & 0x7f)
    if (byte < 0x80) return { value, end: at + index + 1 }
  }
  return { value: (value << 8n) | BigInt(bytes[at + 8] ?? 0), end: at + 9 }
}

function writeVarint(value: bigint): Buffer {
  const rest = BigInt.asUintN(64, value)
  if (rest >> 56n !== 0n) {
    const bytes = Buffer.alloc(9)
    for (let index = 7, left = rest >> 8n; index >= 0; index--, left >>= 7n)
      bytes[index] = Number(left & 0x7fn) | 0x80
    bytes[8] = Number(rest & 0xffn)
    return bytes
  }
  const sevens: number[] = [Number(rest & 0x7fn)]
  for (let left = rest >> 7n; left > 0n; left >>= 7n) sevens.unshift(Number(left & 0x7fn) | 0x80)
  return Buffer.from(sevens)
}

function isInner(bytes: Buffer, pages: PageFile): boolean {
  if (bytes[0] !== TABLE_INNER && bytes[0] !== INDEX_INNER) return false
  const cells = bytes.readUInt16BE(3)
  const last = bytes.readUInt32BE(8)
  return (
    cells > 0 && INNER_HEADER_BYTES + 2 * cells <= PAGE_BYTES && last > 2 && last <= pages.count
  )
}

/** The largest row id below a table's page; null if unknown. */
function largestRowId(pages: PageFile, page: number, depth = 0): bigint | null {
  const bytes = pages.read(page)
  const cells = bytes.readUInt16BE(3)
  if (bytes[0] === TABLE_INNER && isInner(bytes, pages) && depth < 20)
    return largestRowId(pages, bytes.readUInt32BE(8), depth + 1)
  if (bytes[0] !== TABLE_LEAF || cells === 0 || LEAF_HEADER_BYTES + 2 * cells > PAGE_BYTES)
    return null
  const cell = bytes.readUInt16BE(LEAF_HEADER_BYTES + 2 * (cells - 1))
  if (cell >= PAGE_BYTES - 2) return null
  const payload = readVarint(bytes, cell)
  return BigInt.asIntN(64, readVarint(bytes, payload.end).value)
}

/** The inner page of a table that leads to these pages; null if they don't match or none can be used. */
function innerPage(pages: PageFile, children: readonly number[]): Buffer | null {
  const known = children
    .flatMap((page) => {
      const rowId = largestRowId(pages, page)
      return rowId === null ? [] : [{ page, rowId }]
    })
    .sort((left, right) => (left.rowId < right.rowId ? -1 : 1))
  const last = known.pop()
  if (last === undefined) return null
  const bytes = Buffer.alloc(PAGE_BYTES)
  let content = PAGE_BYTES
  for (const [index, { page, rowId }] of known.entries()) {
    const key = writeVarint(rowId)
    content -= 4 + key.length
    if (content < INNER_HEADER_BYTES + 2 * known.length) return null
    bytes.writeUInt32BE(page, content)
    key.copy(bytes, content + 4)
    bytes.writeUInt16BE(content, INNER_HEADER_BYTES + 2 * index)
  }
  bytes[0] = TABLE_INNER
  bytes.writeUInt16BE(known.length, 3)
  bytes.writeUInt16BE(content, 5)
  bytes.writeUInt32BE(last.page, 8)
  return bytes
}

/** Damaged inner pages by their number, with the pages that the map says they led to. Empty for a file without a map. */
export function damagedInnerPages(pages: PageFile): Map<number, number[]> {
  const entryOf = readMap(pages)
  const children = new Map<number, number[]>()
  for (let page = 3; page <= pages.count; page++) {
    const entry = entryOf(page)
    if (entry?.type !== TREE || entry.parent < 3 || entry.parent > pages.count) continue
    const type = pages.read(page)[0]
    if (type !== TABLE_LEAF && type !== TABLE_INNER) continue
    const siblings = children.get(entry.parent)
    if (siblings === undefined) children.set(entry.parent, [page])
    else siblings.push(page)
  }
  const damaged = new Map<number, number[]>()
  for (const [parent, pagesBelow] of children) {
    const own = entryOf(parent)
    if ((own?.type === ROOT || own?.type === TREE) && !isInner(pages.read(parent), pages))
      damaged.set(parent, pagesBelow)
  }
  return damaged
}

/** Rebuilds damaged inner pages of tables from the pages below them; returns how many. */
export function rebuildInnerPages(pages: PageFile): number {
  let rebuilt = 0
  const entryOf = readMap(pages)
  const damaged = damagedInnerPages(pages)
  const depthOf = (page: number, depth = 0): number => {
    const entry = entryOf(page)
    return entry?.type === TREE && depth < 20 ? depthOf(entry.parent, depth + 1) : depth
  }
  // Deepest first: each page is rebuilt from those below it.
  for (const [page, children] of [...damaged].sort(
    ([left], [right]) => depthOf(right) - depthOf(left),
  )) {
    const below = [
      ...children,
      ...[...damaged.keys()].filter(
        (other) => entryOf(other)?.parent === page && !children.includes(other),
      ),
    ]
    const bytes = innerPage(pages, below)
    if (bytes === null) continue
    pages.write(page, bytes)
    rebuilt++
  }
  return rebuilt
}
