/**
 * Order of a comparison: deliveries of one purchase go one at a time, in the given order; those of
 * different purchases go in parallel.
 */
import { createHash } from 'node:crypto'
import { createMutex } from '../base/async.ts'
import { namedObjects } from '../lifecycle/object-links.ts'
import { parseBody } from '../../shared/service/json-body.ts'
import type { SendableDelivery } from '../store/deliveries-to-send.ts'

/** Deliveries read ahead, in search of one of another purchase. */
const READ_AHEAD = 200

/**
 * Returns what a delivery is about: the purchases that it names, else its card, location, brand or
 * program, else its body, so that attempts stay in order.
 */
export function lanesOf(
  delivery: Pick<SendableDelivery, 'event'> | null,
  body: Uint8Array,
): readonly string[] {
  const parsed = parseBody(body)
  // What a payload with several possible events names, only transactions share.
  const event = delivery?.event ?? 'transaction'
  const links = parsed.ok ? namedObjects(event, parsed.value) : []
  const purchases = links.filter(({ kind }) => kind === 'purchase')
  if (purchases.length > 0) return purchases.map(({ value }) => value)
  const [link] = links
  return [link?.value ?? createHash('sha256').update(body).digest('base64')]
}

interface LaneItem {
  readonly delivery: Pick<SendableDelivery, 'event'> | null
  readonly body: Uint8Array
}

interface Waiting<Item> {
  readonly item: Item
  readonly lanes: readonly string[]
}

/** Hands out items, never two at a time that share a lane, and those of a lane in order. */
export class PurchaseLanes<Item extends LaneItem> {
  readonly #source: AsyncGenerator<Item, unknown>
  #waiting: Waiting<Item>[] = []
  readonly #busy = new Map<Item, readonly string[]>()
  #isExhausted = false
  /** Takes turns, because the source is read in order. */
  readonly #exclusive = createMutex()
  #change = Promise.withResolvers<void>()

  constructor(source: AsyncGenerator<Item, unknown>) {
    this.#source = source
  }

  /** Resolves with the next free item; null at the end, or once stopped. */
  take(isStopped: () => boolean): Promise<Item | null> {
    return this.#exclusive(() => this.#next(isStopped))
  }

  /** Frees the lanes of an item that was handed out. */
  release(item: Item): void {
    this.#busy.delete(item)
    this.wake()
  }

  /** Lets a waiting `take` look again. */
  wake(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers<void>()
  }

  /** Returns items that were read and not handed out. */
  get rest(): readonly Item[] {
    return this.#waiting.map(({ item }) => item)
  }

  async #next(isStopped: () => boolean): Promise<Item | null> {
    for (;;) {
      if (isStopped()) return null
      const free = this.#takeFree()
      if (free !== null) return free
      if (!this.#isExhausted && this.#waiting.length < READ_AHEAD) await this.#readOne()
      else if (this.#waiting.length === 0) return null
      else await this.#change.promise
    }
  }

  #takeFree(): Item | null {
    const taken = new Set([...this.#busy.values()].flat())
    const index = this.#waiting.findIndex(({ lanes }) => {
      const isFree = lanes.every((lane) => !taken.has(lane))
      if (!isFree) for (const lane of lanes) taken.add(lane)
      return isFree
    })
    const [free] = index === -1 ? [] : this.#waiting.splice(index, 1)
    if (free === undefined) return null
    this.#busy.set(free.item, free.lanes)
    return free.item
  }

  async #readOne(): Promise<void> {
    const { value, done } = await this.#source.next()
    if (done === true) {
      this.#isExhausted = true
      return
    }
    this.#waiting.push({ item: value, lanes: lanesOf(value.delivery, value.body) })
  }
}
