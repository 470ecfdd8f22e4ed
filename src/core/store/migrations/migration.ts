/** One step of the schema. Versions rise in steps of ten; a released step is never edited. */
import type { Database } from 'better-sqlite3'

export interface Migration {
  readonly version: number
  readonly name: string
  up(db: Database): void
}
