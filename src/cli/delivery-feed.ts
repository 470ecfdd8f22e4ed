/** Reads deliveries in order: the newest ones page by page, and new ones as they arrive. */
import { AppError } from '../shared/contract/errors.ts'
import { MOST_SORTED, type Delivery, type SortKey } from '../shared/model/delivery.ts'
import type { Client } from '../shared/rpc/client.ts'
import { unpackSeqs } from '../shared/rpc/delivery-seqs.ts'
import { follow } from './lifetime.ts'
import type { Session } from './session.ts'

/** Deliveries per call. */
const PAGE_SIZE = 1_000

/** Returns the newest or oldest deliveries, read page by page. */
export async function deliveriesByTime(
  client: Client,
  {
    query,
    limit,
    newestFirst,
  }: { readonly query: string; readonly limit: number; readonly newestFirst: boolean },
): Promise<Delivery[]> {
  const deliveries: Delivery[] = []
  while (deliveries.length < limit) {
    const size = Math.min(PAGE_SIZE, limit - deliveries.length)
    const last = deliveries.at(-1)?.seq
    const place = newestFirst ? (last === undefined ? {} : { before: last }) : { after: last ?? 0 }
    const { items } = await client.call('deliveries.list', { query, limit: size, ...place })
    deliveries.push(...(newestFirst ? items : items.toReversed()))
    if (items.length < size) break
  }
  return deliveries
}

/** Returns the first deliveries in a column's order. Throws `INVALID_QUERY` if too many match. */
export async function sortedDeliveries(
  client: Client,
  {
    query,
    limit,
    by,
    descending,
  }: {
    readonly query: string
    readonly limit: number
    readonly by: SortKey
    readonly descending: boolean
  },
): Promise<Delivery[]> {
  if (by === 'time') return deliveriesByTime(client, { query, limit, newestFirst: descending })
  const { seqs: packedSeqs } = await client.call('deliveries.seqs', {
    query,
    by,
    descending,
  })
  if (packedSeqs === null)
    throw new AppError(
      'INVALID_QUERY',
      `Too many deliveries match to sort. Narrow the query to ${MOST_SORTED.toLocaleString('en')} or fewer, or sort by time.`,
    )
  const deliveries: Delivery[] = []
  const seqs = unpackSeqs(packedSeqs).slice(0, limit)
  for (let start = 0; start < seqs.length; start += PAGE_SIZE) {
    const { items } = await client.call('deliveries.list', {
      seqs: seqs.slice(start, start + PAGE_SIZE),
    })
    deliveries.push(...items)
  }
  return deliveries
}

/** Returns the newest delivery's seq; 0 if there is none. */
export async function fetchNewestSeq(client: Client): Promise<number> {
  const { items } = await client.call('deliveries.list', { limit: 1 })
  return items[0]?.seq ?? 0
}

/**
 * Passes on deliveries after `after`, oldest first, until `take` returns true or the signal aborts.
 * Resolves with whether `take` ended it. Rejects with `DISCONNECTED`.
 */
export async function followDeliveries(
  session: Session,
  options: {
    readonly query: string
    readonly after: number
    readonly signal?: AbortSignal | undefined
    /** Whether `event:` matches identified events only. */
    readonly identified?: true
    /** Whether deliveries count once received or verified here. */
    readonly verified?: true
  },
  take: (deliveries: readonly Delivery[]) => boolean | Promise<boolean>,
): Promise<boolean> {
  const { query, identified = false, verified = false, signal } = options
  let after = options.after
  const read = async (): Promise<true | undefined> => {
    // Without `before`, the list returns the oldest ones first, so paging misses none.
    const page = { query, limit: PAGE_SIZE, after, identified }
    const { items } = await session.client.call('deliveries.list', page)
    after = items[0]?.seq ?? after
    const matches = items.toReversed().filter(({ verifiedHere }) => !verified || verifiedHere)
    if (matches.length > 0 && (await take(matches))) return true
    return items.length === PAGE_SIZE ? read() : undefined
  }
  const gone = () =>
    'Countersign stopped, so no more deliveries can arrive. Restart it with "countersign serve".'
  const ended = await follow(session, { event: 'deliveries.changed', read, gone }, { signal })
  return ended === true
}
