/** Selects the deliveries of a replay, in order, with everything needed to know before sending. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Query } from '../../shared/query/query.ts'
import { chunks } from '../base/async.ts'
import {
  unpackDeliveries,
  type DeliveryToSend,
  type HookToSend,
} from '../store/deliveries-to-send.ts'
import type { Store } from '../store/store.ts'

/** How many deliveries' hooks are read at once. */
const PAGE = 5_000

interface Selected {
  /** The seq of each delivery, in the order to send; there may be a million. */
  readonly seqs: readonly number[]
  /** A delivery of each hook among them. */
  readonly hooks: readonly HookToSend[]
  /** The first deliveries, if they were read. */
  readonly first: readonly DeliveryToSend[]
}

/**
 * Returns deliveries by ID, in the given order (an ID may be `latest` or `latest:EVENT`), or those matching a query, oldest first, as
 * the service sent them. Rejects with `NOT_FOUND` or `INVALID_INPUT`.
 */
export async function selectDeliveries(
  store: Pick<Store, 'read' | 'search' | 'settled'>,
  {
    ids,
    query,
  }: { readonly ids: readonly string[] | undefined; readonly query: Query | undefined },
  signal: AbortSignal,
): Promise<Selected> {
  await store.settled()
  if ((ids === undefined) === (query === undefined))
    throw new AppError('INVALID_INPUT', 'Give either delivery IDs or a query.')
  if (query === undefined) {
    const { page, ...named } = await store.read('deliveriesNamed', ids ?? [])
    return { ...named, first: unpackDeliveries(page) }
  }
  const seqs = (await store.search.find(query, { signal })).toReversed()
  const hooks = new Map<string | null, HookToSend>()
  for (const page of chunks(seqs, PAGE)) {
    signal.throwIfAborted()
    for (const hook of await store.read('hooksToSend', page))
      if (!hooks.has(hook.hookId)) hooks.set(hook.hookId, hook)
  }
  return { seqs, hooks: [...hooks.values()], first: [] }
}
