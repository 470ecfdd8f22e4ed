/**
 * Deliveries that arrived in a run, in order, each with its verification result and the step that claimed it. Unclaimed deliveries
 * are strays.
 */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { checkPayload } from '../../shared/service/payload.ts'
import type { Store } from '../store/store.ts'

export interface Arrival {
  readonly row: DeliveryRow
  /** Position among all arrivals, from 0. */
  readonly place: number
  readonly businessAt: number
  readonly body: Uint8Array
  /** Parsed body; undefined if it isn't JSON. */
  readonly payload: unknown
  /** Schema errors of the body. */
  readonly schemaFailures: readonly string[]
  /** The attempt number, or the acknowledged delivery that this one duplicates. */
  readonly attempt: number
  readonly duplicateOf: string | null
  /** The run's hook that received it, by its name in the flow, and that hook's event. */
  readonly hook: string
  readonly event: string
  /** The step that claimed it. */
  claimedBy: number | null
}

/** A delivery just stored by the receiver. */
export interface SeenRow {
  readonly row: DeliveryRow
  readonly hook: string
  readonly event: string
  readonly place: number
  readonly businessAt: number
}

export interface ArrivalReader {
  /** Loads a stored delivery. */
  read(seen: SeenRow, earlier: readonly Arrival[]): Promise<Arrival>
}

/** How long to wait until a delivery's place among its attempts is known. On a busy machine this takes more than a moment. */
const PLACE_PATIENCE_MS = 30_000

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    return undefined
  }
}

export function createArrivalReader(store: Pick<Store, 'read' | 'settled'>): ArrivalReader {
  /**
   * The attempt number or the duplicated delivery, from the list's row. Only a body already seen on the same hook can be either.
   */
  async function placeAmong(row: DeliveryRow, hook: string, body: Uint8Array, earlier: readonly Arrival[]) {
    const isFirst = !earlier.some((arrival) => arrival.hook === hook && Buffer.compare(arrival.body, body) === 0)
    if (isFirst) return { attempt: 1, duplicateOf: null }
    await store.settled(PLACE_PATIENCE_MS)
    const { attempt, duplicateOf } = await store.read('get', row.id)
    return { attempt, duplicateOf }
  }

  return {
    async read({ row, hook, event, place, businessAt }, earlier) {
      const { bytes } = await store.read('body', { seq: row.seq, offset: 0, length: row.bodySize })
      const { failures } = checkPayload(event, bytes)
      return {
        row,
        place,
        businessAt,
        body: bytes,
        payload: parse(bytes),
        schemaFailures: failures.map(({ message }) => message),
        ...(await placeAmong(row, hook, bytes, earlier)),
        hook,
        event,
        claimedBy: null,
      }
    },
  }
}
