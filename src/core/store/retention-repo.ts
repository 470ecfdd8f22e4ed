/** What retention and the storage screen ask of the database: its oldest deliveries without a pin, and how much of the file is used. */
import { isIncremental } from './compaction-repo.ts'
import type { ReadableDb } from './open.ts'

/** A delivery as far as retention looks at it. */
export interface Oldest {
  readonly seq: number
  /** In milliseconds since the epoch. */
  readonly receivedAt: number
  /** Bytes of its body, its headers and its path. */
  readonly bytes: number
}

const IS_SPARED = 'd.seq IN (SELECT seq FROM deleted) OR d.seq IN (SELECT seq FROM marks WHERE pinned = 1)'

/** The oldest deliveries that are neither pinned nor deleted, after a seq, oldest first. */
export function oldestUnpinned(db: ReadableDb, { after, limit }: { readonly after: number; readonly limit: number }): Oldest[] {
  return db
    .prepare<[number, number], Oldest>(
      `SELECT d.seq, d.received_at AS receivedAt, min(d.body_size, coalesce((SELECT length(b.bytes) FROM bodies b WHERE d.truncated = 1 AND b.seq = d.seq), d.body_size))
         + length(d.headers) + coalesce(length(d.path), 0) AS bytes
       FROM deliveries d WHERE d.seq > ? AND NOT (${IS_SPARED}) ORDER BY d.seq LIMIT ?`,
    )
    .all(after, limit)
}

/** How much of the database file is used, and how much of it is free for what comes next, in bytes. */
export interface FileUse {
  readonly used: number
  readonly free: number
  readonly pageBytes: number
  /** Whether the file can be made smaller piece by piece. */
  readonly incremental: boolean
}

export function fileUse(db: ReadableDb): FileUse {
  const number = (name: string) => db.pragma(name, { simple: true }) as number
  const size = number('page_size')
  const free = number('freelist_count') * size
  return { used: number('page_count') * size - free, free, pageBytes: size, incremental: isIncremental(db) }
}
