/** Collects the deliveries of one purchase or location and builds its lifecycle. */
import type { Delivery } from '../../shared/model/delivery.ts'
import type { Lifecycle } from '../../shared/model/lifecycle.ts'
import {
  isProved,
  likelyEvent,
  transactionFacts,
  type Source,
  type TransactionFacts,
} from './transaction-facts.ts'
import { namedObjects, type ObjectLink } from './object-links.ts'
import { purchaseLifecycle } from './purchase.ts'
import { locationLifecycle } from './location.ts'

const MAX_DELIVERIES = 500
const MAX_OF_CARD = 200
const MAX_COUNTED = 1_000

export interface LifecycleReader {
  /** Returns the latest deliveries that name an object, oldest first. */
  linked(
    link: ObjectLink & { readonly limit: number },
  ): Promise<{ deliveries: { delivery: Delivery; body: Uint8Array }[]; isCut: boolean }>
  count(link: ObjectLink & { readonly most: number }): Promise<number>
  /** Returns how many deliveries aren't linked yet, or null. */
  unlinked(): Lifecycle['unlinked']
}

export interface LifecycleContext {
  /** Returns an environment's sandbox time or real time, in milliseconds. */
  now(environment: string | null): number
  /** Whether an active hook of the environment receives an event, for any program or this one. */
  hasHook(environment: string | null, event: string, programId: string | null): boolean
}

/** Builds the lifecycle of the purchase or location that a delivery names. */
export async function gatherLifecycle(
  source: Source,
  reader: LifecycleReader,
  context: LifecycleContext,
): Promise<Lifecycle> {
  const { delivery } = source
  const links = linksOf(source)
  const now = context.now(delivery.environment)
  const base = {
    now: new Date(now).toISOString(),
    related: await relatedTo(links, reader),
    unlinked: reader.unlinked(),
  }
  const facts = transactionFacts(source)
  if (facts !== null) {
    const { deliveries: purchase, isCut } = await purchaseDeliveries(facts, reader)
    const programId = links.find(({ kind }) => kind === 'program')?.value ?? null
    return {
      ...base,
      kind: 'purchase',
      objectId: facts.originalId ?? facts.id,
      ...purchaseLifecycle(purchase, {
        now,
        programId,
        hasHook: (event) => context.hasHook(delivery.environment, event, programId),
        ofCard: await readSameCard(facts, reader),
      }),
      isCut,
    }
  }
  const location =
    likelyEvent(delivery) === 'location.status'
      ? links.find(({ kind }) => kind === 'location')
      : undefined
  if (location === undefined)
    return {
      ...base,
      kind: 'none',
      objectId: null,
      stages: [],
      missing: [],
      findings: [],
      isCut: false,
    }
  const { deliveries, isCut } = await reader.linked({ ...location, limit: MAX_DELIVERIES })
  return {
    ...base,
    kind: 'location',
    objectId: location.value,
    ...locationLifecycle(location.value, deliveries, delivery.mode),
    isCut,
  }
}

function linksOf({ delivery, body }: Source): ObjectLink[] {
  const event = likelyEvent(delivery)
  if (event === null) return []
  try {
    return namedObjects(event, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)))
  } catch {
    // Not JSON: it names no object.
    return []
  }
}

async function purchaseDeliveries(
  start: TransactionFacts,
  reader: LifecycleReader,
): Promise<{ deliveries: TransactionFacts[]; isCut: boolean }> {
  const bySeq = new Map<number, TransactionFacts>()
  const visited = new Set<string>()
  const pendingIds = [start.id, ...(start.originalId === null ? [] : [start.originalId])]
  let isCut = false
  for (let id = pendingIds.pop(); id !== undefined; id = pendingIds.pop()) {
    if (visited.has(id)) continue
    visited.add(id)
    const linked = await reader.linked({ kind: 'purchase', value: id, limit: MAX_DELIVERIES })
    isCut ||= linked.isCut || bySeq.size > MAX_DELIVERIES
    if (bySeq.size > MAX_DELIVERIES) break
    for (const source of linked.deliveries) {
      const facts = transactionFacts(source)
      if (facts === null || (facts.id !== id && facts.originalId !== id)) continue
      bySeq.set(facts.delivery.seq, facts)
      // Links of unverified deliveries are followed only from the one that the user asked about.
      if (!isProved(source) && facts.delivery.seq !== start.delivery.seq) continue
      pendingIds.push(facts.id, ...(facts.originalId === null ? [] : [facts.originalId]))
    }
  }
  return { deliveries: [...bySeq.values()], isCut }
}

async function readSameCard(
  { cardId }: TransactionFacts,
  reader: LifecycleReader,
): Promise<TransactionFacts[]> {
  if (cardId === null) return []
  const { deliveries } = await reader.linked({ kind: 'card', value: cardId, limit: MAX_OF_CARD })
  return deliveries.filter(isProved).flatMap((source) => transactionFacts(source) ?? [])
}

async function relatedTo(
  links: readonly ObjectLink[],
  reader: LifecycleReader,
): Promise<Lifecycle['related']> {
  const others = links.filter(({ kind }) => kind !== 'purchase')
  return Promise.all(
    others.map(async ({ kind, value }) => {
      const deliveries = await reader.count({ kind, value, most: MAX_COUNTED + 1 })
      return {
        kind,
        id: value,
        deliveries: Math.min(deliveries, MAX_COUNTED),
        isMore: deliveries > MAX_COUNTED,
      }
    }),
  )
}
