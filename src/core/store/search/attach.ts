/** Lets a reading connection see the index under the name `search`. */
import { READER_CACHE_KIB, type ReadableDb } from '../open.ts'
import { hasSearch } from './finder.ts'

export function attachSearch(db: ReadableDb, file: string): void {
  if (hasSearch(db)) return
  db.prepare('ATTACH ? AS search').run(file)
  db.pragma(`search.cache_size = -${READER_CACHE_KIB}`)
}

export function detachSearch(db: ReadableDb): void {
  if (hasSearch(db)) db.exec('DETACH search')
}
