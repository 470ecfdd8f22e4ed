/** Verdicts that change after storing, of imported and unsigned deliveries. */
import type { DeliveryRow, RawHeaders } from '../../shared/model/delivery.ts'
import { newestSeq } from './deliveries.ts'
import { prepareRejudge } from './handler-responses.ts'
import { headersOf } from './rows.ts'
import { rowStatement } from './statements.ts'
import type { ReadableDb, WritableDb } from './database.ts'
import { withRecount } from './delivery-totals.ts'
import { noteIndexChanges } from './search/index-changes.ts'

export interface UnprovedDelivery extends Pick<DeliveryRow, 'seq' | 'path'> {
  readonly headers: RawHeaders
  readonly body: Uint8Array
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
  /** Whether its verdict comes from an import file. */
  readonly isClaim: boolean
}

export interface UnprovedInput {
  /**
   * `claims` for verdicts from import files, or prefixes for unsigned deliveries with a header of
   * one of them.
   */
  readonly which: 'claims' | readonly string[]
  readonly after: number
  readonly upTo?: number
}

const PAGE_SEQS = 20_000
const MAX_PAGE_BYTES = 8 * 1_048_576

const IS_UNSIGNED = `d.verdict = 'unsigned' AND EXISTS
  (SELECT 1 FROM json_each(?) WHERE d.headers LIKE '%"x-' || value || '-signature"%')`

/** Returns the next deliveries, and the seq to continue after, or null. */
export function readUnproved(
  db: ReadableDb,
  { which, after, upTo = after + PAGE_SEQS }: UnprovedInput,
): { readonly deliveries: readonly UnprovedDelivery[]; readonly next: number | null } {
  const isClaim = which === 'claims'
  const rows = rowStatement<
    Omit<UnprovedDelivery, 'headers' | 'isClaim'> & { readonly headers: string }
  >(
    db,
    `SELECT d.seq, d.path, d.headers, d.received_at AS receivedAt, b.bytes AS body
     FROM deliveries d JOIN bodies b ON b.seq = d.seq
     WHERE d.seq > ? AND d.seq <= ? AND d.malformed IS NULL AND d.truncated = 0
       AND ${isClaim ? 'd.verified_here = 0' : IS_UNSIGNED} ORDER BY d.seq`,
  ).iterate(after, upTo, ...(isClaim ? [] : [JSON.stringify(which)]))
  const deliveries: UnprovedDelivery[] = []
  let bytes = 0
  for (const { headers, ...delivery } of rows) {
    deliveries.push({ ...delivery, headers: headersOf(headers) ?? [], isClaim })
    bytes += delivery.body.length
    if (bytes > MAX_PAGE_BYTES) return { deliveries, next: delivery.seq }
  }
  return { deliveries, next: upTo < newestSeq(db) ? upTo : null }
}

export interface NewVerdict extends Pick<
  DeliveryRow,
  'seq' | 'verdict' | 'hookId' | 'environment' | 'mode'
> {
  /** Freshness; null keeps the stored one, because an import has its file's time. */
  readonly freshness: DeliveryRow['freshness'] | null
  /** Event of the hook that signed it, or null. */
  readonly event: string | null
  readonly schema: DeliveryRow['schema'] | null
  /** Milliseconds since the epoch; null for an import. */
  readonly at: number | null
}

/** Stores new verdicts; corrects totals, handler responses and the search index. */
export function putVerdicts(db: WritableDb, rows: readonly NewVerdict[]): void {
  const put = db.prepare(
    `UPDATE deliveries SET verdict = @verdict, freshness = coalesce(@freshness, freshness), hook_id = @hookId,
       environment = @environment, mode = @mode, event = coalesce(@event, event),
       event_source = iif(@event IS NULL, event_source, 'hook'), event_candidates = iif(@event IS NULL, event_candidates, '[]'),
       schema = coalesce(@schema, schema), verified_here = 1, judged_at = coalesce(@at, judged_at)
     WHERE seq = @seq AND (verified_here = 0 OR verdict = 'unsigned')`,
  )
  const dropCause = db.prepare('DELETE FROM causes WHERE seq = ?')
  const judgeAgain = prepareRejudge(db)
  const seqs = rows.map(({ seq }) => seq)
  db.transaction(() =>
    withRecount(db, seqs, () => {
      for (const row of rows) {
        put.run(row)
        dropCause.run(row.seq)
        judgeAgain(row.seq)
      }
      noteIndexChanges(db, seqs)
    }),
  ).immediate()
}
