/** Builds the lifecycle of a location, scheme by scheme (sections 2.4 and 6.2). Pure. */
import type { LifecycleStage, MissingStage, Oddity } from '../../shared/model/lifecycle.ts'
import { memberOf, stringOf } from '../../shared/json/document.ts'
import { schemes } from '../../shared/service/resources.ts'
import {
  documentOf,
  isoOrNull,
  isProved,
  likelyEvent,
  timeOf,
  type Source,
} from './transaction-facts.ts'

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
export function locationStory(
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
