/** Lets a reading connection see the index under the name `search`. */
import { READER_CACHE_KIB, type ReadableDb } from '../open.ts'
import { forgetStatements } from '../statements.ts'

const attached = new WeakSet<ReadableDb>()

/** Whether the index is attached to this connection. */
export function hasSearch(db: ReadableDb): boolean {
  return attached.has(db)
}

export function attachSearch(db: ReadableDb, file: string): void {
  if (hasSearch(db)) return
  db.prepare('ATTACH ? AS search').run(file)
  attached.add(db)
  db.pragma(`search.cache_size = -${READER_CACHE_KIB}`)
}

export function detachSearch(db: ReadableDb): void {
  if (!hasSearch(db)) return
  forgetStatements(db)
  db.exec('DETACH search')
  attached.delete(db)
}
