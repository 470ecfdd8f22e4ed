/** Puts captured deliveries into the database, a batch in one transaction: the part that every acknowledgement waits for. */
import type { Freshness, Mode, Verdict } from '../../shared/model/delivery.ts'
import { releaseMemory } from '../base/threads/release-memory.ts'
import { prepareAnswer, type AnswerRow } from './describe-repo.ts'
import { prepareElsewhere, type KnownElsewhere } from './imported-repo.ts'
import type { WritableDb } from './open.ts'
import { unpackBodies } from './packed-bodies.ts'

/** One captured delivery as the receiver hands it over; its body lies in the batch's bytes. */
export interface IngestRow {
  readonly seq: number
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
  readonly method: string | null
  readonly path: string | null
  readonly malformed: string | null
  readonly httpVersion: string
  /** The raw headers as JSON pairs. */
  readonly headers: string
  /** Like the headers; left out if there are none. */
  readonly trailers?: string
  readonly bodySize: number
  readonly bodySha256: string
  readonly truncated: boolean
  readonly remote: string | null
  readonly event: string | null
  readonly eventSource: 'hook' | 'payload' | null
  readonly hookId: string | null
  readonly environment: string | null
  readonly mode: Mode | null
  readonly verdict: Verdict
  readonly freshness: Freshness
  /** Short hash of what makes two deliveries the same notification; null where nothing can. */
  readonly notificationKey: number | null
  readonly replayOf: string | null
  /** Of one that was received elsewhere. */
  readonly elsewhere?: KnownElsewhere
  /** How many bytes of the batch are this delivery's. */
  readonly keptBytes: number
}

export interface IngestBatch {
  readonly rows: readonly IngestRow[]
  /** The bodies one after the other, in the order of the rows. */
  readonly bodies: ArrayBuffer
  /** What was answered to earlier ones: written here it costs a few microseconds, in a transaction of its own ten times that. */
  readonly answers?: readonly AnswerRow[]
}

/** Makes the function that commits one batch, whose bodies are gone then; its statements are prepared once. */
export function prepareIngest(db: WritableDb): (batch: IngestBatch) => void {
  const insertDelivery = db.prepare(`
    INSERT INTO deliveries (seq, id, received_at, method, path, malformed, http_version, headers, body_size, body_sha256, truncated, remote,
      event, event_source, hook_id, environment, mode, verdict, freshness, notification_key, replay_of)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const insertBody = db.prepare('INSERT INTO bodies (seq, bytes) VALUES (?, ?)')
  const setAnswer = prepareAnswer(db)
  const setTrailers = db.prepare('UPDATE deliveries SET trailers = ? WHERE seq = ?')
  const setElsewhere = prepareElsewhere(db)
  const ingest = db.transaction((batch: IngestBatch) => {
    for (const answer of batch.answers ?? []) setAnswer(answer)
    const nextBody = unpackBodies(new Uint8Array(batch.bodies))
    for (const row of batch.rows) {
      insertDelivery.run(
        row.seq,
        row.id,
        row.receivedAt,
        row.method,
        row.path,
        row.malformed,
        row.httpVersion,
        row.headers,
        row.bodySize,
        row.bodySha256,
        row.truncated ? 1 : 0,
        row.remote,
        row.event,
        row.eventSource,
        row.hookId,
        row.environment,
        row.mode,
        row.verdict,
        row.freshness,
        row.notificationKey,
        row.replayOf,
      )
      insertBody.run(row.seq, nextBody(row.keptBytes))
      if (row.trailers !== undefined) setTrailers.run(row.trailers, row.seq)
      if (row.elsewhere !== undefined) setElsewhere(row.seq, row.elsewhere)
    }
  })
  return (batch) => {
    ingest(batch)
    releaseMemory(new Uint8Array(batch.bodies))
  }
}
