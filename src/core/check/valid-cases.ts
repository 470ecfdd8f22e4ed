/** Cases with valid deliveries of every event. */
import { FIRST_CASE, PROGRAM_CASE } from '../../shared/model/check.ts'
import type { RequestFactory } from './requests.ts'
import { type CaseDefinition, defineCases } from './case-definition.ts'

const lostEventWhy =
  'Any other response, or none within 20 s, counts as a failure. After three attempts the event is lost.'

const fieldTypesFix =
  'Compare the fields your code reads with this payload. A field it expects may be null or have another type.'

/** Cases that send each of their events that the endpoint receives. */
const eventCases: readonly Pick<
  CaseDefinition,
  'name' | 'events' | 'title' | 'section' | 'sends' | 'fix' | 'obstacle'
>[] = [
  {
    name: 'purchases',
    events: ['transaction.auth', 'transaction.clearing'],
    title: 'Purchases: transaction.auth and transaction.clearing',
    section: '2.6',
    sends: 'A valid transaction.auth and transaction.clearing, with `offer` and `wallet` null.',
    fix: fieldTypesFix,
  },
  {
    name: 'refunds',
    events: ['transaction.refund'],
    title: 'Refunds: transaction.refund with its purchase',
    section: '6.3',
    sends:
      "A valid transaction.refund: `auth` is false, the amount is negative, and `originalTransactionId` is the purchase's id.",
    fix: 'Treat a transaction with a negative amount and `auth` false as a refund.',
  },
  {
    name: 'qualified',
    events: [
      'transaction.auth.qualified',
      'transaction.clearing.qualified',
      'transaction.refund.qualified',
    ],
    title: 'Transactions that qualify for an offer',
    section: '2.7',
    sends:
      'A valid transaction.auth.qualified, transaction.clearing.qualified and transaction.refund.qualified, with an `offer` object.',
    fix: "Read `offer` as an object here and as null in the events without .qualified. A refund's cashback and fee are negative.",
  },
  {
    name: 'brand',
    events: ['brand.consent'],
    title: 'Brands: brand.consent',
    section: '2.2',
    sends: 'A valid brand.consent.',
    fix: fieldTypesFix,
  },
  {
    name: 'cards',
    events: ['card.linked', 'card.failed'],
    title: 'Cards: card.linked and card.failed',
    section: '2.5',
    sends: 'A valid card.linked, and a card.failed, which nests the card in `card`.',
    fix: 'For card.failed, read the card from its `card` field. The payload of card.linked is the card itself.',
  },
  {
    name: 'locations',
    events: ['location.status'],
    title: 'Locations: location.status, once per scheme',
    section: '6.2',
    sends: 'The three location.status events of a new location, one per card scheme.',
    fix: 'Expect three events per location. Tell them apart by `scheme`; the second is not a duplicate.',
  },
  {
    name: PROGRAM_CASE,
    events: ['program.status'],
    title: 'Programs: program.status',
    section: '2.3',
    sends: "A valid program.status in live mode. The service doesn't send it in test mode.",
    fix: fieldTypesFix,
    obstacle: ({ live }) =>
      live
        ? null
        : 'program.status is only sent in live mode (spec 6.2), so its payload is marked live. Include program.status to send it.',
  },
]

export const validCases = defineCases(
  { group: 'valid', section: '5.2', expectedResponse: 'accept' },
  [
    {
      name: FIRST_CASE,
      title: 'Accepts a valid delivery',
      severity: 'critical',
      sends: 'One valid delivery, signed over the registered URL with your secret.',
      why: lostEventWhy,
      fix: 'Check in this order: 1. the secret; 2. the registered URL, which must come from your configuration, not from the request; 3. that you hash the raw bytes of the body; 4. that you apply HMAC with Base64 twice. The other cases are judged once this one passes.',
      requests: ({ payloads, signed }) => [signed('first', { label: payloads.base })],
    },
    ...eventCases.map((definition) => ({
      ...definition,
      severity: 'critical' as const,
      why: lostEventWhy,
      requests: ({ payloads, settings, request }: RequestFactory) =>
        (definition.events ?? [])
          .filter((event) => settings.events.includes(event))
          .flatMap((event) => payloads.all(event).map((body) => request(body, { label: event }))),
    })),
  ],
)
