/**
 * A job's next sends, page by page, with everything needed to make them. A page is read with one statement and transferred with all
 * bodies in one buffer: thousands of small ones cost more to transfer than to read.
 */
import type { Delivery, DeliveryRow } from '../../shared/model/delivery.ts'
import type { ReadableDb } from './open.ts'
import { packBodies, unpackBodies } from './ingest-repo.ts'
import { headersOf } from './rows.ts'

/**
 * How many sends one transaction changes if there may be a million: it takes a few milliseconds, and new deliveries are stored in
 * between.
 */
export const SENDS_AT_ONCE = 2_000

/** The parts of a delivery needed to send it. */
export type SendableDelivery = Pick<
  Delivery,
  'id' | 'method' | 'malformed' | 'truncated' | 'hookId' | 'headers'
>

/** A send that is next; `delivery` is null if it was deleted in the meantime. */
export interface WaitingSend {
  readonly seq: number
  readonly position: number
  readonly target: string
  readonly delivery: SendableDelivery | null
  readonly body: Uint8Array
}

/** Lists of values: objects with names take longer to create and to transfer. */
type PackedSend = readonly [
  /** Bytes of its body. */
  size: number,
  seq: number,
  position: number,
  target: string,
  id: string | null,
  method: string | null,
  malformed: string | null,
  truncated: number | null,
  hookId: string | null,
  /** As JSON. */
  headers: string | null,
]
type SendRow = readonly [
  bytes: Buffer | null,
  ...values: PackedSend extends readonly [number, ...infer Values] ? Values : never,
]

interface PackedPage {
  readonly sends: readonly PackedSend[]
  readonly bodies: Uint8Array
}

/** Deliveries that are equal in whether they may be sent, where to, and how they are signed. */
export interface KindToSend extends Pick<DeliveryRow, 'hookId' | 'environment' | 'mode'> {
  /** One of them, for messages. */
  readonly id: string
}

/** With the seqs of the deliveries of this kind, oldest first. */
export type PackedKind = readonly [
  id: string,
  hookId: string | null,
  environment: string | null,
  mode: KindToSend['mode'],
  seqs: readonly number[],
]

/**
 * The kinds of deliveries as JSON (`PackedKind[]`): thousands of objects cost more to transfer than to find, and most deliveries
 * are of a few kinds. Deleted ones are left out.
 */
export function kindsToSend(db: ReadableDb, seqs: readonly number[]): string {
  return (
    db
      .prepare<[string], string>(
        `SELECT json_group_array(json_array(id, hook_id, environment, mode, json(seqs))) FROM (
           SELECT id, min(seq), hook_id, environment, mode, json_group_array(seq ORDER BY seq) AS seqs FROM deliveries
           WHERE seq IN (SELECT value FROM json_each(?)) AND seq NOT IN (SELECT seq FROM deleted)
           GROUP BY hook_id, environment, mode)`,
      )
      .pluck()
      .get(JSON.stringify(seqs)) ?? '[]'
  )
}

/** A page has at most about this many bytes of bodies, but at least one send. */
const PAGE_BYTES = 4 * 1_048_576

/** The next sends of a job after a place, in order. */
export function waitingSends(
  db: ReadableDb,
  {
    jobId,
    after,
    limit,
  }: { readonly jobId: string; readonly after: number; readonly limit: number },
): PackedPage {
  const rows = db
    .prepare<[string, number, number], SendRow>(
      `SELECT b.bytes, s.seq, s.position, s.target, d.id, d.method, d.malformed, d.truncated, d.hook_id, d.headers
       FROM sends s
       LEFT JOIN deliveries d ON d.seq = s.delivery_seq AND d.seq NOT IN (SELECT seq FROM deleted)
       LEFT JOIN bodies b ON b.seq = d.seq
       WHERE s.job_id = ? AND s.position > ? AND s.state = 'waiting' ORDER BY s.position LIMIT ?`,
    )
    .raw()
    .iterate(jobId, after, limit)
  const sends: PackedSend[] = []
  const bodies: Buffer[] = []
  let total = 0
  for (const [bytes, ...values] of rows) {
    const size = bytes?.length ?? 0
    if (sends.length > 0 && total + size > PAGE_BYTES) break
    total += size
    sends.push([size, ...values])
    if (bytes !== null) bodies.push(bytes)
  }
  return { sends, bodies: packBodies(bodies) }
}

/** The sends of a page, in order. */
export function unpackSends({ sends, bodies }: PackedPage): WaitingSend[] {
  // Buffers, because the HTTP client would wrap anything else again.
  const bodyOf = unpackBodies(bodies)
  return sends.map(
    ([size, seq, position, target, id, method, malformed, truncated, hookId, headersText]) => {
      // Without its headers it would be another request.
      const headers = headersText === null ? null : headersOf(headersText)
      const delivery: SendableDelivery | null =
        id === null || headers === null
          ? null
          : {
              id,
              method,
              malformed: malformed === null ? null : { reason: malformed },
              truncated: truncated === 1,
              hookId,
              headers,
            }
      return { seq, position, target, delivery, body: bodyOf(size) }
    },
  )
}
