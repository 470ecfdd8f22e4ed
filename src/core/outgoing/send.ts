/** What replay, forward, check, shrink and flows send with. A sender comes from an admission (`admit.ts`) and from nowhere else. */
import { acknowledges } from '../../shared/service/acknowledges.ts'
import type { Clock } from '../base/deps.ts'
import type { SendResult } from './wire/exchange.ts'

export type { SendResult } from './wire/exchange.ts'
export type { Sender } from './wire/sender.ts'

/** Whether a response acknowledges the delivery; `ack` says which statuses its environment accepts. */
export function isSendAcknowledged({ status, failure }: SendResult, ack: '200' | '2xx'): boolean {
  return status !== null && failure === null && acknowledges(status, ack)
}

/** Resolves when it is the next one's turn; at once where no rate is set. */
export function createPacer(clock: Clock, rate: number | null, signal: AbortSignal): () => Promise<void> {
  let next = 0
  return async () => {
    if (rate === null) return
    const now = clock.monotonic()
    const mine = Math.max(now, next)
    next = mine + 1_000 / rate
    if (mine > now) await clock.sleep(mine - now, signal)
  }
}
