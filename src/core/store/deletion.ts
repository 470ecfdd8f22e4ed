/**
 * Deletes deliveries in two steps: they are hidden immediately, which can be undone, then removed in the background with everything
 * that belongs to them. Hidden deliveries are invisible to every reader until the search index has dropped them too. After a stop
 * in between they stay hidden, and the next start removes them.
 */
import { statfsSync, statSync } from 'node:fs'
import { systemClock } from '../base/system-clock.ts'
import { responsesOf, storingResponses } from './enrich.ts'
import {
  type WritableDb,
  type ReadableDb,
  withRelaxedCommit,
  databaseFileOf,
  emptyLog,
  openForWriting,
} from './open.ts'
import { recounting } from './timeline.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { rowStatement, valuesOf } from './statements.ts'

/** Hides deliveries; `at` in milliseconds since the epoch. Returns those that existed and weren't hidden before. */
export function hideDeliveries(
  db: WritableDb,
  { seqs, at }: { readonly seqs: readonly number[]; readonly at: number },
): number[] {
  const hide = db.prepare<[number, number]>(
    'INSERT OR IGNORE INTO deleted (seq, at) SELECT seq, ? FROM deliveries WHERE seq = ?',
  )
  return moved(db, seqs, (seq) => hide.run(at, seq).changes > 0)
}

/** Shows deliveries again, or drops them from the list because they are removed completely. Returns them. */
export function unhideDeliveries(db: WritableDb, seqs: readonly number[]): number[] {
  const show = db.prepare<[number]>('DELETE FROM deleted WHERE seq = ?')
  return moved(db, seqs, (seq) => show.run(seq).changes > 0)
}

const moved = (db: WritableDb, seqs: readonly number[], move: (seq: number) => boolean) =>
  withRelaxedCommit(
    db,
    db.transaction(() => recounting(db, seqs, () => seqs.filter(move))).immediate,
  )

export interface RemovalBatch {
  readonly leavings: readonly Leaving[]
  /** Milliseconds after which no further delivery is started. */
  readonly budgetMs: number
}

/**
 * Creates the function that removes as many of the given hidden deliveries as the time allows, in one transaction, and returns
 * their number.
 */
export function prepareRemoval(db: WritableDb): (removal: RemovalBatch) => number {
  const isHidden = valuesOf<number>(db, 'SELECT 1 FROM deleted WHERE seq = ?')
  const dropNotification = db.prepare('DELETE FROM notifications WHERE key = ? AND last_seq = ?')
  const setLatest = db.prepare(
    'UPDATE notifications SET last_seq = ? WHERE key = ? AND last_seq = ?',
  )
  const drops = [
    'bodies',
    'marks',
    'handler_responses',
    'flow_deliveries',
    'details',
    'causes',
    'deliveries',
  ].map((table) => db.prepare(`DELETE FROM ${table} WHERE seq = ?`))

  const dropUse = valuesOf<number>(
    db,
    'UPDATE responses SET uses = uses - 1 WHERE key = (SELECT response FROM deliveries WHERE seq = ?) RETURNING key',
  )
  const dropUnused = db.prepare('DELETE FROM responses WHERE key = ? AND uses <= 0')

  const remove = db.transaction(({ leavings, budgetMs }: RemovalBatch) => {
    const until = systemClock.monotonic() + budgetMs
    responsesOf(db).settle()
    let count = 0
    for (const { seq, notification } of leavings) {
      if (count > 0 && systemClock.monotonic() >= until) break
      count++
      // Its deletion was undone in the meantime.
      if (isHidden.get(seq) === undefined) continue
      if (notification !== null && notification.previous === null)
        dropNotification.run(notification.key, seq)
      else if (notification !== null) setLatest.run(notification.previous, notification.key, seq)
      const response = dropUse.get(seq)
      if (response !== undefined) dropUnused.run(response)
      for (const drop of drops) drop.run(seq)
    }
    return count
  })
  return (removal) =>
    withRelaxedCommit(db, () => storingResponses(db, () => remove.immediate(removal)))
}

// Finds everything to delete together with hidden deliveries. The reader's thread does this, so that the writer only deletes.

/** Everything that belongs to a hidden delivery and is deleted with it. */
interface Leaving {
  readonly seq: number
  /** If it is the latest of its notification: the previous one that stays, or null. */
  readonly notification: { readonly key: number; readonly previous: number | null } | null
}

interface LeavingRow {
  readonly seq: number
  readonly id: string
  readonly notification_key: number | null
  readonly is_latest: number | null
  readonly first: string | null
}

/** Hidden deliveries, oldest first, that were hidden before `before` and are described, with everything to delete. */
export function readDeletable(
  db: ReadableDb,
  { before, limit }: { readonly before: number; readonly limit: number },
): Leaving[] {
  const rows = rowStatement<LeavingRow>(
    db,
    `SELECT d.seq, d.id, d.notification_key, coalesce(d.attempt_of, d.duplicate_of) AS first, n.last_seq = d.seq AS is_latest
       FROM deleted x JOIN deliveries d ON d.seq = x.seq LEFT JOIN notifications n ON n.key = d.notification_key
       WHERE x.at < ? AND x.seq <= (SELECT described_seq FROM progress) ORDER BY x.seq LIMIT ?`,
  ).all(before, limit)
  const previous = valuesOf<number | null>(
    db,
    `SELECT max(d.seq) FROM deliveries d
       WHERE d.seq >= (SELECT min(seq, @seq) FROM deliveries WHERE id >= @first ORDER BY id LIMIT 1) AND d.seq < @seq
         AND (d.id = @first OR d.attempt_of = @first OR d.duplicate_of = @first) AND d.seq NOT IN (SELECT seq FROM deleted)`,
  )
  return rows.map(({ seq, notification_key: key, is_latest: isLatest, first }) => ({
    seq,
    notification:
      key !== null && isLatest === 1
        ? { key, previous: first === null ? null : (previous.get({ first, seq }) ?? null) }
        : null,
  }))
}

/** Deliveries that are removed but still listed as hidden, left by an interrupted run. */
export function readForgotten(db: ReadableDb): number[] {
  return valuesOf<number>(
    db,
    'SELECT seq FROM deleted WHERE seq NOT IN (SELECT seq FROM deliveries) ORDER BY seq',
  ).all()
}

// Database queries for retention and the storage screen: the oldest deliveries without a pin,
// free space, and returning it to the disk.

/** A delivery as retention needs it. */
interface Oldest {
  readonly seq: number
  /** In milliseconds since the epoch. */
  readonly receivedAt: number
  /** Bytes of its body, headers and path. */
  readonly bytes: number
}

const IS_SPARED =
  'd.seq IN (SELECT seq FROM deleted) OR d.seq IN (SELECT seq FROM marks WHERE pinned = 1)'

/** The oldest deliveries that are neither pinned nor deleted, after a seq, oldest first. */
export function oldestUnpinned(
  db: ReadableDb,
  { after, limit }: { readonly after: number; readonly limit: number },
): Oldest[] {
  return rowStatement<Oldest>(
    db,
    `SELECT d.seq, d.received_at AS receivedAt, min(d.body_size, coalesce((SELECT length(b.bytes) FROM bodies b WHERE d.truncated = 1 AND b.seq = d.seq), d.body_size))
         + length(d.headers) + coalesce(length(d.path), 0) AS bytes
       FROM deliveries d WHERE d.seq > ? AND NOT (${IS_SPARED}) ORDER BY d.seq LIMIT ?`,
  ).all(after, limit)
}

/** How much of the database file is used and how much is free for new data, and what the disk has left, in bytes. */
export interface FileUse {
  readonly used: number
  readonly free: number
  readonly onDisk: number
}

export function fileUse(db: ReadableDb): FileUse {
  const number = (name: string) => db.pragma(name, { simple: true }) as number
  const size = number('page_size')
  const free = number('freelist_count') * size
  const { bavail, bsize } = statfsSync(db.name)
  return { used: number('page_count') * size - free, free, onDisk: bavail * bsize }
}

/** Pages returned between two checks of the clock. */
const PAGES_A_CHECK = 16

/**
 * Returns free pages of the file to the disk for about `budgetMs`, so that no acknowledgement waits for all of them. Returns
 * whether more are left.
 */
export function returnPages(db: WritableDb, budgetMs: number): boolean {
  const until = systemClock.monotonic() + budgetMs
  const count = () => db.pragma('freelist_count', { simple: true }) as number
  return withRelaxedCommit(db, () => {
    const before = count()
    let left = before
    do {
      db.pragma(`incremental_vacuum(${PAGES_A_CHECK})`)
      left = count()
    } while (left > 0 && systemClock.monotonic() < until)
    return left > 0 && left < before
  })
}

/** Writes the log back into the file, as far as no reader needs it, so that the file shrinks on disk. */
export function writeBackLog(db: WritableDb): void {
  db.pragma('wal_checkpoint(PASSIVE)')
}

/**
 * Rewrites the database of a folder that no other process has open, without free pages and remains of deleted data. Returns the bytes
 * freed and the file's new size. If it fails, it throws an `AppError` and nothing has changed.
 */
export function vacuumFile(dataFolder: string): {
  readonly freed: number
  readonly database: number
} {
  const file = databaseFileOf(dataFolder)
  const db = openForWriting(file)
  const before = statSync(file).size
  try {
    // A file of an early version can't return pages in pieces until it is rewritten.
    db.pragma('auto_vacuum = INCREMENTAL')
    db.exec('VACUUM')
    emptyLog(db)
  } catch (error) {
    throw new AppError(
      'STORE_UNAVAILABLE',
      `The database couldn't be rewritten (${(error as Error).message}). It is unchanged. It needs free disk space of about twice its size.`,
      { cause: error },
    )
  } finally {
    db.close()
  }
  const database = statSync(file).size
  return { freed: Math.max(0, before - database), database }
}
