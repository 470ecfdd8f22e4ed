/** Selects the deliveries of a replay, in order, with everything needed to know before sending. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Query } from '../../shared/query/query.ts'
import type { Store } from '../store/store.ts'
import type { KindToSend, PackedKind } from '../store/waiting-sends.ts'

/** Deliveries in the order to send; there may be a million, of a few kinds. */
export interface SelectedDeliveries {
  /** The seq of each delivery. */
  readonly seqs: readonly number[]
  readonly kinds: readonly KindToSend[]
  /** For each index in `seqs`, an index into `kinds`. */
  readonly kindOf: readonly number[]
}

const PAGE = 5_000

/** Collects the selection piece by piece. */
function createSelection() {
  const seqs: number[] = []
  const kindOf: number[] = []
  const kinds = new Map<string, { readonly place: number; readonly kind: KindToSend }>()

  function placeOf({ id, hookId, environment, mode }: KindToSend): number {
    const key = JSON.stringify([hookId, environment, mode])
    let known = kinds.get(key)
    if (known === undefined)
      kinds.set(key, (known = { place: kinds.size, kind: { id, hookId, environment, mode } }))
    return known.place
  }

  return {
    add(seq: number, kind: KindToSend): void {
      seqs.push(seq)
      kindOf.push(placeOf(kind))
    },
    /** Deliveries of all kinds, oldest first. */
    addKinds(packed: readonly PackedKind[]): void {
      const found = packed.flatMap(([id, hookId, environment, mode, ofKind]) => {
        const place = placeOf({ id, hookId, environment, mode })
        return ofKind.map((seq) => [seq, place] as const)
      })
      if (packed.length > 1) found.sort(([one], [other]) => one - other)
      for (const [seq, place] of found) {
        seqs.push(seq)
        kindOf.push(place)
      }
    },
    selected: (): SelectedDeliveries => ({
      seqs,
      kindOf,
      kinds: [...kinds.values()].map(({ kind }) => kind),
    }),
  }
}

/** Deliveries by ID, in the given order. An ID may be `latest` or `latest:EVENT`. Rejects with `NOT_FOUND`. */
async function byId(
  store: Pick<Store, 'read'>,
  ids: readonly string[],
): Promise<SelectedDeliveries> {
  const selection = createSelection()
  for (const id of ids) {
    const delivery = await store.read('get', id)
    selection.add(delivery.seq, delivery)
  }
  return selection.selected()
}

/** Deliveries matching a query, oldest first, as the service sent them. */
async function byQuery(
  store: Pick<Store, 'read' | 'search'>,
  query: Query,
  signal: AbortSignal,
): Promise<SelectedDeliveries> {
  const { seqs } = await store.search.find(query, { signal })
  const oldestFirst = seqs.toReversed()
  const selection = createSelection()
  for (let from = 0; from < oldestFirst.length; from += PAGE) {
    signal.throwIfAborted()
    selection.addKinds(
      JSON.parse(
        await store.read('kindsToSend', oldestFirst.slice(from, from + PAGE)),
      ) as PackedKind[],
    )
  }
  return selection.selected()
}

export async function selectDeliveries(
  store: Pick<Store, 'read' | 'search' | 'settled'>,
  wanted: { readonly ids: readonly string[] | undefined; readonly query: Query | undefined },
  signal: AbortSignal,
): Promise<SelectedDeliveries> {
  await store.settled()
  const { ids, query } = wanted
  if ((ids === undefined) === (query === undefined))
    throw new AppError('INVALID_INPUT', 'Give either delivery IDs or a query.')
  return ids === undefined ? byQuery(store, query!, signal) : byId(store, ids)
}
