/** Causes of invalid signatures: found outside of the store, which has no secrets. */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { type ReadableDb, type WritableDb, withRelaxedCommit } from './open.ts'
import { noteIndexChanges } from './search/open-search.ts'
import { rowStatement } from './statements.ts'
import { recounting } from './timeline.ts'

/** Invalid deliveries that one call looks through. */
const CHECKED_AT_ONCE = 1_000
/** A larger body isn't diagnosed unless someone asks. */
const DIAGNOSED_BYTES = 1_048_576

/**
 * A diagnosed delivery: `cause` is null if nothing explains its signature; `keys` stands for the
 * hooks and secrets that were tried.
 */
export interface Cause extends Pick<DeliveryRow, 'environment' | 'mode'> {
  readonly seq: number
  readonly cause: string | null
  readonly keys: number
  /** The likeliest of several hooks, to attribute the delivery to; null to leave it. */
  readonly hookId: string | null
}

/** Where to look for deliveries to diagnose: between these seqs, both excluded. */
export interface UndiagnosedInput {
  readonly keys: number
  readonly after: number
  readonly before: number
  readonly limit: number
}

export interface Undiagnosed {
  /** Newest first. */
  readonly left: readonly { readonly seq: number; readonly id: string }[]
  /** The newest seq in the range, diagnosed or not; 0 if the range is empty. */
  readonly newest: number
  /** The seq before which to look next; null at the end. */
  readonly before: number | null
}

/**
 * Finds invalid deliveries without a diagnosis with these keys, among the newest 1,000 in the
 * range.
 */
export function undiagnosed(
  db: ReadableDb,
  { keys, after, before, limit }: UndiagnosedInput,
): Undiagnosed {
  const { newest, oldest, count } = rowStatement<{
    newest: number | null
    oldest: number | null
    count: number
  }>(
    db,
    `SELECT max(seq) AS newest, min(seq) AS oldest, count(*) AS count
       FROM (SELECT seq FROM deliveries WHERE verdict = 'invalid' AND seq > ? AND seq < ? ORDER BY seq DESC LIMIT ?)`,
  ).get(after, before, CHECKED_AT_ONCE)!
  if (newest === null || oldest === null) return { left: [], newest: 0, before: null }
  const left = rowStatement<{ seq: number; id: string }>(
    db,
    `SELECT d.seq, d.id FROM deliveries d LEFT JOIN causes c ON c.seq = d.seq
       WHERE d.verdict = 'invalid' AND d.seq <= ? AND d.seq >= ?
         AND d.verified_here = 1 AND d.truncated = 0 AND d.malformed IS NULL AND d.body_size <= ? AND c.keys IS NOT ?
         AND d.seq NOT IN (SELECT seq FROM deleted) ORDER BY d.seq DESC LIMIT ?`,
  ).all(newest, oldest, DIAGNOSED_BYTES, keys, limit)
  if (left.length === limit) return { left, newest, before: left.at(-1)!.seq }
  return { left, newest, before: count === CHECKED_AT_ONCE ? oldest : null }
}

/** Stores causes of deliveries that still exist and are still invalid. */
export function putCauses(db: WritableDb, causes: readonly Cause[]): void {
  const put = db.prepare(
    `INSERT OR REPLACE INTO causes (seq, cause, keys)
     SELECT seq, @cause, @keys FROM deliveries WHERE seq = @seq AND verdict = 'invalid' AND verified_here = 1`,
  )
  const attribute = db.prepare(
    `UPDATE deliveries SET hook_id = @hookId, environment = @environment, mode = @mode
     WHERE seq = @seq AND verdict = 'invalid' AND verified_here = 1 AND hook_id IS NOT @hookId`,
  )
  withRelaxedCommit(
    db,
    db.transaction(() => {
      const attributed = causes.filter(({ hookId }) => hookId !== null)
      for (const { seq, cause, keys } of causes) put.run({ seq, cause, keys })
      const seqs = attributed.map(({ seq }) => seq)
      recounting(db, seqs, () => {
        for (const { seq, hookId, environment, mode } of attributed)
          attribute.run({ seq, hookId, environment, mode })
        noteIndexChanges(db, seqs)
      })
    }).immediate,
  )
}
