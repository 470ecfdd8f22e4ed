/** The deliveries that a replay has left to send, each with its sends. */
import type { ReplaySide } from '../store/replay-sides.ts'
import { originalPosition, sideAt, sidesOf } from '../store/replay-sides.ts'
import { SENDS_PAGE, unpackDeliveries, type DeliveryToSend } from '../store/deliveries-to-send.ts'
import type { StoredReplay } from '../store/replays.ts'
import type { Store } from '../store/store.ts'

export interface PlannedSend {
  readonly position: number
  readonly side: ReplaySide
}

interface Planned {
  readonly seq: number
  /** Sends in order, one after the other. */
  readonly sends: readonly PlannedSend[]
}

export interface PlannedDelivery extends DeliveryToSend, Planned {}

export interface SendPlan {
  readonly stored: Pick<StoredReplay, 'id' | 'settings' | 'plan' | 'total'>
  readonly seqs: Float64Array
  /** Position of the last send that has started. */
  readonly lastStarted: number
  /** Positions that those after `total` repeat; empty if nothing is compared. */
  readonly repeats: readonly number[]
}

/** Yields pending sends in order of position, or of delivery if responses are compared. */
export function* plannedSends({
  stored,
  seqs,
  lastStarted,
  repeats,
}: SendPlan): Generator<Planned> {
  if (stored.settings.comparison === null) {
    for (let position = lastStarted + 1; position <= seqs.length; position++)
      yield { seq: seqs[position - 1] ?? 0, sends: [{ position, side: 'own' }] }
    return
  }
  const left = Array.from({ length: seqs.length - lastStarted }, (_, index) => {
    const position = lastStarted + index + 1
    return { position, origin: originalPosition(stored, repeats, position) }
  })
  // A send that is repeated keeps its place among those of its purchase.
  left.sort((one, other) => one.origin - other.origin)
  const deliveryOf = (origin: number) => Math.floor((origin - 1) / sidesOf(stored))
  for (let at = 0; at < left.length;) {
    const first = left[at]!
    const sends: PlannedSend[] = []
    for (; at < left.length && deliveryOf(left[at]!.origin) === deliveryOf(first.origin); at++) {
      const { position, origin } = left[at]!
      sends.push({ position, side: sideAt(stored, origin) })
    }
    yield { seq: seqs[first.position - 1] ?? 0, sends }
  }
}

/**
 * Yields deliveries with their sends, and reads the next page during the current one.
 * @param first the first page, if it was read already
 */
export async function* plannedDeliveries(
  { read }: Pick<Store, 'read'>,
  planned: Iterator<Planned>,
  first: readonly DeliveryToSend[],
): AsyncGenerator<PlannedDelivery, null> {
  const waiting: Planned[] = []
  const takePage = async (given: readonly DeliveryToSend[]): Promise<PlannedDelivery[]> => {
    while (waiting.length < SENDS_PAGE) {
      const next = planned.next()
      if (next.done === true) break
      waiting.push(next.value)
    }
    if (waiting.length === 0) return []
    const seqs = waiting.map(({ seq }) => seq)
    const page = given.length > 0 ? given : unpackDeliveries(await read('deliveriesToSend', seqs))
    return waiting.splice(0, page.length).map((plan, index) => ({ ...page[index]!, ...plan }))
  }
  let nextPage = takePage(first)
  for (;;) {
    const page = await nextPage
    if (page.length === 0) return null
    nextPage = takePage([])
    // The error surfaces when the page is requested, not before.
    nextPage.catch(() => undefined)
    yield* page
  }
}
