/** Collects the deliveries of one purchase or location and builds its lifecycle. */
import type { Delivery } from '../../shared/model/delivery.ts'
import type {
  Lifecycle,
  LifecycleStage,
  MissingStage,
  Oddity,
} from '../../shared/model/lifecycle.ts'
import { schemes } from '../../shared/service/resources.ts'
import {
  bodyFields,
  isoOrNull,
  isProved,
  likelyEvent,
  namedObjects,
  findingOf,
  timeOf,
  transactionFacts,
  unproved,
  type ObjectLink,
  type Source,
  type TransactionFacts,
} from './facts.ts'
import { purchaseLifecycle } from './purchase.ts'

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
    const programId = links.find(({ kind }) => kind === 'program')?.value ?? null
    return {
      ...base,
      kind: 'purchase',
      objectId: facts.originalId ?? facts.id,
      ...purchaseLifecycle(found, {
        now,
        programId,
        hasHook: (event) => around.hasHook(delivery.environment, event, programId),
        ofCard: await ofSameCard(facts, reader),
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
      oddities: [],
      isCut: false,
    }
  const { deliveries, isCut } = await reader.linked({ ...location, limit: MOST_DELIVERIES })
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

/** How many deliveries name each other object. */
async function relatedTo(
  links: readonly ObjectLink[],
  reader: LifecycleReader,
): Promise<Lifecycle['related']> {
  const others = links.filter(({ kind }) => kind !== 'purchase')
  return Promise.all(
    others.map(async ({ kind, value }) => {
      const deliveries = await reader.count({ kind, value, most: MOST_COUNTED + 1 })
      return {
        kind,
        id: value,
        deliveries: Math.min(deliveries, MOST_COUNTED),
        isMore: deliveries > MOST_COUNTED,
      }
    }),
  )
}

// The lifecycle of a location, scheme by scheme (sections 2.4 and 6.2). Pure.

const EVENT = 'location.status'
const titles: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
}
const titleOf = (scheme: string) => titles[scheme] ?? scheme

/** What one delivery reports about the location. */
interface Report {
  readonly delivery: Delivery
  readonly scheme: string
  readonly status: string | null
  readonly happenedAt: number | null
}

/** Deliveries of one location, without its transactions. */
function locationLifecycle(
  locationId: string,
  sources: readonly { readonly delivery: Delivery; readonly body: Uint8Array }[],
  mode: Delivery['mode'],
): Pick<Lifecycle, 'stages' | 'missing' | 'oddities'> {
  const found = sources.flatMap(({ delivery, body }): Report[] => {
    const fields = likelyEvent(delivery) === EVENT ? bodyFields(body) : null
    const scheme = fields?.string('scheme') ?? null
    if (fields === null || scheme === null || fields.string('location.id') !== locationId) return []
    const happenedAt = timeOf(fields.string('location.updated'))
    return [{ delivery, scheme, status: fields.string('status'), happenedAt }]
  })
  const byScheme = Map.groupBy(found, ({ scheme }) => scheme)
  const proved = found.filter(isProved)
  const order = ({ name }: LifecycleStage) => {
    const at = schemes.findIndex((scheme) => titleOf(scheme) === name)
    return at < 0 ? schemes.length : at
  }
  return {
    stages: [...byScheme]
      .map(([scheme, all]) => stageOf(locationId, scheme, all))
      .sort((one, other) => order(one) - order(other)),
    missing:
      proved.length === 0
        ? []
        : schemes
            .filter((scheme) => !proved.some((report) => report.scheme === scheme))
            .map((scheme) => missingReport(titleOf(scheme), mode)),
    oddities: [
      ...[...byScheme].flatMap(([scheme, all]) => [
        ...odditiesOf(titleOf(scheme), all.filter(isProved), mode),
      ]),
      ...unproved(
        found.filter((report) => !isProved(report)),
        'location',
      ),
    ],
  }
}

/** A scheme's stage is its latest report. */
function stageOf(locationId: string, scheme: string, all: readonly Report[]): LifecycleStage {
  const last = all.findLast(isProved) ?? all.at(-1)
  return {
    part: 'location',
    event: EVENT,
    name: titleOf(scheme),
    objectId: locationId,
    amount: null,
    currency: null,
    status: last?.status ?? null,
    offer: null,
    happenedAt: isoOrNull(last?.happenedAt ?? null),
    receivedAt: all[0]?.delivery.receivedAt ?? new Date(0).toISOString(),
    isProved: all.some(isProved),
    deliveries: all.map(({ delivery }) => delivery),
  }
}

function missingReport(name: string, mode: Delivery['mode']): MissingStage {
  const isLate = mode === 'test'
  return {
    part: 'location',
    event: EVENT,
    name,
    from: null,
    to: null,
    isLate,
    message: isLate
      ? `Missing report from ${name}. In test mode each new location is reported three times, once per scheme.`
      : `${name} hasn't reported yet. In live mode each scheme reports when its sync ends.`,
    fix: isLate
      ? 'Check whether the delivery was rejected, or was sent before capture began.'
      : 'Nothing to do yet.',
  }
}

/** Findings about the verified reports of one scheme. */
function* odditiesOf(
  name: string,
  proved: readonly Report[],
  mode: Delivery['mode'],
): Generator<Oddity> {
  const last = proved.at(-1)
  if (last === undefined) return
  if (last.status === 'location.failed')
    yield findingOf(
      'warn',
      'location-failed',
      [last],
      `${name} couldn't sync this location, so it sees no transactions there.`,
      mode === 'test'
        ? 'In test mode the service always sends location.active. Check who sent this.'
        : "Check the location's merchant ids (searchBy) and ask the service. Offers there don't reach cards of this scheme.",
    )
  const before = proved.findLast(({ status }) => status !== last.status)
  if (before !== undefined)
    yield findingOf(
      'note',
      'status-changed',
      [before, last],
      `${name} reported ${before.status ?? 'nothing'} before and ${last.status ?? 'nothing'} now.`,
      'Use the report with the latest `updated`, not the last to arrive.',
    )
  const duplicates = proved.filter(({ delivery }) => delivery.duplicateOf !== null)
  if (duplicates.length > 0)
    yield findingOf(
      'warn',
      'duplicate',
      duplicates,
      `The report from ${name} was delivered again after it was acknowledged.`,
      'Make sure your handler ignores repeats.',
    )
}
