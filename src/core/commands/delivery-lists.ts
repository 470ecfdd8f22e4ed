/** Lists of deliveries for the commands that read them. */
import type { OutputOf } from '../../shared/contract/contract.ts'
import type { QueryCount } from '../../shared/contract/nouns/deliveries.ts'
import type { MaskingKind } from '../../shared/contract/nouns/exchange.ts'
import { MOST_SORTED, type Delivery, type SortKey } from '../../shared/model/delivery.ts'
import type { Query } from '../../shared/query/query.ts'
import type { HandlerInput } from '../../shared/rpc/router.ts'
import { packSeqs } from '../../shared/rpc/delivery-seqs.ts'
import { systemClock } from '../base/system-clock.ts'
import { maskingOf } from '../import-export/known-secrets.ts'
import { maskedDelivery } from '../import-export/masked-records.ts'
import { readActionQuery, readListQuery, type Services } from './services.ts'

/** Marks a delivery whose hook is deleted by now. */
export function withHook({ registry }: Services, delivery: Delivery): Delivery {
  const isDeleted = registry.byId(delivery.hookId ?? '')?.isActive === false
  return isDeleted ? { ...delivery, hookDeleted: true } : delivery
}

async function readInOrder(
  services: Services,
  seqs: readonly number[],
  masked: MaskingKind,
): Promise<Delivery[]> {
  const deliveries = await services.store.read('deliveriesBySeq', seqs)
  const bySeq = new Map(deliveries.map((delivery) => [delivery.seq, delivery]))
  const items = seqs.flatMap((seq) => bySeq.get(seq) ?? [])
  const masking = await maskingOf(services, masked)
  return items.map((delivery) => withHook(services, maskedDelivery(delivery, masking)))
}

export async function listDeliveries(
  services: Services,
  input: HandlerInput<'deliveries.list'>,
  signal: AbortSignal,
): Promise<OutputOf<'deliveries.list'>> {
  const { seqs: chosen, query, limit, before, after, identified, masked } = input
  const { store } = services
  const parsed = identified ? readActionQuery(services, query) : readListQuery(services, query)
  await store.settled()
  if (chosen !== undefined) return { items: await readInOrder(services, chosen, masked) }
  // A client that continues from the last delivery must miss none, so the oldest come first.
  const oldestFirst = after !== undefined && before === undefined
  const low = after === undefined ? undefined : after + 1
  const high = before === undefined ? undefined : before - 1
  const [from, to] = oldestFirst ? [low, high] : [high, low]
  const seqs = await store.search.find(parsed, { from, to, oldestFirst, limit, signal })
  if (oldestFirst) seqs.reverse()
  return { items: await readInOrder(services, seqs, masked) }
}

interface SortedInput {
  readonly query: Query
  readonly by: SortKey
  readonly descending: boolean
}

/** Resolves with matching seqs in the order of a column; null if too many match. */
export async function sortedSeqs(
  { store }: Pick<Services, 'store'>,
  { query, by, descending }: SortedInput,
  signal: AbortSignal,
): Promise<number[] | null> {
  const seqs = await store.search.find(query, { limit: MOST_SORTED + 1, signal })
  if (seqs.length > MOST_SORTED) return null
  signal.throwIfAborted()
  return store.read('sort', { seqs, by, descending })
}

export async function listSeqs(
  services: Services,
  { query, by, descending, ...range }: HandlerInput<'deliveries.seqs'>,
  signal: AbortSignal,
): Promise<OutputOf<'deliveries.seqs'>> {
  const { store } = services
  const isByArrival =
    by === 'arrival' || (by === 'time' && !(await store.read('hasImported', null)))
  if (!isByArrival) {
    await store.settled()
    const newest = await store.read('newestSeq', null)
    const input = { query: readListQuery(services, query), by, descending }
    const sorted = await sortedSeqs(services, input, signal)
    if (sorted !== null || by !== 'time')
      return { seqs: sorted && packSeqs(sorted), next: null, newest }
  }
  const options = { ...range, oldestFirst: !descending, signal }
  const { seqs, ...progress } = await store.search.findSome(readListQuery(services, query), options)
  return { seqs: packSeqs(seqs), ...progress }
}

function queryOrNull(services: Services, text: string): Query | null {
  try {
    return readListQuery(services, text)
  } catch {
    return null
  }
}

export async function countDeliveries(
  services: Services,
  { queries, most, patience }: HandlerInput<'deliveries.counts'>,
  signal: AbortSignal,
): Promise<OutputOf<'deliveries.counts'>> {
  const { store } = services
  const until = systemClock.monotonic() + patience
  const total = store.total()
  const counts: (QueryCount | null)[] = []
  for (const [index, text] of queries.entries()) {
    const query = queryOrNull(services, text)
    // Leaves each query its share of the time.
    const withinMs = Math.max(0, until - systemClock.monotonic()) / (queries.length - index)
    counts.push(query === null ? null : await store.search.count({ query, most, withinMs }, signal))
  }
  return { counts, total }
}
