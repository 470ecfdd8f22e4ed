/**
 * What has arrived in a run, in its order: each delivery with what is judged of it, claimed by the step that it was meant for.
 * What nobody claims is a stray.
 */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { checkPayload } from '../../shared/service/payload.ts'
import type { Store } from '../store/store.ts'

export interface Arrival {
  readonly row: DeliveryRow
  /** Its place among all that arrived, from 0. */
  readonly place: number
  readonly businessAt: number
  readonly body: Uint8Array
  /** The parsed body; undefined where it is no JSON. */
  readonly payload: unknown
  /** What the interface says against the body; empty where nothing. */
  readonly schemaFailures: readonly string[]
  /** Which attempt of its notification, and what it repeats after that was acknowledged. */
  readonly attempt: number
  readonly duplicateOf: string | null
  /** The run's hook that it came to, by its name in the flow, and the event of that hook. */
  readonly hook: string
  readonly event: string
  /** The step that it was meant for. */
  claimedBy: number | null
}

/** A delivery as the receiver has just stored it. */
export interface SeenRow {
  readonly row: DeliveryRow
  readonly hook: string
  readonly event: string
  readonly place: number
  readonly businessAt: number
}

export interface ArrivalReader {
  /** Reads what the receiver has stored. */
  read(seen: SeenRow, earlier: readonly Arrival[]): Promise<Arrival>
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    return undefined
  }
}

export function createArrivalReader(store: Pick<Store, 'read' | 'settled'>): ArrivalReader {
  /** Which attempt it is, or of what it is a duplicate: as it stands in the list. Only a body that came before to the same hook can be either. */
  async function placeAmong(row: DeliveryRow, hook: string, body: Uint8Array, earlier: readonly Arrival[]) {
    const isFirst = !earlier.some((arrival) => arrival.hook === hook && Buffer.compare(arrival.body, body) === 0)
    if (isFirst) return { attempt: 1, duplicateOf: null }
    await store.settled()
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
