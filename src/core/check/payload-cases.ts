/** Cases with valid but unusual payloads that break handlers. */
import {
  isTransactionEvent,
  shownEventTypes,
  type ShownEventType,
} from '../../shared/service/event-type.ts'
import { asObserved } from '../../shared/service/observed.ts'
import { isObject } from './payload-changes.ts'
import type { CheckPayload, Payloads } from './payloads.ts'
import type { RequestFactory } from './requests.ts'
import { defineCases } from './case-definition.ts'

const transactions = shownEventTypes.filter(isTransactionEvent)
const hashedBytesWhy =
  'The signature covers the bytes of the body. The same JSON can be written in many ways, so parsing and re-serializing it before hashing gives other bytes.'
const rawBodyFix =
  'Hash the raw bytes of the body before any parser: in Express `express.raw()`, in Flask `request.get_data()`, in Django `request.body`. Parse afterwards.'

const UNICODE =
  'Caf\u00e9 Zo\u00eb & S\u00f8n \u2014 \u6771\u4eac \u2615 \ud83e\uddc1 \u0645\u0642\u0647\u0649 <b>"q"</b>'

function field(payload: CheckPayload, name: string): CheckPayload {
  return payload[name] as CheckPayload
}

/** Replaces a name in the payload with one in many scripts. */
function renamed(payload: CheckPayload): CheckPayload {
  if ('brand' in payload)
    return { ...payload, brand: { ...field(payload, 'brand'), name: UNICODE } }
  if ('location' in payload)
    return { ...payload, location: { ...field(payload, 'location'), city: UNICODE } }
  return 'message' in payload ? { ...payload, message: UNICODE } : { ...payload, name: UNICODE }
}

/** Events whose payload has a name. */
const namingEvents = shownEventTypes.filter((event) => event !== 'card.linked')

/** Returns a body with a name in many scripts, of another event if the run's has no name. */
function renamedOf({ base, of }: Payloads, purpose: string) {
  return of(base === 'card.linked' ? 'card.failed' : base, purpose, renamed)
}

/** Adds unnecessary escapes to a JSON text. */
function escaped(text: string): string {
  return text
    .replaceAll('/', '\\/')
    .replace(
      /:"([\x20!#-[\]-~])/g,
      (_, first: string) => `:"\\u00${first.charCodeAt(0).toString(16)}`,
    )
}

function reversed(payload: CheckPayload): CheckPayload {
  return Object.fromEntries(Object.entries(payload).toReversed())
}

/** Builds a transaction whose amount is spelled as no serializer spells it. */
function withAmount({ payloads, request }: RequestFactory, spelling: string) {
  const text = payloads.of(payloads.transaction, `amount ${spelling}`, (payload) => ({
    ...payload,
    amount: 0,
  }))
  return request(text.replace('"amount":0', `"amount":${spelling}`), {
    label: `amount ${spelling}`,
  })
}

export const payloadCases = defineCases(
  { group: 'payload', section: '5.2', expectedResponse: 'accept' },
  [
    {
      name: 'unmatched-refund',
      title: 'Refund without its purchase',
      severity: 'major',
      section: '6.3',
      sends:
        "A valid transaction.refund without `originalTransactionId`: the service couldn't match it to a purchase.",
      why: "If the service can't find the purchase, it sends the refund anyway, without `originalTransactionId`.",
      fix: 'Treat `originalTransactionId` as optional. Match such a refund by card, location and amount, or queue it for review.',
      events: ['transaction.refund'],
      requests: ({ payloads, request }) => [
        request(
          payloads.of(
            'transaction.refund',
            'unmatched',
            ({ originalTransactionId: _, ...payload }) => payload,
          ),
        ),
      ],
    },
    {
      name: 'null-fields',
      title: 'Every nullable field is null',
      severity: 'major',
      section: '2.6',
      sends: 'A valid transaction with null logo, metadata, geolocation, wallet and identifiers.',
      why: 'These fields are null for some brands, locations and card schemes, so you will receive such events.',
      fix: 'Check for null before you read into `location.geolocation`, `brand.metadata` or `identifiers`.',
      events: transactions,
      requests: ({ payloads, request }) => [
        request(
          payloads.of(payloads.transaction, 'nulls', (payload) => ({
            ...payload,
            wallet: null,
            brand: { ...field(payload, 'brand'), logoURL: null, metadata: null },
            location: { ...field(payload, 'location'), geolocation: null, metadata: null },
            identifiers: Object.fromEntries(
              Object.keys(field(payload, 'identifiers')).map((name) => [name, null]),
            ),
          })),
        ),
      ],
    },
    {
      name: 'test-mode-nulls',
      title: 'Nulls and gaps seen in test mode',
      severity: 'major',
      section: '2.6',
      sends:
        'Valid transactions with `approvalCode`, `authCode` and `cardPresent` null, and without `identifiers.amexApprovalCode` (a refund also without `offer`).',
      why: "Accounts in test mode send such transactions, although the spec doesn't show them. A handler that rejects them fails before its first live event.",
      fix: 'Treat these fields as optional and nullable.',
      events: transactions,
      requests: ({ payloads, settings, request }) =>
        [...new Set<ShownEventType>([payloads.transaction, 'transaction.refund'])]
          .filter((event) => settings.events.includes(event))
          .map((event) =>
            request(
              payloads.of(event, 'observed', (payload) => asObserved(event, payload, [])),
              { label: event },
            ),
          ),
    },
    {
      name: 'unknown-field',
      title: 'Unknown fields',
      severity: 'major',
      section: '9',
      sends: "A valid delivery with fields that aren't in the spec, in nested objects too.",
      why: 'Services add fields without a new version. A handler that rejects unknown fields loses every event from that day on.',
      fix: 'Ignore unknown fields. Turn off strict schemas (`additionalProperties: false`, `FAIL_ON_UNKNOWN_PROPERTIES`).',
      requests: ({ baseBody, request }) => [
        request(
          baseBody('unknown field', (payload) => ({
            ...Object.fromEntries(
              Object.entries(payload).map(([name, value]) => [
                name,
                isObject(value) ? { ...value, addedLater: 'new' } : value,
              ]),
            ),
            addedLater: { level: 2, tags: ['new'] },
            alsoNew: null,
          })),
        ),
      ],
    },
    {
      name: 'unicode',
      title: 'Names in every script',
      severity: 'major',
      sends:
        'A valid delivery with a name in Latin, Japanese and Arabic letters, an emoji and quoted markup, in UTF-8.',
      why: 'Merchants have such names. A handler that decodes the body with another encoding, or escapes characters when it re-serializes, hashes other bytes.',
      fix: `${rawBodyFix} To store the name, use a full UTF-8 column (\`utf8mb4\` in MySQL).`,
      events: namingEvents,
      requests: ({ payloads, request }) => [request(renamedOf(payloads, 'unicode'))],
    },
    {
      name: 'split-letter',
      title: 'Body in two parts, cut inside a letter',
      severity: 'major',
      sends:
        'A valid delivery with a name in several scripts, in two parts. The first one ends within a letter.',
      why: 'Networks cut bodies anywhere. A handler that decodes each part for itself loses the letter, and hashes other bytes.',
      fix: 'Collect the parts as bytes, and decode them together: `Buffer.concat(chunks)`, not `body += chunk`.',
      events: namingEvents,
      requests: ({ payloads, request }) => [
        request(renamedOf(payloads, 'split letter'), { halting: true }),
      ],
    },
    {
      name: 'escapes',
      title: 'JSON with escaped characters',
      severity: 'critical',
      sends:
        'A valid delivery whose JSON writes `/` as `\\/` and some letters as `\\u0041`, signed exactly as sent.',
      why: hashedBytesWhy,
      fix: rawBodyFix,
      requests: ({ baseBody, request }) => [request(escaped(baseBody('escapes')))],
    },
    {
      name: 'numbers',
      title: 'Amounts with trailing zeros',
      severity: 'critical',
      sends:
        'Valid transactions with the amounts `10.00`, `0.50` and `98765432.10`, signed exactly as sent.',
      why: `${hashedBytesWhy} 10.00 becomes 10.`,
      fix: `${rawBodyFix} Store amounts as decimals or as integer minor units, not as binary floats.`,
      events: transactions,
      requests: (factory) =>
        ['10.00', '0.50', '98765432.10'].map((spelling) => withAmount(factory, spelling)),
    },
    {
      name: 'layout',
      title: 'JSON formatted differently',
      severity: 'critical',
      sends:
        'A valid delivery with line breaks and indentation, and one with its fields in another order, signed exactly as sent.',
      why: hashedBytesWhy,
      fix: rawBodyFix,
      requests: ({ baseBody, request }) => {
        const text = (which: string) => baseBody(`layout, ${which}`, reversed)
        return [
          request(`${JSON.stringify(JSON.parse(text('indented')), null, 2)}\n`, {
            label: 'indented',
          }),
          request(text('another order'), { label: 'another order' }),
        ]
      },
    },
  ],
)
