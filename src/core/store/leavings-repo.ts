/** Reads what belongs to hidden deliveries and has to go with them: found out by the reader, so that the writer only deletes. */
import { parseBody } from '../../shared/service/json-body.ts'
import { namedObjects, type Link } from '../lifecycle/named-objects.ts'
import { MOST_READ } from './describe.ts'
import type { ReadableDb } from './open.ts'

/** What belongs to a hidden delivery and has to go with it. */
export interface Leaving {
  readonly seq: number
  readonly event: string | null
  /** The objects that its payload names. */
  readonly links: readonly Link[]
  /** Where it is the latest of its notification: the one before it that stays, null where none does. */
  readonly notification: { readonly key: number; readonly previous: number | null } | null
}

interface LeavingRow {
  readonly seq: number
  readonly id: string
  readonly event: string | null
  readonly event_candidates: string
  readonly is_payload: number
  readonly notification_key: number | null
  readonly is_latest: number | null
  readonly first: string | null
}

/** Hidden deliveries, oldest first, that were hidden before `before` and are described, with what goes with each. */
export function readLeavings(db: ReadableDb, { before, limit }: { readonly before: number; readonly limit: number }): Leaving[] {
  const rows = db
    .prepare<[number, number], LeavingRow>(
      `SELECT d.seq, d.id, d.event, d.event_candidates, d.notification_key, coalesce(d.attempt_of, d.duplicate_of) AS first,
         d.malformed IS NULL AND d.truncated = 0 AND d.body_size <= ${MOST_READ} AS is_payload, n.last_seq = d.seq AS is_latest
       FROM deleted x JOIN deliveries d ON d.seq = x.seq LEFT JOIN notifications n ON n.key = d.notification_key
       WHERE x.at < ? AND x.seq <= (SELECT described_seq FROM progress) ORDER BY x.seq LIMIT ?`,
    )
    .all(before, limit)
  const body = db.prepare<[number], Buffer>('SELECT bytes FROM bodies WHERE seq = ?').pluck()
  const previous = db
    .prepare<{ first: string; seq: number }, number | null>(
      `SELECT max(d.seq) FROM deliveries d
       WHERE d.seq >= (SELECT min(seq, @seq) FROM deliveries WHERE id >= @first ORDER BY id LIMIT 1) AND d.seq < @seq
         AND (d.id = @first OR d.attempt_of = @first OR d.duplicate_of = @first) AND d.seq NOT IN (SELECT seq FROM deleted)`,
    )
    .pluck()
  return rows.map(({ seq, event, event_candidates: candidates, is_payload: isPayload, notification_key: key, ...row }) => {
    const likely = event ?? (JSON.parse(candidates) as string[])[0]
    const parsed = likely === undefined || isPayload === 0 ? null : parseBody(body.get(seq) ?? '')
    const isLatest = key !== null && row.is_latest === 1
    return {
      seq,
      event,
      links: likely !== undefined && parsed?.ok === true ? namedObjects(likely, parsed.value) : [],
      notification: isLatest
        ? { key, previous: row.first === null ? null : (previous.get({ first: row.first, seq }) ?? null) }
        : null,
    }
  })
}

/** Deliveries that are taken out and still on the list of the hidden: what an interrupted run left there. */
export function readForgotten(db: ReadableDb): number[] {
  return db
    .prepare<[], number>('SELECT seq FROM deleted WHERE seq NOT IN (SELECT seq FROM deliveries) ORDER BY seq')
    .pluck()
    .all()
}
