/** Collects the deliveries of one purchase or location and builds its lifecycle. */
import type { Delivery } from '../../shared/model/delivery.ts'
import { linkKinds, type Lifecycle, type LinkKind } from '../../shared/model/lifecycle.ts'
import { locationStory } from './location.ts'
import { namedObjects, type ObjectLink } from './named-objects.ts'
import { missingOfPurchase, type PurchaseContext } from './purchase-missing.ts'
import { odditiesOfPurchase } from './purchase-oddities.ts'
import { purchaseStages, toLifecycleStage } from './purchase-stages.ts'
import {
  isProved,
  likelyEvent,
  transactionFacts,
  type Source,
  type TransactionFacts,
} from './transaction-facts.ts'

/** How many deliveries one lifecycle uses, and how many of a card are searched for a purchase. */
const MOST_DELIVERIES = 500
const MOST_OF_CARD = 200
/** Related deliveries are counted up to this number. */
const MOST_COUNTED = 1_000

export interface LifecycleReader {
  /** The latest deliveries that name an object, oldest first. */
  linked(
    link: ObjectLink & { readonly limit: number },
  ): Promise<{ deliveries: { delivery: Delivery; body: Uint8Array }[]; isCut: boolean }>
  count(link: ObjectLink & { readonly most: number }): Promise<number>
  /** How many deliveries weren't linked yet, of how many; null if all were. */
  unlinked(): Lifecycle['unlinked']
}

export interface LifecycleSurroundings {
  /** Sandbox time or real time of an environment, in milliseconds. */
  now(environment: string | null): number
  /** Whether an active hook of the environment receives an event, for a program if given. */
  hasHook(environment: string | null, event: string, programId: string | null): boolean
}

/** Returns the lifecycle that a delivery belongs to. */
export async function gatherLifecycle(
  source: Source,
  reader: LifecycleReader,
  around: LifecycleSurroundings,
): Promise<Lifecycle> {
  const { delivery } = source
  const links = linksOf(source)
  const now = around.now(delivery.environment)
  const base = {
    now: new Date(now).toISOString(),
    related: await relatedTo(links, reader),
    unlinked: reader.unlinked(),
  }
  const facts = transactionFacts(source)
  if (facts !== null) {
    const { found, isCut } = await purchaseDeliveries(facts, reader)
    const stages = purchaseStages(found)
    const programId = links.find(({ kind }) => kind === 'program')?.value ?? null
    const hasHook = (event: string) => around.hasHook(delivery.environment, event, programId)
    const surroundings: PurchaseContext = { now, programId, hasHook }
    const ofCard = await ofSameCard(facts, reader)
    return {
      ...base,
      kind: 'purchase',
      objectId: facts.originalId ?? facts.id,
      stages: stages.map(toLifecycleStage),
      missing: missingOfPurchase(stages, surroundings),
      oddities: odditiesOfPurchase(stages, surroundings, ofCard),
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
      oddities: [],
      isCut: false,
    }
  const { deliveries, isCut } = await reader.linked({ ...location, limit: MOST_DELIVERIES })
  return {
    ...base,
    kind: 'location',
    objectId: location.value,
    ...locationStory(location.value, deliveries, delivery.mode),
    isCut,
  }
}

function linksOf({ delivery, body }: Source): ObjectLink[] {
  const event = likelyEvent(delivery)
  if (event === null) return []
  try {
    return namedObjects(event, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)))
  } catch {
    // Not JSON, or not text: it names no object.
    return []
  }
}

/** Objects of the purchase and of each refund: a refund's clearing may not name the purchase. */
async function purchaseDeliveries(
  start: TransactionFacts,
  reader: LifecycleReader,
): Promise<{ found: TransactionFacts[]; isCut: boolean }> {
  const found = new Map<number, TransactionFacts>()
  const asked = new Set<string>()
  const open = [start.id, ...(start.originalId === null ? [] : [start.originalId])]
  let isCut = false
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (asked.has(id)) continue
    asked.add(id)
    const answer = await reader.linked({ kind: 'purchase', value: id, limit: MOST_DELIVERIES })
    isCut ||= answer.isCut || found.size > MOST_DELIVERIES
    if (found.size > MOST_DELIVERIES) break
    for (const source of answer.deliveries) {
      const facts = transactionFacts(source)
      if (facts === null || (facts.id !== id && facts.originalId !== id)) continue
      found.set(facts.delivery.seq, facts)
      // Unverified deliveries could name anything, so their links aren't followed, unless the user asked about this one.
      if (!isProved(source) && facts.delivery.seq !== start.delivery.seq) continue
      open.push(facts.id, ...(facts.originalId === null ? [] : [facts.originalId]))
    }
  }
  return { found: [...found.values()], isCut }
}

/** Verified deliveries of the same card: a refund or clearing without a match may belong to one of them. */
async function ofSameCard(
  { cardId }: TransactionFacts,
  reader: LifecycleReader,
): Promise<TransactionFacts[]> {
  if (cardId === null) return []
  const { deliveries } = await reader.linked({ kind: 'card', value: cardId, limit: MOST_OF_CARD })
  return deliveries.filter(isProved).flatMap((source) => transactionFacts(source) ?? [])
}

const relatedKinds: readonly LinkKind[] = linkKinds.filter((kind) => kind !== 'purchase')

async function relatedTo(
  links: readonly ObjectLink[],
  reader: LifecycleReader,
): Promise<Lifecycle['related']> {
  const counted = links
    .filter(({ kind }) => relatedKinds.includes(kind))
    .map(async ({ kind, value }) => {
      const deliveries = await reader.count({ kind, value, most: MOST_COUNTED + 1 })
      return {
        kind,
        id: value,
        deliveries: Math.min(deliveries, MOST_COUNTED),
        isMore: deliveries > MOST_COUNTED,
      }
    })
  return Promise.all(counted)
}
