/** Outcomes of notifications, hook syncs, doctor checks and the public URL. */
import type { SyncedHook } from './hook.ts'
import type { SendAttempt, Notification } from './notification.ts'
import type { DoctorCheck } from './status.ts'
import type { AddressTest, TunnelStatus } from './tunnel.ts'
import { type Outcome, mark } from './outcomes.ts'
import { sendStates } from './send-outcomes.ts'

export const levels: Readonly<Record<DoctorCheck['outcome'], Outcome>> = {
  ok: mark('pass', 'good', 'ok'),
  warning: mark('warn', 'warn', 'warning'),
  failed: mark('fail', 'bad', 'failed'),
}

export const calls: Readonly<Record<'done' | 'failed', Outcome>> = {
  done: mark('pass', 'good', 'moved'),
  failed: mark('fail', 'bad', 'not moved'),
}

export const syncs: Readonly<Record<SyncedHook['state'], Outcome>> = {
  new: mark('recorded', 'active', 'new'),
  differs: mark('warn', 'warn', 'differs'),
  gone: mark('missing', 'warn', 'gone'),
  here: mark('same', 'neutral', 'already here'),
}

export function outcomeOfNotification({
  state,
  attempts,
}: Pick<Notification, 'state' | 'attempts'>): Outcome {
  if (state === 'acknowledged') return mark('pass', 'good', 'acknowledged')
  if (state === 'failed') return mark('fail', 'bad', 'failed')
  if (state === 'not-sent') return sendStates[state]
  return attempts.length === 0
    ? mark('running', 'active', 'sending')
    : mark('warn', 'warn', 'retrying')
}

export function outcomeOfAttempt({
  acknowledged,
  status,
}: Pick<SendAttempt, 'acknowledged' | 'status'>): Outcome {
  const word = status === null ? 'no response' : String(status)
  return acknowledged ? mark('pass', 'good', word) : mark('fail', 'bad', word)
}

export const addressTests: Readonly<Record<AddressTest['outcome'], Outcome>> = {
  reached: mark('pass', 'good', 'reached'),
  altered: mark('warn', 'warn', 'altered in transit'),
  'no-answer': mark('fail', 'bad', 'response lost'),
  elsewhere: mark('fail', 'bad', 'reached another server'),
  unreachable: mark('fail', 'bad', 'unreachable'),
}

export const tunnelStates: Readonly<Record<TunnelStatus['state'], Outcome>> = {
  off: mark('skip', 'neutral', 'off'),
  starting: mark('running', 'active', 'starting'),
  up: mark('pass', 'good', 'up'),
  stopped: mark('skip', 'neutral', 'stopped'),
}
