/** Stores the descriptions of deliveries, and links repeated deliveries of a notification. */
import type { describePayload } from '../../shared/service/payload.ts'
import { acknowledges, ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import { rowStatement } from './statements.ts'
import type { WritableDb } from './database.ts'

export type DescribePayload = typeof describePayload
export type Description = ReturnType<DescribePayload>

export interface Undescribed {
  readonly seq: number
  readonly id: string
  readonly notificationKey: number | null
  readonly bodySha256: string
  readonly hookId: string | null
  readonly verdict: string
  readonly event: string | null
  readonly eventSource: string | null
  readonly malformed: string | null
  readonly truncated: boolean
}

interface LatestDelivery extends Pick<Undescribed, 'bodySha256' | 'hookId' | 'verdict'> {
  readonly environment: string | null
  readonly status: number | null
  readonly ms: number | null
}

interface Notification {
  readonly first_id: string
  readonly last_seq: number
  readonly attempts: number
  readonly acknowledged: number
}

function isAcknowledged(
  { status, ms, environment }: LatestDelivery,
  lenient: ReadonlySet<string>,
): boolean {
  if (status === null || ms === null || ms > ACKNOWLEDGE_TIMEOUT_MS) return false
  return acknowledges(status, environment !== null && lenient.has(environment) ? '2xx' : '200')
}

export function prepareDescriptions(db: WritableDb) {
  const putDetails = db.prepare(
    `INSERT OR REPLACE INTO details (seq, amount, currency, merchant, schema_errors)
     SELECT seq, ?, ?, ?, ? FROM deliveries WHERE seq = ?`,
  )
  const setSchema = db.prepare('UPDATE deliveries SET schema = ? WHERE seq = ?')
  const setEvent = db.prepare(
    'UPDATE deliveries SET event = ?, event_source = ?, event_candidates = ? WHERE seq = ?',
  )
  const setAttempt = db.prepare(
    'UPDATE deliveries SET attempt = ?, attempt_of = ?, duplicate_of = ? WHERE seq = ?',
  )
  const readLatest = rowStatement<LatestDelivery>(
    db,
    `SELECT body_sha256 AS bodySha256, hook_id AS hookId, verdict, environment, answer_status AS status, answer_ms AS ms
     FROM deliveries WHERE seq = ?`,
  )
  const readNotification = rowStatement<Notification>(
    db,
    'SELECT first_id, last_seq, attempts, acknowledged FROM notifications WHERE key = ?',
  )
  const writeNotification = db.prepare(
    'INSERT OR REPLACE INTO notifications (key, first_id, last_seq, attempts, acknowledged) VALUES (?, ?, ?, ?, ?)',
  )
  return {
    details(seq: number, { details }: Description) {
      putDetails.run(details.amount, details.currency, details.merchant, details.schemaErrors, seq)
    },
    /** Stores the event that the payload names, unless a signature identified one. */
    columns({ seq, eventSource }: Undescribed, { schema, events }: Description) {
      if (schema !== 'unknown') setSchema.run(schema, seq)
      if (eventSource === 'hook' || events === null || events.length === 0) return
      const [only = null] = events.length === 1 ? events : []
      setEvent.run(
        only,
        only === null ? null : 'payload',
        JSON.stringify(only === null ? events : []),
        seq,
      )
    },
    /**
     * Finds the delivery that this one repeats.
     * @param lenient - environments in which any 2xx acknowledges
     */
    link(row: Undescribed, lenient: ReadonlySet<string>) {
      const { notificationKey: key, seq } = row
      if (key === null) return
      const notification = readNotification.get(key)
      const last = notification === undefined ? undefined : readLatest.get(notification.last_seq)
      // Positive keys are short hashes, which may collide; negative ones come from the sender.
      const isSame =
        last !== undefined &&
        last.hookId === row.hookId &&
        last.verdict === row.verdict &&
        (key < 0 || last.bodySha256 === row.bodySha256)
      if (notification === undefined || last === undefined || !isSame) {
        writeNotification.run(key, row.id, seq, 1, 0)
        return
      }
      const acknowledged = notification.acknowledged === 1 || isAcknowledged(last, lenient)
      const attempt = acknowledged ? 1 : notification.attempts + 1
      setAttempt.run(
        attempt,
        acknowledged ? null : notification.first_id,
        acknowledged ? notification.first_id : null,
        seq,
      )
      writeNotification.run(
        key,
        notification.first_id,
        seq,
        acknowledged ? notification.attempts : attempt,
        acknowledged ? 1 : 0,
      )
    },
  }
}
