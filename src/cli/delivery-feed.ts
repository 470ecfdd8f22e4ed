/** Reads deliveries in order: the newest ones page by page, and new ones as they arrive. */
import { AppError } from '../shared/contract/errors.ts'
import {
  columnSortKeySchema,
  MOST_SORTED,
  type Delivery,
  type SortKey,
} from '../shared/model/delivery.ts'
import type { MaskingKind } from '../shared/contract/nouns/exchange.ts'
import type { Client } from '../shared/rpc/client.ts'
import { createNews } from './lifetime.ts'
import type { Session } from './context.ts'

const PAGE = 1_000

/** Which deliveries to read, and what to mask in them. */
interface Wanted {
  readonly query: string
  readonly masked: MaskingKind
}

/** The newest or oldest deliveries, page by page. */
async function deliveriesByTime(
  client: Client,
  {
    query,
    masked,
    limit,
    newestFirst,
  }: Wanted & { readonly limit: number; readonly newestFirst: boolean },
): Promise<Delivery[]> {
  const found: Delivery[] = []
  while (found.length < limit) {
    const size = Math.min(PAGE, limit - found.length)
    const last = found.at(-1)?.seq
    const place = newestFirst ? (last === undefined ? {} : { before: last }) : { after: last ?? 0 }
    const { items } = await client.call('deliveries.list', { query, masked, limit: size, ...place })
    found.push(...(newestFirst ? items : items.toReversed()))
    if (items.length < size) break
  }
  return found
}

/** The first ones in the order of a column. Throws `INVALID_QUERY` if too many match, unless they are sorted by time. */
export async function sortedDeliveries(
  client: Client,
  {
    query,
    masked,
    limit,
    by,
    descending,
  }: Wanted & { readonly limit: number; readonly by: SortKey; readonly descending: boolean },
): Promise<Delivery[]> {
  const column = columnSortKeySchema.safeParse(by)
  if (!column.success)
    return deliveriesByTime(client, { query, masked, limit, newestFirst: descending })
  const { seqs } = await client.call('deliveries.sorted', { query, by: column.data, descending })
  if (seqs === null)
    throw new AppError(
      'INVALID_QUERY',
      `Too many deliveries match to sort. Narrow the query to ${MOST_SORTED.toLocaleString('en')} or fewer, or sort by time.`,
    )
  const found: Delivery[] = []
  const wanted = seqs.slice(0, limit)
  for (let at = 0; at < wanted.length; at += PAGE) {
    const { items } = await client.call('deliveries.list', {
      seqs: wanted.slice(at, at + PAGE),
      masked,
    })
    found.push(...items)
  }
  return found
}

/** The seq of the newest delivery; 0 if there is none. */
export async function fetchNewestSeq(client: Client): Promise<number> {
  const { items } = await client.call('deliveries.list', { limit: 1 })
  return items[0]?.seq ?? 0
}

/**
 * Passes on matching deliveries after `seq`, oldest first, until `take` returns true (`done`), the signal aborts (`aborted`) or
 * Countersign stops (`gone`). Events only trigger a new read of the list, so a burst with merged events is complete.
 */
export async function followDeliveries(
  session: Session,
  options: Wanted & {
    readonly after: number
    readonly signal: AbortSignal
    /** `event:` matches identified events only. */
    readonly identified?: true
    /** Passes on deliveries received here or verified here; an imported one once it is verified. */
    readonly verified?: true
  },
  take: (deliveries: readonly Delivery[]) => boolean,
): Promise<'done' | 'aborted' | 'gone'> {
  const { client } = session
  let after = options.after
  /** Seqs of the newest deliveries that are not verified here. */
  let claims: number[] = []
  let gone = false
  const { tell, next } = createNews()
  // The first read needs no news.
  tell()
  const stops = [client.on('deliveries.changed', tell), client.onGap(tell)]
  options.signal.addEventListener('abort', tell, { once: true })
  void session.closed.then(() => {
    gone = true
    tell()
  })
  try {
    for (;;) {
      await next()
      if (options.signal.aborted) return 'aborted'
      if (gone) return 'gone'
      // Without `before`, the list returns the oldest ones first, so paging misses none.
      const pageAfter = (seq: number) =>
        client.call('deliveries.list', {
          query: options.query,
          masked: options.masked,
          limit: PAGE,
          after: seq,
          identified: options.identified === true,
        })
      const isWanted = ({ verifiedHere }: Delivery) => options.verified !== true || verifiedHere
      const [firstClaim] = claims
      const proved =
        firstClaim === undefined
          ? []
          : (await pageAfter(firstClaim - 1)).items.filter(
              (one) => claims.includes(one.seq) && isWanted(one),
            )
      const { items } = await pageAfter(after)
      after = items[0]?.seq ?? after
      if (items.length === PAGE) tell()
      const left = claims.filter((seq) => !proved.some((one) => one.seq === seq))
      const found = items.toReversed()
      claims = [...left, ...found.filter((one) => !isWanted(one)).map(({ seq }) => seq)].slice(
        -PAGE,
      )
      const wanted = [...proved.toReversed(), ...found.filter(isWanted)]
      if (wanted.length > 0 && take(wanted)) return 'done'
    }
  } finally {
    for (const stop of stops) stop()
    options.signal.removeEventListener('abort', tell)
  }
}
