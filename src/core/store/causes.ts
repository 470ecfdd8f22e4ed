/** Stored diagnoses: the likely cause of each invalid signature. */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { rowStatement } from './statements.ts'
import type { ReadableDb, WritableDb } from './database.ts'
import { withRelaxedCommit } from './commit-modes.ts'
import { withRecount } from './delivery-totals.ts'
import { noteIndexChanges } from './search/index-changes.ts'

const MAX_CHECKED = 1_000
const MAX_DIAGNOSED_BYTES = 1_048_576

/** Diagnosis of a delivery; `keysHash` identifies the hooks and secrets that were tried. */
export interface Cause extends Pick<DeliveryRow, 'environment' | 'mode'> {
  readonly seq: number
  readonly cause: string | null
  readonly keysHash: number
  /** Hook to attribute the delivery to; null keeps the stored one. */
  readonly hookId: string | null
}

export interface UndiagnosedInput {
  readonly keysHash: number
  readonly after: number
  readonly before: number
  readonly limit: number
}

export interface Undiagnosed {
  readonly left: readonly { readonly seq: number; readonly id: string }[]
  /** Newest seq in the range; 0 if it is empty. */
  readonly newest: number
  /** Seq before which to continue, or null. */
  readonly before: number | null
}

/** Finds invalid deliveries that these keys haven't diagnosed, newest first. */
export function readUndiagnosed(
  db: ReadableDb,
  { keysHash, after, before, limit }: UndiagnosedInput,
): Undiagnosed {
  const { newest, oldest, count } = rowStatement<{
    newest: number | null
    oldest: number | null
    count: number
  }>(
    db,
    `SELECT max(seq) AS newest, min(seq) AS oldest, count(*) AS count
       FROM (SELECT seq FROM deliveries WHERE verdict = 'invalid' AND seq > ? AND seq < ? ORDER BY seq DESC LIMIT ?)`,
  ).get(after, before, MAX_CHECKED)!
  if (newest === null || oldest === null) return { left: [], newest: 0, before: null }
  const left = rowStatement<{ seq: number; id: string }>(
    db,
    `SELECT d.seq, d.id FROM deliveries d LEFT JOIN causes c ON c.seq = d.seq
       WHERE d.verdict = 'invalid' AND d.seq <= ? AND d.seq >= ?
         AND d.verified_here = 1 AND d.truncated = 0 AND d.malformed IS NULL AND d.body_size <= ? AND c.keys IS NOT ?
         AND d.seq NOT IN (SELECT seq FROM deleted) ORDER BY d.seq DESC LIMIT ?`,
  ).all(newest, oldest, MAX_DIAGNOSED_BYTES, keysHash, limit)
  if (left.length === limit) return { left, newest, before: left.at(-1)!.seq }
  return { left, newest, before: count === MAX_CHECKED ? oldest : null }
}

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
      for (const { seq, cause, keysHash } of causes) put.run({ seq, cause, keys: keysHash })
      const seqs = attributed.map(({ seq }) => seq)
      withRecount(db, seqs, () => {
        for (const { seq, hookId, environment, mode } of attributed)
          attribute.run({ seq, hookId, environment, mode })
        noteIndexChanges(db, seqs)
      })
    }).immediate,
  )
}
