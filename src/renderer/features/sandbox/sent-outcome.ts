/** The outcome of a notification in one sentence. */
import { faultMeanings } from '../../../shared/model/fault-meanings.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Notification } from '../../../shared/model/notification.ts'
import { outcomeOfNotification, rejectReason } from '../../../shared/model/service-outcomes.ts'
import { MAX_ATTEMPTS } from '../../../shared/service/limits.ts'
import { formatSentAmount } from '../../../shared/text/amount.ts'
import { handlerStatus } from '../../ui/verdict.tsx'

/** A notification and, if its last attempt was received here, the delivery. */
interface Sent {
  readonly notification: Notification
  readonly row: Pick<
    DeliveryRow,
    'handler' | 'amount' | 'currency' | 'merchant' | 'verdict' | 'freshness'
  > | null
}

/**
 * Returns a sentence about a notification, or its amount and merchant. `message`: what the handler
 * said went wrong.
 */
export function sentWords(sent: Sent, message: string): string {
  const { state, reason, nextAt, attempts, fault } = sent.notification
  if (reason !== null) return `${reason.split('. ')[0]}.`
  if (nextAt !== null) return `Next attempt at ${nextAt.slice(11, 19)} UTC sandbox time`
  if (fault !== null) return `Fault: ${faultMeanings[fault].name.toLowerCase()}.${faultWords(sent)}`
  if (state === 'failed')
    return attempts.length < MAX_ATTEMPTS
      ? 'Stopped: the hook was removed.'
      : `Not acknowledged after ${MAX_ATTEMPTS} attempts.`
  if (sent.row === null) return ''
  const { handler, amount, currency, merchant } = sent.row
  if (handler?.outcome === 'failing') {
    const words = message === '' ? handler.status : `“${message}”`
    return `${handler.name === null ? 'Your handler' : `@${handler.name}`} ${words === null ? "didn't respond" : `returned ${words}`}`
  }
  const paid = amount === null ? '' : `${formatSentAmount(amount, currency)} ${currency ?? ''}`
  return [paid, merchant ?? ''].filter((part) => part !== '').join(', ')
}

/** Says what the handler did with a delivery that it should reject. */
function faultWords({ notification, row }: Sent): string {
  const { fault, attempts } = notification
  const last = attempts.at(-1)
  const handler = row?.handler ?? null
  const response = handler ?? (last?.deliveryId === null ? last : null)
  if (response === null || rejectReason(fault) === null) return ''
  // Re-signed, it is judged as in its Overview.
  if (row !== null && handler?.signed === true)
    return ` ${handlerStatus({ ...row, handler }).reason}`
  if (outcomeOfNotification(notification, handler).tone === 'bad')
    return ` Your handler accepted a ${fault === 'stale' ? 'delivery signed 10 min ago' : 'forged delivery'}.`
  const { status } = response
  if (status === null) return " Your handler didn't respond."
  return status >= 400 && status < 500
    ? ' Your handler rejected it, as expected.'
    : ` Your handler returned ${status}, expected 4xx.`
}
