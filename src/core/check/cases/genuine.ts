/** Valid deliveries of every event. */
import type { ShownEventType } from '../../../shared/service/event-type.ts'
import { FIRST_CASE, type CheckSettings } from '../../../shared/model/check.ts'
import type { CaseDefinition } from '../bench.ts'

const accepts = '200 within 20 s'
const lost =
  'Any other response, or none within 20 s, counts as a failure. After three attempts the event is lost.'

function genuine(
  name: string,
  events: readonly ShownEventType[],
  title: string,
  section: CaseDefinition['section'],
  sends: string,
  fix: string,
): CaseDefinition {
  const wantedOf = (settings: CheckSettings) =>
    events.filter((event) => settings.events.includes(event))
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
      wantedOf(settings).flatMap((event) =>
        payloads.all(event).map((body) => request(body, { label: event })),
      ),
  }
}

const types =
  'Compare the fields your code reads with this payload. A field it expects may be null or have another type.'

export const genuineCases: readonly CaseDefinition[] = [
  {
    name: FIRST_CASE,
    group: 'genuine',
    title: 'Accepts a valid delivery',
    severity: 'critical',
    section: '5.2',
    sends: 'One valid delivery, signed over the registered URL with your secret.',
    expected: accepts,
    why: lost,
    fix: 'Check in this order: 1. the secret; 2. the registered URL, which must come from your configuration, not from the request; 3. that you hash the raw bytes of the body; 4. that you apply HMAC with Base64 twice. The other cases are judged once this one passes.',
    wanted: 'accept',
    requests: ({ plain, payloads, request }) => [request(plain('first'), { label: payloads.base })],
  },
  genuine(
    'purchases',
    ['transaction.auth', 'transaction.clearing'],
    'Purchases: transaction.auth and transaction.clearing',
    '2.6',
    'A valid transaction.auth and transaction.clearing, with `offer` and `wallet` null.',
    types,
  ),
  genuine(
    'refunds',
    ['transaction.refund'],
    'Refunds: transaction.refund with its purchase',
    '6.3',
    "A valid transaction.refund: `auth` is false, the amount is negative, and `originalTransactionId` is the purchase's id.",
    'Treat a transaction with a negative amount and `auth` false as a refund.',
  ),
  genuine(
    'qualified',
    [
      'transaction.auth.qualified',
      'transaction.clearing.qualified',
      'transaction.refund.qualified',
    ],
    'Transactions that qualify for an offer',
    '2.7',
    'A valid transaction.auth.qualified, transaction.clearing.qualified and transaction.refund.qualified, with an `offer` object.',
    "Read `offer` as an object here and as null in the events without .qualified. A refund's cashback and fee are negative.",
  ),
  genuine(
    'brand',
    ['brand.consent'],
    'Brands: brand.consent',
    '2.2',
    'A valid brand.consent.',
    types,
  ),
  genuine(
    'cards',
    ['card.linked', 'card.failed'],
    'Cards: card.linked and card.failed',
    '2.5',
    'A valid card.linked, and a card.failed, which nests the card in `card`.',
    'For card.failed, read the card from its `card` field. The payload of card.linked is the card itself.',
  ),
  genuine(
    'locations',
    ['location.status'],
    'Locations: location.status, once per scheme',
    '6.2',
    'The three location.status events of a new location, one per card scheme.',
    'Expect three events per location. Tell them apart by `scheme`; the second is not a duplicate.',
  ),
  {
    ...genuine(
      'program',
      ['program.status'],
      'Programs: program.status',
      '2.3',
      "A valid program.status in live mode. The service doesn't send it in test mode.",
      types,
    ),
    obstacle: ({ live }) =>
      live
        ? null
        : 'program.status is only sent in live mode (spec 6.2), so its payload is marked live. Pass --program-status to send it.',
  },
]
