/** Clears purchases automatically, 48 to 72 hours of sandbox time after payment (section 6.2). */
import type { Mode } from '../../shared/model/delivery.ts'
import type { Log } from '../base/deps.ts'
import { createRandom } from './random.ts'
import type { Payment, Settlement, Objects } from './world.ts'
import type { SandboxClock } from './sandbox-clock.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** The minimum time to clearing. */
const WAIT_MS = 2 * DAY
/** Visa and American Express clear at these intervals from midnight UTC; Mastercard once a day. */
const SLOT_MS = 4 * HOUR
const MASTERCARD_HOUR = 12 * HOUR

/** When a purchase paid at `paidAt` is cleared, in milliseconds: the same for the same transaction. */
export function settlementTime(transactionId: string, scheme: string, paidAt: number): number {
  const earliest = paidAt + WAIT_MS
  if (scheme === 'mastercard') {
    const noon = Math.floor(earliest / DAY) * DAY + MASTERCARD_HOUR
    return noon >= earliest ? noon : noon + DAY
  }
  const slots = createRandom(transactionId, 'clearing').integer(0, DAY / SLOT_MS - 1)
  return Math.ceil(earliest / SLOT_MS) * SLOT_MS + slots * SLOT_MS
}

/** Keeps a purchase's queue entry current: present while its clearing is pending, removed afterwards. */
export async function planSettlement(
  objects: Objects,
  mode: Mode,
  payment: Payment,
): Promise<void> {
  const { id, transaction } = payment
  if (!transaction.auth || transaction.cleared) return objects.remove('settlement', id)
  const dueAt = settlementTime(id, transaction.card.scheme, Date.parse(transaction.created))
  return objects.put('settlement', mode, { id, dueAt })
}

export interface SettlementsOptions {
  readonly objects: Objects
  readonly clock: SandboxClock
  readonly log: Log
  /** Sends a purchase's clearing. */
  clear(settlement: Settlement, mode: Mode): Promise<void>
}

export function startSettlements({ objects, clock, log, clear }: SettlementsOptions) {
  const stop = new AbortController()
  let wake = new AbortController()

  function queue(): Settlement[] {
    return objects.all('settlement').sort((left, right) => left.dueAt - right.dueAt)
  }

  async function clearDue(): Promise<void> {
    for (const settlement of queue()) {
      if (settlement.dueAt > clock.now() || stop.signal.aborted) return
      const mode = objects.modeOf('settlement', settlement.id)
      await objects.remove('settlement', settlement.id)
      try {
        if (mode !== undefined) await clear(settlement, mode)
      } catch (error) {
        log.bug(error, `sandbox: clearing of ${settlement.id}`)
      }
    }
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      const woken = AbortSignal.any([stop.signal, wake.signal])
      await clearDue()
      const [next] = queue()
      if (next === undefined) await whenAborted(woken)
      else await clock.sleepUntil(next.dueAt, woken)
    }
  }

  const running = run().catch((error: unknown) => log.bug(error, 'sandbox: clearing'))
  return {
    /** Checks again for due clearings after purchases were added or removed. */
    refresh() {
      const before = wake
      wake = new AbortController()
      before.abort()
    },
    async close() {
      stop.abort()
      await running
    },
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const onAbort = () => resolve()
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}
