/** The lifecycle of a location, scheme by scheme (sections 2.4 and 6.2). */
import type { Delivery } from '../../shared/model/delivery.ts'
import type {
  Lifecycle,
  LifecycleStage,
  MissingStage,
  LifecycleFinding,
} from '../../shared/model/lifecycle.ts'
import { schemes } from '../../shared/service/resources.ts'
import { bodyFields, isoOrNull, timeOf } from './body-fields.ts'
import { isProved, likelyEvent } from './transaction-facts.ts'
import { findingOf, unprovedFindings } from './findings.ts'

const EVENT = 'location.status'
const titles: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
}
const titleOf = (scheme: string) => titles[scheme] ?? scheme

interface Report {
  readonly delivery: Delivery
  readonly scheme: string
  readonly status: string | null
  readonly happenedAt: number | null
}

export function locationLifecycle(
  locationId: string,
  sources: readonly { readonly delivery: Delivery; readonly body: Uint8Array }[],
  mode: Delivery['mode'],
): Pick<Lifecycle, 'stages' | 'missing' | 'findings'> {
  const reports = sources.flatMap(({ delivery, body }): Report[] => {
    const fields = likelyEvent(delivery) === EVENT ? bodyFields(body) : null
    const scheme = fields?.string('scheme') ?? null
    if (fields === null || scheme === null || fields.string('location.id') !== locationId) return []
    const happenedAt = timeOf(fields.string('location.updated'))
    return [{ delivery, scheme, status: fields.string('status'), happenedAt }]
  })
  const byScheme = Map.groupBy(reports, ({ scheme }) => scheme)
  const proved = reports.filter(isProved)
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
    findings: [
      ...[...byScheme].flatMap(([scheme, all]) => [
        ...schemeFindings(titleOf(scheme), all.filter(isProved), mode),
      ]),
      ...unprovedFindings(
        reports.filter((report) => !isProved(report)),
        'location',
      ),
    ],
  }
}

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

function* schemeFindings(
  name: string,
  proved: readonly Report[],
  mode: Delivery['mode'],
): Generator<LifecycleFinding> {
  const last = proved.at(-1)
  if (last === undefined) return
  if (last.status === 'location.failed')
    yield findingOf({
      level: 'warn',
      code: 'location-failed',
      about: [last],
      message: `${name} couldn't sync this location, so it sees no transactions there.`,
      fix:
        mode === 'test'
          ? 'In test mode the service always sends location.active. Check who sent this.'
          : "Check the location's merchant ids (searchBy) and ask the service. Offers there don't reach cards of this scheme.",
    })
  const before = proved.findLast(({ status }) => status !== last.status)
  if (before !== undefined)
    yield findingOf({
      level: 'note',
      code: 'status-changed',
      about: [before, last],
      message: `${name} reported ${before.status ?? 'nothing'} before and ${last.status ?? 'nothing'} now.`,
      fix: 'Use the report with the latest `updated`, not the last to arrive.',
    })
  const duplicates = proved.filter(({ delivery }) => delivery.duplicateOf !== null)
  if (duplicates.length > 0)
    yield findingOf({
      level: 'warn',
      code: 'duplicate',
      about: duplicates,
      message: `The report from ${name} was delivered again after it was acknowledged.`,
      fix: 'Make sure your handler ignores repeats.',
    })
}
