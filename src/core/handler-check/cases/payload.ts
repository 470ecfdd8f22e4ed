/** Payloads that are genuine and unusual: what a handler meets some day, and what breaks one that writes the body again. */
import { isTransactionEvent, shownEventTypes, type ShownEventType } from '../../../shared/service/event-type.ts'
import type { CheckCase, Bench } from '../bench.ts'

const transactions = shownEventTypes.filter(isTransactionEvent)
const accepts = '200 within 20 s'
const bytes =
  'The signature is over the bytes of the body. The same JSON can be written in many ways, and a handler that parses it and writes it again before it hashes has other bytes.'
const raw =
  'Hash the raw bytes of the body as they came, before any parser: in Express `express.raw()`, in Flask `request.get_data()`, in Django `request.body`. Parse afterwards.'

const UNICODE = 'Caf\u00e9 Zo\u00eb & S\u00f8n \u2014 \u6771\u4eac \u2615 \ud83e\uddc1 \u0645\u0642\u0647\u0649 <b>"q"</b>'

type Payload = Readonly<Record<string, unknown>>

function field(payload: Payload, name: string): Payload {
  return payload[name] as Payload
}

/** The payload with a name for people set, wherever it has one. */
function renamed(payload: Payload): Payload {
  if ('brand' in payload) return { ...payload, brand: { ...field(payload, 'brand'), name: UNICODE } }
  if ('location' in payload) return { ...payload, location: { ...field(payload, 'location'), city: UNICODE } }
  return 'message' in payload ? { ...payload, message: UNICODE } : { ...payload, name: UNICODE }
}

/** The same JSON with escapes where none are needed. */
function escaped(text: string): string {
  return text
    .replaceAll('/', '\\/')
    .replace(/:"([\x20!#-[\]-~])/g, (_, first: string) => `:"\\u00${first.charCodeAt(0).toString(16)}`)
}

function reversed(payload: Payload): Payload {
  return Object.fromEntries(Object.entries(payload).toReversed())
}

/** A transaction with its amount spelled so, which no JSON writer would. */
function withAmount({ payloads, request }: Bench, spelling: string) {
  const text = payloads.changed(payloads.base, (payload) => ({ ...payload, amount: 0 }))
  return request(text.replace('"amount":0', `"amount":${spelling}`), { label: `amount ${spelling}` })
}

export const payloadCases: readonly CheckCase[] = [
  {
    name: 'unmatched-refund',
    group: 'payload',
    title: 'A refund without its purchase',
    severity: 'major',
    section: '6.3',
    sends: 'A genuine transaction.refund without `originalTransactionId`: the service found no purchase for it.',
    expected: accepts,
    why: 'Where the service does not find the purchase, the refund is sent all the same, without `originalTransactionId`.',
    fix: 'Treat `originalTransactionId` as optional, and book such a refund by card, location and amount, or leave it to a person.',
    wanted: 'accept',
    events: ['transaction.refund'],
    requests: ({ payloads, request }) => [
      request(payloads.changed('transaction.refund', ({ originalTransactionId: _, ...payload }) => payload)),
    ],
  },
  {
    name: 'null-fields',
    group: 'payload',
    title: 'Every field that may be null is null',
    severity: 'major',
    section: '2.6',
    sends: 'A genuine transaction whose logo, metadata, geolocation, wallet and identifiers are all null.',
    expected: accepts,
    why: 'These fields are null for some brands, locations and card schemes: such an event comes without a warning.',
    fix: 'Look before you read inside: `location.geolocation`, `brand.metadata` and each of `identifiers` may be null.',
    wanted: 'accept',
    events: transactions,
    requests: ({ payloads, request }) => [
      request(
        payloads.changed(payloads.base, (payload) => ({
          ...payload,
          wallet: null,
          brand: { ...field(payload, 'brand'), logoURL: null, metadata: null },
          location: { ...field(payload, 'location'), geolocation: null, metadata: null },
          identifiers: Object.fromEntries(Object.keys(field(payload, 'identifiers')).map((name) => [name, null])),
        })),
      ),
    ],
  },
  {
    name: 'unknown-field',
    group: 'payload',
    title: 'A field that is not known yet',
    severity: 'major',
    section: '9',
    sends: 'A genuine delivery with two fields that the interface does not have.',
    expected: accepts,
    why: 'Services add fields without a new version. A handler that refuses what it does not know loses every event from that day on.',
    fix: 'Ignore unknown fields: turn off strict schemas (`additionalProperties: false`, `FAIL_ON_UNKNOWN_PROPERTIES`).',
    wanted: 'accept',
    requests: ({ payloads, request }) => [
      request(
        payloads.changed(payloads.base, (payload) => ({ ...payload, addedLater: { level: 2, tags: ['new'] }, alsoNew: null })),
      ),
    ],
  },
  {
    name: 'unicode',
    group: 'payload',
    title: 'Names in every script',
    severity: 'major',
    section: '5.2',
    sends: 'A genuine delivery with a name in Latin, Japanese and Arabic letters, an emoji and quoted markup, as UTF-8.',
    expected: accepts,
    why: 'Merchants have such names. A handler that decodes the body with another encoding, or escapes letters when it writes it again, hashes other bytes.',
    fix: `${raw} Where the name is stored, use a full UTF-8 column (\`utf8mb4\` in MySQL).`,
    wanted: 'accept',
    events: shownEventTypes.filter((event) => event !== 'card.linked'),
    requests: ({ payloads, request }) => {
      const event: ShownEventType = payloads.base === 'card.linked' ? 'card.failed' : payloads.base
      return [request(payloads.changed(event, renamed))]
    },
  },
  {
    name: 'escapes',
    group: 'payload',
    title: 'JSON with escaped characters',
    severity: 'critical',
    section: '5.2',
    sends: 'A genuine delivery whose JSON writes `/` as `\\/` and some letters as `\\u0041`, signed as it stands.',
    expected: accepts,
    why: bytes,
    fix: raw,
    wanted: 'accept',
    requests: ({ payloads, request }) => [request(escaped(payloads.of(payloads.base, 'escapes')))],
  },
  {
    name: 'numbers',
    group: 'payload',
    title: 'Amounts as they are written',
    severity: 'critical',
    section: '5.2',
    sends: 'Genuine transactions with the amounts `10.00`, `0.50` and `98765432.10`, signed as they stand.',
    expected: accepts,
    why: `${bytes} 10.00 becomes 10.`,
    fix: `${raw} Keep amounts as decimals, or as whole minor units, and not as binary fractions.`,
    wanted: 'accept',
    events: transactions,
    requests: (bench) => ['10.00', '0.50', '98765432.10'].map((spelling) => withAmount(bench, spelling)),
  },
  {
    name: 'layout',
    group: 'payload',
    title: 'JSON laid out in another way',
    severity: 'critical',
    section: '5.2',
    sends: 'A genuine delivery with line breaks and indentation, and one with its fields in another order, signed as they stand.',
    expected: accepts,
    why: bytes,
    fix: raw,
    wanted: 'accept',
    requests: ({ payloads, request }) => {
      const text = payloads.changed(payloads.base, reversed)
      return [
        request(`${JSON.stringify(JSON.parse(text), null, 2)}\n`, { label: 'indented' }),
        request(text, { label: 'another order' }),
      ]
    },
  },
]
