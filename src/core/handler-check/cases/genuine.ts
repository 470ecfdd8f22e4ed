/** Genuine deliveries of each kind of event: what an endpoint is there for. */
import { shownEventTypes, type ShownEventType } from '../../../shared/service/event-type.ts'
import { FIRST_CASE, type CheckSettings } from '../../../shared/model/check.ts'
import type { CheckCase } from '../bench.ts'

const accepts = '200 within 20 s'
const lost =
  'Any other answer, or none within 20 s, is a failure: the service tries three times in all, and then the event is lost.'

type GenuineCase = 'purchases' | 'refunds' | 'qualified' | 'brand' | 'cards' | 'locations' | 'program'

/** The case that sends each event. */
const caseOf: Readonly<Record<ShownEventType, GenuineCase>> = {
  'brand.consent': 'brand',
  'card.linked': 'cards',
  'card.failed': 'cards',
  'program.status': 'program',
  'location.status': 'locations',
  'transaction.auth': 'purchases',
  'transaction.auth.qualified': 'qualified',
  'transaction.clearing': 'purchases',
  'transaction.clearing.qualified': 'qualified',
  'transaction.refund': 'refunds',
  'transaction.refund.qualified': 'qualified',
}

function genuine(name: GenuineCase, title: string, section: CheckCase['section'], sends: string, fix: string): CheckCase {
  const events = shownEventTypes.filter((event) => caseOf[event] === name)
  const wantedOf = (settings: CheckSettings) => events.filter((event) => settings.events.includes(event))
  return {
    name,
    group: 'genuine',
    title,
    severity: 'critical',
    section,
    sends,
    expected: accepts,
    why: lost,
    fix,
    wanted: 'accept',
    events,
    requests: ({ payloads, settings, request }) =>
      wantedOf(settings).flatMap((event) => payloads.all(event).map((body) => request(body, { label: event }))),
  }
}

const types =
  'Compare what your code reads with the fields of this payload: a field that it takes for certain may be null or of another type.'

export const genuineCases: readonly CheckCase[] = [
  {
    name: FIRST_CASE,
    group: 'genuine',
    title: 'A genuine delivery is accepted',
    severity: 'critical',
    section: '5.2',
    sends: 'One genuine delivery, signed over the registered URL with the secret given.',
    expected: accepts,
    why: lost,
    fix: 'Check, in this order: the secret; the registered URL, which has to be the one configured and not one put together from the request; that the body is taken as raw bytes; that HMAC with Base-64 is applied twice. The other cases are judged once this one passes.',
    wanted: 'accept',
    requests: ({ payloads, request }) => [request(payloads.of(payloads.base, 'first'), { label: payloads.base })],
  },
  genuine(
    'purchases',
    'Purchases: transaction.auth and transaction.clearing',
    '2.6',
    'A genuine transaction.auth and transaction.clearing, with `offer` and `wallet` null.',
    types,
  ),
  genuine(
    'refunds',
    'Refunds: transaction.refund with its purchase',
    '6.3',
    'A genuine transaction.refund: `auth` false, a negative amount, and the id of the purchase in `originalTransactionId`.',
    'Take a negative amount, and `auth` false, for a refund.',
  ),
  genuine(
    'qualified',
    'Transactions that qualify for an offer',
    '2.7',
    'A genuine transaction.auth.qualified, transaction.clearing.qualified and transaction.refund.qualified, with `offer` an object.',
    'Read `offer` as an object here and as null in the plain events; cashback and fee of a refund are negative.',
  ),
  genuine('brand', 'Brands: brand.consent', '2.2', 'A genuine brand.consent.', types),
  genuine(
    'cards',
    'Cards: card.linked and card.failed',
    '2.5',
    'A genuine card.linked, and a card.failed, which has the card one level deeper.',
    'Read the card of a card.failed from its field `card`; the payload of card.linked is the card itself.',
  ),
  genuine(
    'locations',
    'Locations: location.status, once for each scheme',
    '6.2',
    'The three location.status that a new location causes, one for each card scheme.',
    'Expect three events for one location: tell them apart by `scheme`, and do not take the second for a duplicate.',
  ),
  {
    ...genuine(
      'program',
      'Programs: program.status',
      '2.3',
      'A genuine program.status, which says that it is live: the service sends none in test.',
      types,
    ),
    obstacle: ({ live }) =>
      live
        ? null
        : 'program.status is sent in live mode only (section 6.2), and this one would say that it is live. It is sent where that is agreed to, with --program-status on the command line.',
  },
]
