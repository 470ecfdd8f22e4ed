/** What replay, forward, check, shrink and flows send with. Senders come only from an admission (`admit.ts`). */
import { acknowledges } from '../../shared/service/limits.ts'
import type { Clock } from '../base/deps.ts'
import type { SendResult } from './wire/sender.ts'

export type { SendResult } from './wire/sender.ts'
export type { Sender } from './wire/sender.ts'

/** Whether a response acknowledges the delivery. `ack` says which statuses its environment accepts. */
export function isSendAcknowledged({ status, failure }: SendResult, ack: '200' | '2xx'): boolean {
  return status !== null && failure === null && acknowledges(status, ack)
}

/** Waits until this many requests (default 1) may be sent. */
export type Pacer = (count?: number) => Promise<void>

/** Limits requests to a rate per second. Without a rate, nothing waits. */
export function createPacer(clock: Clock, rate: number | null, signal: AbortSignal): Pacer {
  let next = 0
  return async (count = 1) => {
    if (rate === null) return
    const now = clock.monotonic()
    const mine = Math.max(now, next)
    next = mine + (1_000 * count) / rate
    if (mine > now) await clock.sleep(mine - now, signal)
  }
}
