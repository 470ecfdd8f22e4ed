/** Which delivery of the receiver came of which attempt of the sandbox: the one that arrived on its path while it was under way. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import type { Notification } from '../../../shared/model/sending.ts'

/** What may lie between the two measurements, in milliseconds: both read the same clock, at different moments. */
const SLACK_MS = 20
/** On a busy machine an attempt begins this much before its time is taken. One that was answered has arrived somewhere. */
const BUSY_MS = 2_000

/** The name of an attempt among all. */
export function attemptKey(notificationId: string, attempt: number): string {
  return `${notificationId} ${attempt}`
}

/** By `attemptKey`. Each delivery belongs to one attempt; those of one path are given out in the order in which they began. */
export function linkDeliveries(
  notifications: readonly Notification[],
  rows: readonly DeliveryRow[],
  hooks: readonly Pick<Hook, 'id' | 'remoteId' | 'path'>[],
): ReadonlyMap<string, DeliveryRow> {
  const links = new Map<string, DeliveryRow>()
  const taken = new Set<string>()
  const oldestFirst = rows.toReversed()
  const attempts = notifications
    .flatMap((notification) => notification.attempts.map((attempt) => ({ notification, attempt, at: Date.parse(attempt.at) })))
    .sort((left, right) => left.at - right.at)
  for (const { notification, attempt, at } of attempts) {
    const hook = hooks.find(({ remoteId }) => remoteId === notification.hookId)
    if (hook === undefined) continue
    const found = oldestFirst.find((row) => {
      const received = Date.parse(row.receivedAt)
      const during = received >= at - SLACK_MS && received <= at + attempt.ms + (attempt.status === null ? SLACK_MS : BUSY_MS)
      // A signature that is wrong on purpose proves no hook; a proven one says which of several on this path it was.
      return during && !taken.has(row.id) && row.path === hook.path && (row.verdict !== 'valid' || row.hookId === hook.id)
    })
    if (found === undefined) continue
    taken.add(found.id)
    links.set(attemptKey(notification.id, attempt.attempt), found)
  }
  return links
}
