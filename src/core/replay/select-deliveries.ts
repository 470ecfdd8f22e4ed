/** Which deliveries a replay is of, in the order in which they go, and what has to be known of them before anything is sent. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Query } from '../../shared/query/query.ts'
import type { Store } from '../store/store.ts'
import { unpackRows, type RowToSend } from '../store/waiting-sends.ts'

const PAGE = 5_000

/** Deliveries by id, in the order given; an id may be `latest` or `latest:EVENT`. Rejects with `NOT_FOUND`. */
async function byId(store: Pick<Store, 'read'>, ids: readonly string[]): Promise<RowToSend[]> {
  const found: RowToSend[] = []
  for (const id of ids) found.push(await store.read('get', id))
  return found
}

/** Deliveries that a query finds, oldest first: as the service sent them. */
async function byQuery(store: Pick<Store, 'read' | 'search'>, query: Query, signal: AbortSignal): Promise<RowToSend[]> {
  const { seqs } = await store.search.find(query, { signal })
  const oldestFirst = seqs.toReversed()
  const found: RowToSend[] = []
  for (let from = 0; from < oldestFirst.length; from += PAGE) {
    signal.throwIfAborted()
    found.push(...unpackRows(await store.read('rowsToSend', oldestFirst.slice(from, from + PAGE))))
  }
  return found
}

export async function selectDeliveries(
  store: Pick<Store, 'read' | 'search' | 'settled'>,
  wanted: { readonly ids: readonly string[] | undefined; readonly query: Query | undefined },
  signal: AbortSignal,
): Promise<RowToSend[]> {
  await store.settled()
  const { ids, query } = wanted
  if ((ids === undefined) === (query === undefined))
    throw new AppError('INVALID_INPUT', 'Say what to send again: either ids of deliveries, or a query.')
  return ids === undefined ? byQuery(store, query!, signal) : byId(store, ids)
}
