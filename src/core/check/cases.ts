/** All cases of the handler check, in the order they are sent and shown, and how some of them are selected. */
import { AppError } from '../../shared/contract/errors.ts'
import { checkGroups, FIRST_CASE } from '../../shared/model/check.ts'
import { fitsPattern, patternOf } from '../../shared/query/query.ts'
import { headerNames } from '../../shared/service/header-rules.ts'
import { secretKey } from '../signature/sign.ts'
import { payloadCases } from './payload-cases.ts'
import { casesOf, urlsOfRequest, type Bench, type CaseDefinition } from './requests.ts'

const MINUTE = 60_000

// Valid deliveries of every event.

const lost =
  'Any other response, or none within 20 s, counts as a failure. After three attempts the event is lost.'
const types =
  'Compare the fields your code reads with this payload. A field it expects may be null or have another type.'

/** Each sends all of its events that the endpoint receives. */
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
    fix: types,
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
    fix: types,
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
    name: 'program',
    events: ['program.status'],
    title: 'Programs: program.status',
    section: '2.3',
    sends: "A valid program.status in live mode. The service doesn't send it in test mode.",
    fix: types,
    obstacle: ({ live }) =>
      live
        ? null
        : 'program.status is only sent in live mode (spec 6.2), so its payload is marked live. Pass --program-status to send it.',
  },
]

const genuineCases = casesOf({ group: 'genuine', section: '5.2', wanted: 'accept' }, [
  {
    name: FIRST_CASE,
    title: 'Accepts a valid delivery',
    severity: 'critical',
    sends: 'One valid delivery, signed over the registered URL with your secret.',
    why: lost,
    fix: 'Check in this order: 1. the secret; 2. the registered URL, which must come from your configuration, not from the request; 3. that you hash the raw bytes of the body; 4. that you apply HMAC with Base64 twice. The other cases are judged once this one passes.',
    requests: ({ payloads, signed }) => [signed('first', { label: payloads.base })],
  },
  ...eventCases.map((one) => ({
    ...one,
    severity: 'critical' as const,
    why: lost,
    requests: ({ payloads, settings, request }: Bench) =>
      (one.events ?? [])
        .filter((event) => settings.events.includes(event))
        .flatMap((event) => payloads.all(event).map((body) => request(body, { label: event }))),
  })),
])

// Deliveries that the service can't have sent. A handler that accepts one processes anything that anyone sends.

const anybody =
  'Your endpoint is public. Anyone who finds its URL can send this, and you would process it as a purchase.'
const compare =
  'Compute the signature from the raw body, the configured URL and the timestamp header. Compare it with the signature header in constant time. If they differ, return 401 before you do anything else.'

function withoutHeader(bench: Bench, which: 'signature' | 'timestamp', label: string) {
  const name = headerNames(bench.settings.prefix)[which]
  return bench.signed(`forged, ${label}`, {
    label,
    headers: (genuine) => genuine.filter(([each]) => each !== name),
  })
}

/** The body with one digit of its amount or an id changed: still valid JSON of the same length. */
function altered(text: string): string {
  return text.replace(
    /("amount":-?|-4)([0-9a-f])/,
    (_, before: string, digit: string) => `${before}${digit === '9' ? '8' : '9'}`,
  )
}

const forgedCases = casesOf({ group: 'forged', section: '5.2', wanted: 'refuse' }, [
  {
    name: 'altered-body',
    title: 'Body changed by one character',
    severity: 'critical',
    sends: 'A delivery whose body differs by one digit from the signed body.',
    why: 'Only the signature reveals that someone changed an amount of 10 to 90 on the way.',
    fix: compare,
    requests: ({ plain, request }) => {
      const text = plain('forged, altered')
      return [request(text, { sentBody: altered(text) })]
    },
  },
  {
    name: 'wrong-secret',
    title: 'Wrong secret',
    severity: 'critical',
    sends: 'A valid delivery signed with another secret, and one signed with an empty secret.',
    why: `${anybody} A handler without its configuration verifies with an empty secret.`,
    fix: `${compare} Don't start without a secret.`,
    requests: ({ plain, request }) => {
      const text = (which: string) => plain(`forged, ${which}`)
      return [
        request(text('another secret'), {
          label: 'another secret',
          key: secretKey('not-the-secret-of-this-hook'),
        }),
        request(text('an empty secret'), { label: 'an empty secret', key: secretKey('') }),
      ]
    },
  },
  {
    name: 'single-pass',
    title: 'Hashed once instead of twice',
    severity: 'critical',
    sends: 'A delivery with the first HMAC as its signature.',
    why: 'The spec hashes twice. A handler that accepts this delivery hashes once, and rejects real deliveries.',
    fix: 'Apply HMAC-SHA-256 with Base64 again, with the same secret, to the Base64 text of the first result.',
    requests: ({ signed }) => [
      signed('forged, single pass', {
        signature: ({ inner }) => inner,
      }),
    ],
  },
  {
    name: 'host-url',
    title: "Signed over the request's URL instead of the hook's",
    severity: 'critical',
    sends:
      "Deliveries signed over the URL from the request's Host header, with https and with http.",
    why: 'The signature covers the registered URL. A handler that builds the URL from the Host header lets the sender choose it, and rejects real deliveries behind a proxy or tunnel.',
    fix: "Take the URL from your configuration, exactly as registered. Don't build it from the request.",
    obstacle: ({ target, registeredUrl }) =>
      urlsOfRequest(target).includes(registeredUrl)
        ? "The target's URL is the registered URL, so this mistake wouldn't show. Pass the hook's registered URL (--registered-url) to check it."
        : null,
    requests: ({ settings, signed }) =>
      urlsOfRequest(settings.target).map((signedUrl) =>
        signed(`forged, ${signedUrl}`, {
          label: `over ${signedUrl}`,
          signedUrl,
        }),
      ),
  },
  {
    name: 'no-signature',
    title: 'Signature missing or empty',
    severity: 'critical',
    sends: 'A delivery without the signature header, and one with an empty signature.',
    why: `${anybody} If you verify only requests that have a signature, you verify nothing.`,
    fix: 'Treat a missing or empty signature as invalid and return 401.',
    requests: (bench) => [
      withoutHeader(bench, 'signature', 'no signature'),
      bench.signed('forged, empty signature', {
        label: 'an empty signature',
        signature: () => '',
      }),
    ],
  },
  {
    name: 'no-timestamp',
    title: 'Timestamp missing',
    severity: 'critical',
    sends: 'A delivery without the timestamp header, signed over a timestamp.',
    why: 'The signature covers the timestamp. Without it, no signature can be valid.',
    fix: 'Treat a missing timestamp as an invalid signature and return 401.',
    requests: (bench) => [withoutHeader(bench, 'timestamp', 'no timestamp')],
  },
  {
    name: 'spelling',
    title: 'Signature in another encoding',
    severity: 'minor',
    sends: 'Deliveries with the correct digest in hexadecimal, and in Base64 without padding.',
    why: 'A delivery is authentic only if the two strings are equal. A lenient comparison may accept a truncated signature one day.',
    fix: "Compare the strings byte by byte. Don't decode the header first.",
    requests: ({ plain, request }) => {
      const text = (which: string) => plain(`forged, ${which}`)
      return [
        request(text('hexadecimal'), {
          label: 'hexadecimal',
          signature: ({ signature }) => Buffer.from(signature, 'base64').toString('hex'),
        }),
        request(text('without padding'), {
          label: 'without padding',
          signature: ({ signature }) => signature.replace(/(?<!=)=+$/, ''),
        }),
      ]
    },
  },
  {
    name: 'other-ending',
    title: 'Signature with another ending',
    severity: 'critical',
    sends:
      'A delivery whose signature differs in its last characters, and one with only the first half of it.',
    why: 'A handler that compares only the beginning accepts signatures that are easy to guess.',
    fix: 'Compare the whole strings, in constant time.',
    requests: ({ plain, request }) => {
      const text = (which: string) => plain(`forged, ${which}`)
      const turned = (signature: string) =>
        `${signature.slice(0, -9)}${signature.at(-9) === 'A' ? 'B' : 'A'}${signature.slice(-8)}`
      return [
        request(text('another ending'), {
          label: 'another ending',
          signature: ({ signature }) => turned(signature),
        }),
        request(text('the first half'), {
          label: 'the first half',
          signature: ({ signature }) => signature.slice(0, 22),
        }),
      ]
    },
  },
  {
    name: 'letter-case',
    title: 'Signature in another letter case',
    severity: 'major',
    sends: 'A delivery whose signature is in lowercase.',
    why: 'Base64 distinguishes letter cases. Ignoring them makes a signature much easier to guess.',
    fix: "Compare the strings exactly, in constant time. Don't change their letter case.",
    requests: ({ signed }) => [
      signed('forged, lowercase', { signature: ({ signature }) => signature.toLowerCase() }),
    ],
  },
  {
    name: 'other-letters',
    title: 'Signature with other letters',
    severity: 'major',
    sends: "A delivery whose signature header isn't ASCII, of the right length.",
    why: 'Functions that compare in constant time may fail for such a text. After a 500, the service tries again.',
    fix: "Treat a signature that isn't ASCII as invalid, and return 401. Compare bytes, after comparing their lengths.",
    requests: ({ signed }) => [
      signed('forged, not ASCII', { signature: ({ signature }) => `\u00e9${signature.slice(1)}` }),
    ],
  },
])

// Signature age: an old but valid signature may belong to a captured delivery that someone sends again.

const replayed =
  'Anyone who captures one valid delivery can send it again and again. Its signature stays valid; only its age gives it away.'
const window =
  'Reject a delivery if its timestamp (milliseconds since 1970, UTC) is more than 5 minutes from your clock in either direction.'

const timeCases = casesOf({ group: 'time', section: '5.2', wanted: 'refuse' }, [
  {
    name: 'stale',
    title: 'Signed ten minutes ago',
    severity: 'major',
    sends: 'A correctly signed delivery with a timestamp ten minutes old.',
    why: replayed,
    fix: window,
    requests: ({ signed }) => [signed('time, stale', { age: 10 * MINUTE })],
  },
  {
    name: 'future',
    title: 'Signed ten minutes ahead',
    severity: 'major',
    sends: 'A correctly signed delivery with a timestamp ten minutes in the future.',
    why: 'A future timestamp stays valid for longer than your window. It can also mean that a clock is wrong.',
    fix: `${window} Compare the absolute difference.`,
    requests: ({ signed }) => [signed('time, future', { age: -10 * MINUTE })],
  },
  {
    name: 'seconds',
    title: 'Timestamp in seconds',
    severity: 'minor',
    sends: 'A delivery correctly signed over a timestamp in seconds.',
    why: "Timestamps are in milliseconds, so this one falls in January 1970. A handler that accepts it doesn't check the age, or would read real timestamps as far in the future.",
    fix: window,
    requests: ({ now, signed }) => [
      signed('time, seconds', {
        timestamp: String(Math.trunc(now() / 1_000)),
      }),
    ],
  },
  {
    name: 'no-number',
    title: 'Timestamp missing or not a number',
    severity: 'major',
    sends:
      'Deliveries correctly signed over the timestamp `now`, over an empty timestamp, and without the header.',
    why: 'Comparisons with NaN are always false, so `age > window` lets the delivery through.',
    fix: 'Parse the timestamp strictly. Reject anything except digits.',
    requests: ({ plain, request, settings }) => {
      const text = (which: string) => plain(`time, ${which}`)
      const { timestamp: name } = headerNames(settings.prefix)
      return [
        request(text('now'), { label: 'now', timestamp: 'now' }),
        request(text('empty'), { label: 'empty', timestamp: '' }),
        request(text('missing'), {
          label: 'missing',
          timestamp: '',
          headers: (genuine) => genuine.filter(([each]) => each !== name),
        }),
      ]
    },
  },
  {
    name: 'clock-difference',
    title: 'Small clock differences',
    severity: 'major',
    sends: 'Valid deliveries with a timestamp 60 s old, and one 5 s ahead.',
    why: 'Clocks are never quite in sync, and a delivery can wait in a queue. The recommended window is 5 minutes.',
    fix: 'Allow 5 minutes in both directions.',
    wanted: 'accept',
    requests: ({ signed }) => [
      signed('clock 1', { label: '60 s old', age: MINUTE }),
      signed('clock 2', { label: '5 s ahead', age: -5_000 }),
    ],
  },
])

// Duplicate and concurrent deliveries, as retries and busy days bring them.

const AT_ONCE = 10
const idempotent =
  'Return 200 for events you already have, and process each event once. Use a unique index on payload id and event.'

const duplicateCases = casesOf(
  { group: 'duplicates', section: '6.4', wanted: 'accept', expected: '200 to each, within 20 s' },
  [
    {
      name: 'retry',
      title: 'Retry: same body, re-signed',
      severity: 'critical',
      sends:
        'A valid delivery, then the same body with a new timestamp and signature, like a retry.',
      why: 'If your first response gets lost, the service sends the event again. A handler that rejects the retry makes the service keep trying and record the event as failed.',
      fix: idempotent,
      requests: ({ plain, request }) => {
        const text = plain('retry')
        return [
          request(text, { label: 'first attempt' }),
          request(text, { label: 'second attempt', age: -1 }),
        ]
      },
    },
    {
      name: 'message-id',
      title: 'Message id stays across attempts',
      severity: 'major',
      sends:
        'A valid delivery with a message id and attempt number 1, then the same body, re-signed, with the same id and attempt number 2.',
      why: 'Real accounts number their attempts and keep the message id. A handler that rejects a repeated id makes the service keep trying.',
      fix: idempotent,
      requests({ plain, settings, request }) {
        const text = plain('message id')
        const { attemptNumber } = headerNames(settings.prefix)
        return [1, 2].map((attempt) =>
          request(text, {
            label: attempt === 1 ? 'first attempt' : 'second attempt',
            age: 1 - attempt,
            headers: (genuine) => [...genuine, [attemptNumber, String(attempt)]],
          }),
        )
      },
    },
    {
      name: 'no-message-id',
      title: 'No message id',
      severity: 'major',
      sends: 'A valid delivery without a message id. All other deliveries have one.',
      why: "Real accounts send a message id, but the spec doesn't promise it. A handler that requires it rejects valid deliveries.",
      fix: "If the message id is missing, recognize a repeated event by the payload's `id`.",
      requests: ({ settings, signed }) => [
        signed('no message id', {
          headers: (genuine) =>
            genuine.filter(([name]) => name !== headerNames(settings.prefix).messageId),
        }),
      ],
    },
    {
      name: 'twice',
      title: 'Exact duplicate',
      severity: 'minor',
      sends: 'A valid delivery, then an identical copy, byte for byte.',
      why: 'Proxies and tunnels resend a request when a connection breaks. The service counts only the response it receives.',
      fix: idempotent,
      requests: ({ signed }) => {
        const once = signed('twice', { label: 'first copy' })
        return [once, { ...once, label: 'second copy' }]
      },
    },
    {
      name: 'ten-at-once',
      title: 'Ten deliveries at once, two for the same event',
      severity: 'major',
      sends: 'Ten valid deliveries at the same moment. Two of them are for the same event.',
      why: 'Clearings arrive in bursts, and a retry can overlap the first attempt. Checking for an event and then inserting it leaves a gap for a race.',
      fix: "Let the database decide: a unique index with insert-or-ignore. Don't lock the whole handler, and respond before slow work.",
      atOnce: true,
      requests: ({ signed }) =>
        Array.from({ length: AT_ONCE }, (_, index) =>
          signed(`burst ${Math.max(1, index)}`, {
            label: `${index + 1} of ${AT_ONCE}`,
            age: index,
          }),
        ),
    },
  ],
)

// Unusual requests: an endpoint may reject them but must survive them.

const LARGE_BYTES = 1_048_576
const survives =
  'A request that crashes or blocks your process also loses the deliveries after it. After a 500 the service tries twice more.'

const robustnessCases = casesOf({ group: 'robustness', section: '4.4', wanted: 'answer' }, [
  {
    name: 'headers',
    title: 'Headers in another case and order',
    severity: 'major',
    sends:
      'Valid deliveries with header names in capitals, in another order, among unknown headers, and with `charset=utf-8`.',
    why: 'Header names are case-insensitive, and any proxy may change their case and order or add its own.',
    fix: 'Look up headers case-insensitively. Compare the media type without its parameters.',
    wanted: 'accept',
    requests: ({ signed }) => [
      signed('headers 1', {
        label: 'capitals, other order',
        headers: (genuine) =>
          genuine.toReversed().map(([name, value]) => [name.toUpperCase(), value]),
      }),
      signed('headers 2', {
        label: 'more headers, charset',
        headers: (genuine) => [
          ['Via', '1.1 proxy'],
          ['X-Forwarded-For', '192.0.2.10'],
          ...genuine.map(([name, value]): [string, string] => [
            name,
            name === 'content-type' ? `${value}; charset=utf-8` : value,
          ]),
          ['X-Unknown', 'yes'],
        ],
      }),
    ],
  },
  {
    name: 'not-json',
    title: 'Not JSON, correctly signed',
    severity: 'minor',
    sends:
      "Correctly signed deliveries with a truncated object, `null`, and bytes that aren't JSON as their bodies.",
    why: survives,
    fix: "Catch the parser's error and return 400. Check that the parsed value is an object before you read its fields.",
    requests: ({ request }) =>
      ['{"id":', 'null', '\u0000\u0001 not json'].map((body, index) =>
        request(body, { label: ['a truncated object', 'null', 'other bytes'][index] ?? '' }),
      ),
  },
  {
    name: 'empty-body',
    title: 'Empty body, correctly signed',
    severity: 'minor',
    sends: 'A correctly signed delivery without a body.',
    why: survives,
    fix: 'Treat an empty body like invalid JSON: return 400.',
    requests: ({ request }) => [request('')],
  },
  {
    name: 'large-body',
    title: '1 MiB body',
    severity: 'minor',
    sends: 'A valid delivery with a free-form field of 1 MiB.',
    why: `The spec sets no limit on the body. ${survives}`,
    fix: 'Choose a limit and return 413 above it.',
    requests: ({ plain, request }) => [
      request(
        plain('large', (payload) => ({
          ...payload,
          note: 'x'.repeat(LARGE_BYTES),
        })),
      ),
    ],
  },
  {
    name: 'other-method',
    title: 'Other methods',
    severity: 'minor',
    sends: 'A GET without a body, and a PUT signed like a delivery.',
    expected: 'any status below 500, or 501, within 20 s, then 200 for a valid delivery',
    why: `Deliveries are POST requests. Crawlers and uptime monitors send other methods. ${survives}`,
    fix: 'Return 405 for every method except POST.',
    requests: ({ request, signed }) => [
      request('', { label: 'GET', method: 'GET', headers: () => [] }),
      signed('method', { label: 'PUT', method: 'PUT' }),
    ],
  },
])

// Whether the endpoint responds in time, and only after it has read the full body.

/** Slower responses get a warning, although the service waits four times as long. */
const SLOW_MS = 5_000
const COUNT = 3

const speedCases = casesOf({ group: 'speed', section: '5.2', wanted: 'accept' }, [
  {
    name: 'in-time',
    title: 'Responds within 20 s, ideally within 5 s',
    severity: 'critical',
    section: '6.4',
    sends: 'Three valid deliveries, one after another.',
    expected: '200 within 20 s; a warning above 5 s',
    why: 'After 20 s the service counts a failure and sends the event again while you still work on the first one.',
    fix: 'Verify, store and return 200. Do the work afterwards, from a queue.',
    requests: ({ signed }) =>
      Array.from({ length: COUNT }, (_, index) =>
        signed(`speed ${index}`, {
          label: `${index + 1} of ${COUNT}`,
        }),
      ),
    warn(exchanges) {
      const ms = Math.max(...exchanges.map(({ got }) => got.ms))
      return ms > SLOW_MS
        ? `The slowest response took ${(ms / 1_000).toFixed(1)} s. Under load it may exceed 20 s.`
        : null
    },
  },
  {
    name: 'answers-after-reading',
    title: 'Reads the full body before it responds',
    severity: 'critical',
    sends: 'A valid delivery whose body is sent in two halves, one second apart.',
    expected: '200 after the full body has arrived, not before',
    why: "A 200 before the body has arrived means the signature wasn't checked. You would accept forged deliveries, and lose those you can't process: the service won't retry them.",
    fix: 'Read the full body, verify it and store it. Then respond, and do slow work afterwards.',
    requests: ({ signed }) => [signed('halting', { halting: true })],
    object([exchange]) {
      return exchange?.got.early === true &&
        exchange.got.status !== null &&
        exchange.got.status < 300
        ? {
            decisive: 0,
            message: `Your handler returned ${exchange.got.status} after half of the body, so it can't have checked the signature.`,
          }
        : null
    },
  },
])

export const checkCases: readonly CaseDefinition[] = [
  ...genuineCases,
  ...payloadCases,
  ...forgedCases,
  ...timeCases,
  ...duplicateCases,
  ...robustnessCases,
  ...speedCases,
]

// Which cases to run: `--only` and `--skip`, each with names, groups or patterns with `*`.

function fits({ name, group }: CaseDefinition, text: string): boolean {
  const pattern = patternOf(text)
  return fitsPattern(pattern, name) || fitsPattern(pattern, group)
}

/**
 * Selects cases. The first case is always included, because it decides what the others prove. Throws `INVALID_INPUT` for a text
 * that matches no case.
 */
export function selectCases(
  only: readonly string[],
  skip: readonly string[],
): readonly CaseDefinition[] {
  for (const text of [...only, ...skip]) {
    if (checkCases.some((one) => fits(one, text))) continue
    throw new AppError(
      'INVALID_INPUT',
      `"${text}" matches no case or group. The groups are ${Object.keys(checkGroups).join(', ')}. "countersign check --list" lists the cases.`,
    )
  }
  return checkCases.filter(
    (one) =>
      one.name === FIRST_CASE ||
      ((only.length === 0 || only.some((text) => fits(one, text))) &&
        !skip.some((text) => fits(one, text))),
  )
}
