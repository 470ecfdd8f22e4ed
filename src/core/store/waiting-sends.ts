/**
 * The sends of a job whose turn comes, page by page, with all that each is made of. A page is read with one statement, and goes
 * from thread to thread with all bodies in one piece: thousands of small ones cost more to pass on than to read.
 */
import type { Delivery, DeliveryRow, RawHeaders } from '../../shared/model/delivery.ts'
import type { ReadableDb } from './open.ts'
import { packBodies, unpackBodies } from './packed-bodies.ts'

/**
 * So many sends are changed in one transaction where there may be a million: it takes a few milliseconds, and what comes in is stored
 * in between.
 */
export const SENDS_AT_ONCE = 2_000

/** A delivery so far as a request is made from it. */
export type SendableDelivery = Pick<Delivery, 'id' | 'method' | 'malformed' | 'truncated' | 'hookId' | 'headers'>

/** A send whose turn comes; `delivery` is null where that was deleted meanwhile. */
export interface WaitingSend {
  readonly seq: number
  readonly position: number
  readonly target: string
  readonly delivery: SendableDelivery | null
  readonly body: Uint8Array
}

/** Lists of values: objects with their names take longer to make, and to pass on. */
type PackedSend = readonly [
  /** Of its body, in bytes. */
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
type SendRow = readonly [bytes: Buffer | null, ...values: PackedSend extends readonly [number, ...infer Values] ? Values : never]

interface PackedPage {
  readonly sends: readonly PackedSend[]
  readonly bodies: Uint8Array
}

/** Deliveries that are alike in whether they may be sent, where to, and with what they are signed. */
export interface KindToSend extends Pick<DeliveryRow, 'hookId' | 'environment' | 'mode'> {
  /** Of one of them, to name it by. */
  readonly id: string
}

/** With the deliveries of the kind, by seq, oldest first. */
export type PackedKind = readonly [
  id: string,
  hookId: string | null,
  environment: string | null,
  mode: KindToSend['mode'],
  seqs: readonly number[],
]

/**
 * The kinds of deliveries, as one text of JSON (`PackedKind[]`): thousands of objects cost more to pass on than to find, and most
 * deliveries are of a few kinds. Those that are gone are left out.
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

/** A page holds about so many bytes of bodies at most; it has one send at least. */
const PAGE_BYTES = 4 * 1_048_576

/** The next sends of a job after a place, in order. */
export function waitingSends(
  db: ReadableDb,
  { jobId, after, limit }: { readonly jobId: string; readonly after: number; readonly limit: number },
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
  // Buffers, as the client of HTTP takes them: it would wrap anything else anew.
  const bodyOf = unpackBodies(bodies)
  return sends.map(([size, seq, position, target, id, method, malformed, truncated, hookId, headers]) => {
    const delivery: SendableDelivery | null =
      id === null || headers === null
        ? null
        : {
            id,
            method,
            malformed: malformed === null ? null : { reason: malformed },
            truncated: truncated === 1,
            hookId,
            headers: JSON.parse(headers) as RawHeaders,
          }
    return { seq, position, target, delivery, body: bodyOf(size) }
  })
}
