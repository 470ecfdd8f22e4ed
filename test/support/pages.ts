/** Lists the pages of a database file and damages one. */
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { openForReading } from '../../src/core/store/open.ts'
import { databaseFileOf } from '../../src/core/store/database.ts'

export const PAGE_BYTES = 4_096

export interface DamagePage {
  readonly number: number
  /** Table or index of the page; null for pointer maps and free pages. */
  readonly name: string | null
  readonly kind: 'leaf' | 'internal' | 'overflow' | null
  readonly cells: number
}

/** Lists page contents before the damage, according to SQLite. */
export function pagesOf(folder: string): DamagePage[] {
  const file = databaseFileOf(folder)
  const db = openForReading(file)
  const listed = db
    .prepare<[], DamagePage>(
      'SELECT pageno AS number, name, pagetype AS kind, ncell AS cells FROM dbstat',
    )
    .all()
  db.close()
  const byNumber = new Map(listed.map((page) => [page.number, page]))
  return Array.from(
    { length: statSync(file).size / PAGE_BYTES },
    (_, index) =>
      byNumber.get(index + 1) ?? { number: index + 1, name: null, kind: null, cells: 0 },
  )
}

export function overwrite(file: string, bytes: Uint8Array, offset: number): void {
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, bytes, 0, bytes.length, offset)
  closeSync(descriptor)
}
