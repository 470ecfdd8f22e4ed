/** Collects the deliveries of one purchase or location and builds its lifecycle. */
import type { Delivery } from '../../shared/model/delivery.ts'
import {
  linkKinds,
  type Lifecycle,
  type LinkKind,
  type LifecycleStage,
  type MissingStage,
  type Oddity,
} from '../../shared/model/lifecycle.ts'
import { namedObjects, type ObjectLink } from './named-objects.ts'
import { odditiesOfPurchase } from './oddities.ts'
import {
  purchaseStages,
  toLifecycleStage,
  missingOfPurchase,
  type PurchaseContext,
} from './purchase-stages.ts'
import {
  isProved,
  likelyEvent,
  transactionFacts,
  type Source,
  type TransactionFacts,
  documentOf,
  isoOrNull,
  timeOf,
} from './transaction-facts.ts'
import { memberOf, stringOf } from '../../shared/json/document.ts'
import { schemes } from '../../shared/service/resources.ts'

// Builds the lifecycle of a location, scheme by scheme (sections 2.4 and 6.2). Pure.

const EVENT = 'location.status'
const titles: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
}

interface LocationFacts {
  readonly source: Source
  readonly scheme: string
  readonly status: string | null
  readonly happenedAt: number | null
}

interface LocationStory {
  readonly stages: LifecycleStage[]
  readonly missing: MissingStage[]
  readonly oddities: Oddity[]
}

/** Deliveries of one location, without its transactions. */
function locationStory(
  locationId: string,
  sources: readonly Source[],
  mode: 'test' | 'live' | null,
): LocationStory {
  const found = sources.flatMap((source) => factsOf(locationId, source))
  const byScheme = Map.groupBy(found, ({ scheme }) => scheme)
  const proved = found.filter(({ source }) => isProved(source))
  const known = new Set(proved.map(({ scheme }) => scheme))
  return {
    stages: [...byScheme]
      .map(([scheme, all]) => toStage(locationId, scheme, all))
      .sort((one, other) => place(one) - place(other)),
    missing: schemes
      .filter((scheme) => !known.has(scheme) && proved.length > 0)
      .map((scheme) => missingScheme(scheme, mode)),
    oddities: [
      ...[...byScheme].flatMap(([scheme, all]) => oddities(scheme, all, mode)),
      ...unproved(found),
    ],
  }
}

function factsOf(locationId: string, source: Source): LocationFacts[] {
  const document = likelyEvent(source.delivery) === EVENT ? documentOf(source.body) : null
  if (document === null) return []
  const text = (...path: string[]) => {
    const node = path.reduce<ReturnType<typeof memberOf>>(
      (at, name) => memberOf(at, name),
      document.root,
    )
    return node === null ? null : stringOf(document, node)
  }
  const scheme = text('scheme')
  if (scheme === null || text('location', 'id') !== locationId) return []
  return [
    { source, scheme, status: text('status'), happenedAt: timeOf(text('location', 'updated')) },
  ]
}

function nameOf(scheme: string): string {
  return titles[scheme] ?? scheme
}

/** A scheme's stage is its latest report. */
function toStage(
  locationId: string,
  scheme: string,
  all: readonly LocationFacts[],
): LifecycleStage {
  const last = all.findLast(({ source }) => isProved(source)) ?? all.at(-1)
  return {
    part: 'location',
    event: EVENT,
    name: nameOf(scheme),
    objectId: locationId,
    amount: null,
    currency: null,
    status: last?.status ?? null,
    offer: null,
    happenedAt: isoOrNull(last?.happenedAt ?? null),
    receivedAt: all[0]?.source.delivery.receivedAt ?? new Date(0).toISOString(),
    isProved: all.some(({ source }) => isProved(source)),
    deliveries: all.map(({ source }) => source.delivery),
  }
}

function place({ name }: LifecycleStage): number {
  const at = schemes.findIndex((scheme) => nameOf(scheme) === name)
  return at < 0 ? schemes.length : at
}

function missingScheme(scheme: string, mode: 'test' | 'live' | null): MissingStage {
  return {
    part: 'location',
    event: EVENT,
    name: nameOf(scheme),
    from: null,
    to: null,
    isLate: mode === 'test',
    message:
      mode === 'test'
        ? `Missing report from ${nameOf(scheme)}. In test mode each new location is reported three times, once per scheme.`
        : `${nameOf(scheme)} hasn't reported yet. In live mode each scheme reports when its sync ends.`,
    fix:
      mode === 'test'
        ? 'Check whether the delivery was rejected, or was sent before capture began.'
        : 'Nothing to do yet.',
  }
}

function oddities(
  scheme: string,
  all: readonly LocationFacts[],
  mode: 'test' | 'live' | null,
): Oddity[] {
  const proved = all.filter(({ source }) => isProved(source))
  const last = proved.at(-1)
  if (last === undefined) return []
  const found: Oddity[] = []
  if (last.status === 'location.failed')
    found.push({
      code: 'location-failed',
      level: 'warn',
      message: `${nameOf(scheme)} couldn't sync this location, so it sees no transactions there.`,
      fix:
        mode === 'test'
          ? 'In test mode the service always sends location.active. Check who sent this.'
          : "Check the location's merchant ids (searchBy) and ask the service. Offers there don't reach cards of this scheme.",
      deliveryIds: [last.source.delivery.id],
    })
  const before = proved.findLast(({ status }) => status !== last.status)
  if (before !== undefined)
    found.push({
      code: 'status-changed',
      level: 'note',
      message: `${nameOf(scheme)} reported ${before.status ?? 'nothing'} before and ${last.status ?? 'nothing'} now.`,
      fix: 'Use the report with the latest `updated`, not the last to arrive.',
      deliveryIds: [before.source.delivery.id, last.source.delivery.id],
    })
  const duplicates = proved.filter(({ source }) => source.delivery.duplicateOf !== null)
  if (duplicates.length > 0)
    found.push({
      code: 'duplicate',
      level: 'warn',
      message: `The report from ${nameOf(scheme)} was delivered again after it was acknowledged.`,
      fix: 'Make sure your handler ignores repeats.',
      deliveryIds: duplicates.map(({ source }) => source.delivery.id),
    })
  return found
}

function unproved(found: readonly LocationFacts[]): Oddity[] {
  const ids = found
    .filter(({ source }) => !isProved(source))
    .map(({ source }) => source.delivery.id)
  if (ids.length === 0) return []
  return [
    {
      code: 'unproved',
      level: 'warn',
      message: `${ids.length === 1 ? 'One delivery names' : `${ids.length} deliveries name`} this location without a valid signature and ${ids.length === 1 ? 'is' : 'are'} shown only.`,
      fix: 'Open it to see why its signature is invalid. Your handler must not act on it.',
      deliveryIds: ids,
    },
  ]
}

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
