/** Lets a reading connection see the index under the name `search`. */
import type { ReadableDb } from '../open.ts'
import { hasSearch } from './finder.ts'

export function attachSearch(db: ReadableDb, file: string): void {
  if (!hasSearch(db)) db.prepare('ATTACH ? AS search').run(file)
}

export function detachSearch(db: ReadableDb): void {
  if (hasSearch(db)) db.exec('DETACH search')
}
