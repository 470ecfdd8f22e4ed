/** Outcomes of notifications, hook syncs, doctor checks and the public URL. */
import type { SyncedHook } from './hook.ts'
import type { HandlerResponse } from './delivery.ts'
import { isForgery, type Fault, type SendAttempt, type Notification } from './notification.ts'
import type { DoctorCheck } from './status.ts'
import type { AddressTest, TunnelStatus } from './tunnel.ts'
import { acknowledges } from '../service/limits.ts'
import { type Outcome, createOutcome } from './outcomes.ts'
import { isRejection } from './replay-edits.ts'
import { sendStates } from './send-outcomes.ts'

export const doctorOutcomes: Readonly<Record<DoctorCheck['outcome'], Outcome>> = {
  ok: createOutcome('pass', 'good', 'ok'),
  warning: createOutcome('warn', 'warn', 'warning'),
  failed: createOutcome('fail', 'bad', 'failed'),
}

export const repointOutcomes: Readonly<Record<'done' | 'failed', Outcome>> = {
  done: createOutcome('pass', 'good', 'moved'),
  failed: createOutcome('fail', 'bad', 'not moved'),
}

export const syncOutcomes: Readonly<Record<SyncedHook['state'], Outcome>> = {
  new: createOutcome('recorded', 'active', 'new'),
  differs: createOutcome('warn', 'warn', 'differs'),
  gone: createOutcome('missing', 'warn', 'gone'),
  here: createOutcome('same', 'neutral', 'already here'),
}

/** Returns why an endpoint should reject a delivery with this fault; null if it shouldn't. */
export function rejectReason(fault: Fault | null): 'forged' | 'stale' | null {
  if (fault === null) return null
  return isForgery(fault) ? 'forged' : fault === 'stale' ? 'stale' : null
}

/**
 * Judges a notification; `handler` responded to its forwarded delivery. A forged or stale delivery
 * is never green: this receiver stores every delivery, and rejecting one alone proves nothing.
 */
export function outcomeOfNotification(
  { state, attempts, fault }: Pick<Notification, 'state' | 'attempts' | 'fault'>,
  handler: HandlerResponse | null = null,
): Outcome {
  const last = attempts.at(-1)
  const reason = rejectReason(fault)
  if (reason !== null && last !== undefined) {
    const isOwnResponse = handler === null && last.deliveryId !== null
    const isAccepted =
      handler === null
        ? last.acknowledged
        : !handler.signed && handler.status !== null && acknowledges(handler.status, '2xx')
    if (isAccepted && !isOwnResponse)
      return createOutcome('accepted', 'bad', `accepted, though ${reason}`)
    if (state === 'acknowledged')
      return reason === 'stale'
        ? createOutcome('warn', 'warn', 'stale, as requested')
        : createOutcome('recorded', 'neutral', 'invalid, as requested')
    if (state === 'failed' && isRejection(last))
      return createOutcome('rejected', 'neutral', 'rejected, as expected')
  }
  if (state === 'acknowledged') return createOutcome('pass', 'good', 'acknowledged')
  if (state === 'failed') return createOutcome('fail', 'bad', 'failed')
  if (state === 'not-sent') return sendStates[state]
  return attempts.length === 0
    ? createOutcome('running', 'active', 'sending')
    : createOutcome('warn', 'warn', 'retrying')
}

export function outcomeOfAttempt({
  acknowledged,
  status,
}: Pick<SendAttempt, 'acknowledged' | 'status'>): Outcome {
  const word = status === null ? 'no response' : String(status)
  return acknowledged ? createOutcome('pass', 'good', word) : createOutcome('fail', 'bad', word)
}

export const addressTestOutcomes: Readonly<Record<AddressTest['outcome'], Outcome>> = {
  reached: createOutcome('pass', 'good', 'reached'),
  altered: createOutcome('warn', 'warn', 'altered in transit'),
  'no-answer': createOutcome('fail', 'bad', 'response lost'),
  elsewhere: createOutcome('fail', 'bad', 'reached another server'),
  unreachable: createOutcome('fail', 'bad', 'unreachable'),
}

export const tunnelStates: Readonly<Record<TunnelStatus['state'], Outcome>> = {
  off: createOutcome('skip', 'neutral', 'off'),
  starting: createOutcome('running', 'active', 'starting'),
  up: createOutcome('pass', 'good', 'up'),
  stopped: createOutcome('skip', 'neutral', 'stopped'),
}
