/**
 * Opens a damaged database for reading, without changing it. If its header, schema or an inner page can't be read, a working copy
 * gets new ones: the places of this program's tables follow from the migrations.
 */
import { constants, copyFileSync, existsSync, rmSync } from 'node:fs'
import Sqlite, { type Database } from 'better-sqlite3'
import { AppError } from '../../../shared/contract/errors.ts'
import { isCorrupt } from '../damaged.ts'
import { migrate } from '../migrate.ts'
import { migrations } from '../migrations/index.ts'
import { READER_CACHE_KIB } from '../open.ts'
import {
  INDEX_INNER,
  INDEX_LEAF,
  PAGE_BYTES,
  TABLE_INNER,
  TABLE_LEAF,
  damagedInnerPages,
  isRoot,
  openPages,
  rebuildInnerPages,
  type PageFile,
} from './pages.ts'

export interface DamagedSource {
  readonly db: Database
  /** Version of its schema. */
  readonly version: number
  /** Whether header, schema or inner pages were rebuilt in a working copy. */
  readonly isRebuilt: boolean
  close(): void
}

interface SchemaRow {
  readonly type: string
  readonly name: string
  readonly tbl_name: string
  readonly rootpage: number
  readonly sql: string | null
}

const HEADER_BYTES = 100

/** Path of the working copy of a damaged file. */
export function workingCopyOf(file: string): string {
  return `${file}.repair-source`
}

export function removeWorkingCopy(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(workingCopyOf(file) + end, { force: true })
}

function corrupt(message: string): Error {
  return Object.assign(new Error(message), { code: 'SQLITE_CORRUPT' })
}

function schemaOf(db: Database): SchemaRow[] {
  return db
    .prepare<[], SchemaRow>(
      'SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY rowid',
    )
    .all()
}

/** A version's schema as this program creates it, with the places of its tables and indexes. */
function templateOf(
  file: string,
  version: number,
): { readonly schema: SchemaRow[]; readonly firstPage: Buffer } {
  const made = `${workingCopyOf(file)}-template`
  rmSync(made, { force: true })
  const db = new Sqlite(made)
  try {
    db.pragma(`page_size = ${PAGE_BYTES}`)
    db.pragma('auto_vacuum = INCREMENTAL')
    migrate(
      db,
      migrations.filter((migration) => migration.version <= version),
    )
    const schema = schemaOf(db)
    db.close()
    const pages = openPages(made)
    const firstPage = pages.read(1)
    pages.close()
    return { schema, firstPage }
  } finally {
    db.close()
    rmSync(made, { force: true })
  }
}

function isWithoutRowIds({ sql }: SchemaRow): boolean {
  return sql !== null && /WITHOUT ROWID\s*$/i.test(sql)
}

/** How many pages of a file can be roots named by a schema, minus those that can't. */
function fits(
  pages: PageFile,
  schema: readonly SchemaRow[],
): { readonly score: number; readonly isExact: boolean } {
  let wrong = 0
  for (const row of schema) {
    const expected =
      row.type === 'table' && !isWithoutRowIds(row)
        ? [TABLE_LEAF, TABLE_INNER]
        : [INDEX_LEAF, INDEX_INNER]
    if (!expected.includes(pages.read(row.rootpage)[0]!)) wrong++
  }
  // A root beyond this schema's last one: the file has tables that the schema lacks.
  if (isRoot(pages, Math.max(...schema.map(({ rootpage }) => rootpage)) + 1)) wrong++
  return { score: schema.length - 2 * wrong, isExact: wrong === 0 }
}

/** The version whose schema best matches the file's pages, the newest of equals. */
function guessSchema(
  file: string,
  pages: PageFile,
): { readonly version: number; readonly schema: SchemaRow[]; readonly firstPage: Buffer } {
  let best: { score: number; version: number; schema: SchemaRow[]; firstPage: Buffer } | null = null
  for (const { version } of migrations.toReversed()) {
    const template = templateOf(file, version)
    const { score, isExact } = fits(pages, template.schema)
    if (best === null || score > best.score) best = { score, version, ...template }
    if (isExact) break
  }
  if (best === null || best.score <= 0)
    throw new AppError(
      'DATABASE_DAMAGED',
      `${file} has no readable Countersign tables. Nothing was changed. Restore a backup of the file if you have one.`,
      { details: { file } },
    )
  return best
}

/** Creates the working copy that a repair may change. */
function copyOf(file: string): string {
  const copy = workingCopyOf(file)
  removeWorkingCopy(file)
  copyFileSync(file, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`, constants.COPYFILE_EXCL)
  return copy
}

/** Writes a new header and schema into the working copy. */
function rebuildSchema(copy: string): void {
  const pages = openPages(copy, 'r+')
  let guessed: ReturnType<typeof guessSchema>
  try {
    guessed = guessSchema(copy, pages)
    const page = Buffer.alloc(PAGE_BYTES)
    guessed.firstPage.copy(page, 0, 0, HEADER_BYTES)
    // Uses a write-ahead log, like every file of this program.
    page.writeUInt8(2, 18)
    page.writeUInt8(2, 19)
    const changes = 1
    page.writeUInt32BE(changes, 24)
    page.writeUInt32BE(pages.count, 28)
    // No free pages, because nothing is read from them.
    page.writeUInt32BE(0, 32)
    page.writeUInt32BE(0, 36)
    page.writeUInt32BE(changes, 92)
    // An empty leaf, which takes the schema below.
    page[HEADER_BYTES] = TABLE_LEAF
    page.writeUInt16BE(PAGE_BYTES, HEADER_BYTES + 5)
    pages.write(1, page)
  } finally {
    pages.close()
  }
  const db = new Sqlite(copy)
  try {
    db.unsafeMode()
    db.pragma('writable_schema = ON')
    const add = db.prepare(
      'INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, ?, ?)',
    )
    db.transaction(() => {
      for (const row of guessed.schema)
        add.run(row.type, row.name, row.tbl_name, row.rootpage, row.sql)
    })()
  } finally {
    db.close()
  }
}

/** Pages are read directly from the file, so the log is written back first. */
function writeLogBack(copy: string): void {
  const db = new Sqlite(copy)
  try {
    db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
}

function hasDamagedInnerPages(file: string): boolean {
  const pages = openPages(file)
  try {
    return damagedInnerPages(pages).size > 0
  } finally {
    pages.close()
  }
}

function openSource(file: string): { readonly db: Database; readonly version: number } {
  const db = new Sqlite(file, { readonly: true, fileMustExist: true })
  try {
    db.pragma(`cache_size = -${READER_CACHE_KIB}`)
    const version = db.pragma('user_version', { simple: true }) as number
    const schema = schemaOf(db)
    const isKnown = migrations.some((migration) => migration.version === version)
    if (!isKnown || schema.length === 0) throw corrupt('its header or schema is damaged')
    // Each table is looked up once, so that a damaged schema fails here and not midway.
    for (const { type, name } of schema) if (type === 'table') db.pragma(`table_info(${name})`)
    return { db, version }
  } catch (error) {
    db.close()
    throw error
  }
}

/** The same, or null if header or schema are damaged. */
function tryOpenSource(file: string): ReturnType<typeof openSource> | null {
  try {
    return openSource(file)
  } catch (error) {
    if (isCorrupt(error)) return null
    throw error
  }
}

/** Reads every page of a file's tables and indexes. Throws SQLite's error, or one with its code, for damage. */
export function checkPages(file: string): void {
  const db = new Sqlite(file, { readonly: true, fileMustExist: true })
  try {
    const found = db.pragma('quick_check(1)', { simple: true }) as string
    if (found !== 'ok') throw corrupt(found.replaceAll('\n', ' '))
  } finally {
    db.close()
  }
}

/** Opens any readable part. Throws `DATABASE_DAMAGED` if not even the tables can be found. */
export function openDamaged(file: string): DamagedSource {
  const opened = tryOpenSource(file)
  if (opened !== null && !hasDamagedInnerPages(file))
    return { ...opened, isRebuilt: false, close: () => void opened.db.close() }
  opened?.db.close()
  const copy = copyOf(file)
  try {
    if (opened === null) rebuildSchema(copy)
    writeLogBack(copy)
    const pages = openPages(copy, 'r+')
    rebuildInnerPages(pages)
    pages.close()
    const { db, version } = openSource(copy)
    return {
      db,
      version,
      isRebuilt: true,
      close() {
        db.close()
        removeWorkingCopy(file)
      },
    }
  } catch (error) {
    removeWorkingCopy(file)
    throw error
  }
}
