/** Sends as lists show them: each with the event and the arrival of its delivery, without which all rows look alike. */
import type { ListedSend, Send } from '../../shared/model/send.ts'
import type { ReadableDb } from './open.ts'

/** The same sends in the same order. One whose delivery is gone meanwhile is left out. */
export function listed(db: ReadableDb, sends: readonly Send[]): ListedSend[] {
  const rows = db
    .prepare<[string], { id: string; event: string | null; receivedAt: number }>(
      'SELECT id, event, received_at AS receivedAt FROM deliveries WHERE id IN (SELECT value FROM json_each(?))',
    )
    .all(JSON.stringify([...new Set(sends.map(({ deliveryId }) => deliveryId))]))
  const deliveries = new Map(rows.map((row) => [row.id, row]))
  return sends.flatMap((send) => {
    const delivery = deliveries.get(send.deliveryId)
    if (delivery === undefined) return []
    return [{ ...send, event: delivery.event, receivedAt: new Date(delivery.receivedAt).toISOString() }]
  })
}
