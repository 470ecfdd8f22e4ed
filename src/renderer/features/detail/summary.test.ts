import { describe, expect, test } from 'vitest'
import { handlerResponseOf } from '../../../../test/support/model-values.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { deliverySummary, isCertain, summaryOfRow } from './summary.ts'
import { checksOf } from './summary-checks.ts'
import type { SummaryInput } from './delivery-summary.ts'
import { responseStatus } from './response-words.ts'
import { factsOfRow, payloadFacts } from './payload-facts.ts'

type Changes = { readonly [Part in keyof SummaryInput]?: Partial<SummaryInput[Part]> | null }

const delivery: SummaryInput['delivery'] = {
  malformed: null,
  firstBytes: null,
  verdict: 'valid',
  verifiedHere: true,
  truncated: false,
  freshness: 'fresh',
  origin: 'received',
  method: 'POST',
  path: '/h/auth',
  event: 'transaction.auth',
  eventCandidates: [],
  schema: 'ok',
  handler: null,
}
const signature: NonNullable<SummaryInput['signature']> = {
  received: 'c2ln',
  timestamp: '1763700000123',
  inTrailer: [],
  expected: 'b3RoZXI',
  url: 'https://hooks.northpine.dev/h/auth',
  ageMs: 400,
  diagnosis: null,
}

function inputOf(changes: Changes = {}): SummaryInput {
  const common = {
    schemaErrors: [],
    closest: null,
    handlerWords: null,
    isAbandoned: false,
    signatureHeader: 'x-service-signature',
  }
  return {
    ...common,
    hook: { event: 'transaction.auth', remoteId: 'remote' },
    ...changes,
    delivery: { ...delivery, ...changes.delivery },
    signature: changes.signature === null ? null : { ...signature, ...changes.signature },
  } as SummaryInput
}

const failing = handlerResponseOf({ ms: 84 })
const slash = {
  cause: 'url:trailing-slash',
  causes: ['url:trailing-slash'],
  message: 'Signed over the URL with a trailing slash (https://hooks.northpine.dev/h/auth/).',
  fix: 'The service signed `https://hooks.northpine.dev/h/auth/`. Verify with that URL, or register it without the slash.',
  signedUrl: 'https://hooks.northpine.dev/h/auth/',
}
const pathOnly = {
  ...slash,
  message: 'Signed over the URL as a path only (/h/auth).',
  fix: 'Sign the URL exactly as registered: https://hooks.northpine.dev/h/auth',
  signedUrl: '/h/auth',
}
const once = {
  cause: 'passes:once',
  causes: ['passes:once'],
  message: 'Signature hashed once instead of twice.',
  fix: 'Hash it twice.',
  signedUrl: null,
}
const seconds = {
  ...once,
  cause: 'timestamp:seconds',
  message: 'Timestamp is in seconds; the service sends milliseconds.',
  fix: 'Send milliseconds.',
}
const errors = ['Missing required field `accountId` (UUID).', 'two', 'three']
const closest = { event: 'transaction.auth', found: 14, required: 19 } as const
const MINUTE = 60_000

/** Deliveries, each with headline, cause, tone, wash and action of its summary. */
const cases: readonly (readonly [
  name: string,
  Changes,
  headline: string,
  cause: string,
  style: string,
  action: string,
])[] = [
  [
    'valid',
    {},
    'Valid',
    "Signed with the transaction.auth hook's secret, 400 ms before receipt. No schema errors.",
    'ok',
    'show-signature',
  ],
  [
    'valid, but only reported',
    { delivery: { origin: 'reported' } },
    'Valid: reported, not received',
    "Signed with the transaction.auth hook's secret, 400 ms before receipt. No schema errors.",
    'quiet',
    'show-signature',
  ],
  [
    'valid, signed ahead, of an event without a schema',
    {
      delivery: { schema: 'unknown', event: 'marketplace.created' },
      signature: { ageMs: -400 },
      hook: undefined,
    },
    'Valid',
    'Signed with a known secret, 400 ms ahead of receipt.',
    'ok',
    'show-signature',
  ],
  [
    'handler failed',
    { delivery: { handler: failing }, handlerWords: '"card is null"' as never },
    'Your handler returned 500',
    'The signature is valid. @local returned "card is null" after `84 ms`.',
    'bad bad',
    'show-response',
  ],
  [
    'handler timed out',
    { delivery: { handler: { ...failing, status: null, timedOut: true, ms: 20_001 } } },
    'Your handler timed out',
    'The signature is valid. No response within 20 s from @local.',
    'bad bad',
    'show-response',
  ],
  [
    'an unsaved handler without a response',
    { delivery: { handler: { ...failing, name: null, status: null, ms: null } } },
    "Your handler didn't respond",
    'The signature is valid. No response from http://localhost:3000/hooks.',
    'bad bad',
    'show-response',
  ],
  [
    'never acknowledged',
    { isAbandoned: true as never },
    'Not acknowledged after 3 attempts',
    'After the third failed attempt the service stops. Your system must reconcile another way.',
    'bad bad',
    'show-history',
  ],
  [
    'never acknowledged, and invalid',
    {
      isAbandoned: true as never,
      delivery: { verdict: 'invalid' },
      signature: { diagnosis: once },
    },
    'Not acknowledged after 3 attempts',
    'Signature hashed once instead of twice. After the third failed attempt the service stops. Your system must reconcile another way.',
    'bad bad',
    'show-code',
  ],
  [
    'schema errors',
    { delivery: { schema: 'issues' }, schemaErrors: errors },
    '3 schema errors',
    'The signature is valid. Missing required field `accountId` (UUID), and 2 more.',
    'bad bad',
    'show-in-body',
  ],
  [
    'not JSON',
    { delivery: { schema: 'not-json' }, schemaErrors: ['Invalid JSON at 1:40: unexpected }.'] },
    "Body isn't JSON",
    'The signature is valid. Invalid JSON at 1:40: unexpected }.',
    'bad bad',
    'show-in-body',
  ],
  [
    'stale',
    { delivery: { freshness: 'stale' }, signature: { ageMs: 10 * MINUTE - 1 } },
    'Signed 10 minutes before receipt',
    'Valid signature, older than 5 minutes. Handlers with replay protection reject old deliveries.',
    'warn warn',
    'replay-re-signed',
  ],
  [
    'future',
    { delivery: { freshness: 'future' }, signature: { ageMs: -10 * MINUTE } },
    'Signed 10 minutes in the future',
    "Valid signature, more than 5 minutes ahead. Check the sender's clock.",
    'warn warn',
    'show-headers',
  ],
  [
    'a timestamp in seconds',
    { delivery: { freshness: 'stale' }, signature: { ageMs: null, diagnosis: seconds } },
    'Timestamp is in seconds',
    'Valid signature. Send milliseconds.',
    'warn warn',
    'show-headers',
  ],
  [
    'invalid with a diagnosis about the URL',
    { delivery: { verdict: 'invalid' }, signature: { diagnosis: slash } },
    'Signed over the URL with a trailing slash',
    slash.fix,
    'bad bad',
    'edit-hook-url',
  ],
  [
    'the same for a hook that the service alone can change',
    {
      delivery: { verdict: 'invalid' },
      signature: { diagnosis: slash },
      hook: { event: 'transaction.auth', remoteId: null },
    },
    'Signed over the URL with a trailing slash',
    slash.fix,
    'bad bad',
    'import-hook',
  ],
  [
    'a signed URL that no hook can have',
    { delivery: { verdict: 'invalid' }, signature: { diagnosis: pathOnly } },
    'Signed over the URL as a path only',
    'Sign the URL exactly as registered: https://hooks.northpine.dev/h/auth',
    'bad bad',
    'show-code',
  ],
  [
    'invalid with another diagnosis',
    { delivery: { verdict: 'invalid' }, signature: { diagnosis: once } },
    'Signature hashed once instead of twice',
    'Hash it twice.',
    'bad bad',
    'show-code',
  ],
  [
    'invalid without a diagnosis',
    { delivery: { verdict: 'invalid' } },
    "Signature doesn't match the transaction.auth hook's secret",
    'No known mistake explains the difference. Check whether the body changed on the way or the sender uses another secret.',
    'bad bad',
    'try-secret',
  ],
  [
    'invalid without a stored secret',
    { delivery: { verdict: 'invalid' }, signature: { expected: null } },
    'No secret to verify with',
    "Add the hook's secret.",
    'bad bad',
    'try-secret',
  ],
  [
    'unsigned',
    {
      delivery: { verdict: 'unsigned', freshness: 'missing' },
      signature: { received: null, ageMs: null },
    },
    'No signature header',
    "`x-service-signature` is missing, so nothing can be verified. Check the sender's signing step.",
    'quiet',
    'send-sample',
  ],
  [
    'unsigned, without a timestamp',
    {
      delivery: { verdict: 'unsigned' },
      signature: { received: null, timestamp: null },
      signatureHeader: 'x-acme-signature' as never,
    },
    'No signature or timestamp header',
    "`x-acme-signature` and `x-acme-timestamp` are missing, so nothing can be verified. Check the sender's signing step.",
    'quiet',
    'send-sample',
  ],
  [
    'signed in a trailer',
    { delivery: { verdict: 'unsigned' }, signature: { received: null, inTrailer: ['signature'] } },
    'No signature header',
    'The signature was sent as a trailer, after the body. The service sends both as headers.',
    'quiet',
    'send-sample',
  ],
  [
    'malformed: TLS on the HTTP port',
    {
      delivery: {
        malformed: {
          reason: 'TLS handshake on the HTTP port. Send https:// requests to the HTTPS port.',
        },
        firstBytes: '160301020001',
        verdict: 'unsigned',
      },
    },
    'TLS handshake on the HTTP port',
    'Send https:// requests to the HTTPS port. Received `16 03 01 02 00 01` first.',
    'bad bad',
    'copy-https-url',
  ],
  [
    'malformed: TLS twice on the HTTPS port',
    {
      delivery: {
        malformed: {
          reason:
            'TLS handshake inside an HTTPS connection. The sender or a proxy encrypts twice: remove one TLS layer.',
        },
        firstBytes: '160301020001',
        verdict: 'unsigned',
      },
    },
    'TLS handshake inside an HTTPS connection',
    'The sender or a proxy encrypts twice: remove one TLS layer. Received `16 03 01 02 00 01` first.',
    'bad bad',
    'show-bytes',
  ],
  [
    'malformed: HTTP on the HTTPS port',
    {
      delivery: {
        malformed: { reason: 'Plain HTTP was sent to the HTTPS port. Use https:// in the URL.' },
      },
    },
    'Plain HTTP was sent to the HTTPS port',
    'Use https:// in the URL.',
    'bad bad',
    'copy-https-url',
  ],
  [
    'malformed: an untrusted certificate',
    {
      delivery: {
        malformed: {
          reason:
            "The sender doesn't trust the certificate. Give it ca.pem from the tls folder (curl: --cacert).",
        },
      },
    },
    "The sender doesn't trust the certificate",
    'Give it ca.pem from the tls folder (curl: --cacert).',
    'bad bad',
    'copy-ca-path',
  ],
  [
    'malformed: anything else',
    {
      delivery: {
        malformed: { reason: 'The request line has an invalid URL.' },
        firstBytes: '47 45',
      },
    },
    'The request line has an invalid URL',
    "Received `47 45` first. Countersign couldn't read a request, so nothing was verified.",
    'bad bad',
    'show-bytes',
  ],
  [
    'unknown event',
    { delivery: { event: null, schema: 'unknown' }, closest },
    'Body matches no known event',
    'The signature is valid. Closest match: transaction.auth, 14 of 19 fields.',
    'quiet',
    'compare-closest',
  ],
  [
    'unknown event, like no other',
    { delivery: { event: null, schema: 'unknown' } },
    'Body matches no known event',
    'The signature is valid. The body shares no fields with any event.',
    'quiet',
    'show-body',
  ],
  [
    'unknown hook',
    { delivery: { verdict: 'unknown-hook' } },
    'No hook for this path',
    "`POST /h/auth` matches no hook's path, and the signature matches no known secret.",
    'quiet',
    'import-hook',
  ],
  [
    'imported, not verified here',
    { delivery: { verifiedHere: false, origin: 'imported' } },
    'Valid according to the file',
    'Not verified here: no hook has its URL and secret. Import the hook to verify it.',
    'quiet',
    'import-hook',
  ],
  [
    'imported as invalid, of an unknown hook',
    { delivery: { verifiedHere: false, origin: 'imported', verdict: 'invalid' }, hook: undefined },
    'Invalid according to the file',
    'Not verified here: no hook has its URL and secret. Import the hook to verify it.',
    'quiet',
    'import-hook',
  ],
  [
    'imported as invalid, at the path of a known hook',
    {
      delivery: { verifiedHere: false, origin: 'imported', verdict: 'invalid' },
      signature: { diagnosis: slash },
    },
    'Invalid according to the file',
    "The signature doesn't match the transaction.auth hook's secret here either. Likely cause: Signed over the URL with a trailing slash (https://hooks.northpine.dev/h/auth/).",
    'quiet',
    'show-signature',
  ],
  [
    'imported as invalid, of a hook whose secret is elsewhere',
    {
      delivery: { verifiedHere: false, origin: 'imported', verdict: 'invalid' },
      signature: { expected: null },
    },
    'Invalid according to the file',
    "Not verified here: the transaction.auth hook's secret isn't stored here.",
    'quiet',
    'show-signature',
  ],
  [
    'imported as unsigned',
    {
      delivery: { verifiedHere: false, origin: 'imported', verdict: 'unsigned' },
      signature: { received: null },
    },
    'Unsigned according to the file',
    'No signature header, so nothing can be verified here.',
    'quiet',
    'show-headers',
  ],
  [
    'imported as invalid, with a part of the body',
    { delivery: { verifiedHere: false, origin: 'imported', verdict: 'invalid', truncated: true } },
    'Invalid according to the file',
    'Not verified here: only the start of the body was kept.',
    'quiet',
    'show-signature',
  ],
]

describe('the summary begins with verdict, cause and action', () => {
  test.each(cases)('%s', (_, changes, headline, cause, style, action) => {
    const found = deliverySummary(inputOf(changes))
    expect({ headline: found.headline, cause: found.cause }).toEqual({ headline, cause })
    expect([found.tone, found.wash].filter((part) => part !== null).join(' ')).toBe(style)
    expect(found.action).toBe(action)
  })

  test('the signed URL is beside the registered one', () => {
    expect(
      deliverySummary(
        inputOf({ delivery: { verdict: 'invalid' }, signature: { diagnosis: slash } }),
      ).urls,
    ).toEqual({
      signed: 'https://hooks.northpine.dev/h/auth/',
      registered: 'https://hooks.northpine.dev/h/auth',
    })
  })

  test('two mistakes at once are counted, then named', () => {
    const both = {
      ...once,
      message: 'Two mistakes at once. Hashed once. Sent in hex.',
      fix: 'Hash it twice. Send Base64.',
    }
    expect(
      deliverySummary(
        inputOf({ delivery: { verdict: 'invalid' }, signature: { diagnosis: both } }),
      ),
    ).toMatchObject({
      headline: 'Two mistakes at once',
      cause: 'Hashed once. Sent in hex. Hash it twice. Send Base64.',
    })
  })
})

/** All problems, most important first: each one hides those after it. */
const troubles: readonly (readonly [kind: string, Partial<SummaryInput['delivery']>])[] = [
  ['malformed', { malformed: { reason: 'The request line has an invalid URL.' } }],
  ['unsigned', { verdict: 'unsigned' }],
  ['invalid', { verdict: 'invalid' }],
  ['unknown-hook', { verdict: 'unknown-hook' }],
  ['stale', { freshness: 'stale' }],
  ['unknown-event', { event: null }],
  ['schema-errors', { schema: 'issues' }],
  ['handler-failed', { handler: failing }],
]

describe('if several apply, the most important is the headline', () => {
  test.each(troubles.map(([kind], index) => [kind, index] as const))(
    '%s hides what follows',
    (kind, index) => {
      const together = troubles
        .slice(index)
        .reduceRight((sum, [, change]) => ({ ...sum, ...change }), {})
      expect(deliverySummary(inputOf({ delivery: together })).kind).toBe(kind)
    },
  )

  test("a file's claims hide neither schema errors nor a failing handler; a claimed time hides nothing", () => {
    const imported = { verifiedHere: false, origin: 'imported' } as const
    const kindOf = (changes: Partial<SummaryInput['delivery']>) =>
      deliverySummary(inputOf({ delivery: { ...imported, ...changes } }))
    expect(kindOf({ schema: 'issues' })).toMatchObject({ kind: 'schema-errors' })
    expect(
      deliverySummary(
        inputOf({ delivery: { ...imported, schema: 'issues' }, schemaErrors: errors }),
      ).cause,
    ).toMatch(/^Valid according to the file\. /)
    expect(kindOf({ handler: failing })).toMatchObject({ kind: 'handler-failed' })
    expect(kindOf({ freshness: 'stale' })).toMatchObject({ kind: 'claimed', tone: 'quiet' })
  })
})

describe('the other checks', () => {
  const checks = (changes: Changes, failed: number | null = 0) => {
    const input = inputOf(changes)
    return checksOf(deliverySummary(input), input.delivery, input.signature, failed).map(
      ({ tone, text }) => `${tone}: ${text}`,
    )
  }

  test('passed ones are green, and the headline is not repeated', () => {
    expect(checks({})).toEqual([
      'ok: Fresh: signed 400 ms before receipt',
      'ok: Matches the transaction.auth schema',
    ])
    expect(checks({ delivery: { handler: failing } })[0]).toBe('ok: Signature valid')
  })

  test('further failures are never green', () => {
    expect(
      checks(
        {
          delivery: { verdict: 'invalid', freshness: 'stale', schema: 'issues' },
          signature: { ageMs: 600_000 },
        },
        3,
      ),
    ).toEqual(['warn: Stale: signed 10 min before receipt', 'bad: 3 schema errors'])
    expect(checks({ delivery: { verdict: 'invalid', schema: 'not-json' } }, 1)[1]).toBe(
      "bad: Body isn't JSON",
    )
    expect(checks({ delivery: { freshness: 'stale', schema: 'unknown', event: null } })).toEqual([
      'ok: Signature valid',
      'quiet: Not checked: unknown event',
    ])
  })

  test("a file's claims are neutral", () => {
    expect(
      checks({ delivery: { verifiedHere: false, origin: 'imported', schema: 'issues' } }, 2),
    ).toEqual([
      'quiet: Signature valid according to the file',
      'quiet: Fresh according to the file: signed 400 ms before receipt',
    ])
  })

  test('a malformed request was not checked, and an unsigned one has no age', () => {
    expect(checks({ delivery: { malformed: { reason: 'Broken.' } } })).toEqual([])
    expect(checks({ delivery: { verdict: 'unsigned', freshness: 'missing' } })).toEqual([
      'ok: Matches the transaction.auth schema',
    ])
  })
})

const bytesOf = (text: string) => new TextEncoder().encode(text)

test('facts come from the payload as sent', () => {
  const payload =
    '{"amount":36.90,"currency":"GBP","datetime":"2026-11-22T14:30:51","brand":{"name":"Harbour Coffee"},' +
    '"location":{"address":"12 Quay Street","city":"Bristol","postcode":"BS1"},' +
    '"card":{"scheme":"visa","firstNumbers":"411111","lastNumbers":"1111"}}'
  expect(payloadFacts(bytesOf(payload))).toEqual({
    amount: '36.90',
    currency: 'GBP',
    merchant: 'Harbour Coffee',
    scheme: 'visa',
    lastNumbers: '1111',
  })
  expect(payloadFacts(bytesOf('{"scheme":"visa","lastNumbers":"1111"}'))).toMatchObject({
    scheme: 'visa',
    amount: null,
  })
  expect(payloadFacts(bytesOf('{"name":"Harbour","logoURL":"https://x"}'))).toMatchObject({
    merchant: 'Harbour',
  })
  expect(payloadFacts(bytesOf('{"amount":"36.90","brand":null}'))).toMatchObject({
    amount: null,
    merchant: null,
  })
  expect(payloadFacts(bytesOf('[1]'))).toBeNull()
  expect(payloadFacts(bytesOf('no JSON'))).toBeNull()
})

test('our response is green only if it acknowledges and was sent here', () => {
  const statusOf = (status: number | null, changes: object = {}) =>
    responseStatus(
      {
        answer: { status, ms: 4 },
        attempt: 1,
        origin: 'received',
        malformed: null,
        verdict: 'valid',
        ...changes,
      },
      '200',
    )
  expect(statusOf(200)).toEqual({ tone: 'ok', note: 'No retry expected' })
  for (const verdict of ['invalid', 'unsigned', 'unknown-hook'])
    expect(statusOf(200, { verdict })).toEqual({ tone: 'quiet', note: 'Recorded only' })
  expect(statusOf(500)).toEqual({ tone: 'bad', note: 'The service retries' })
  expect(statusOf(202)).toEqual({ tone: 'warn', note: 'The service retries' })
  for (const status of [500, 202])
    expect(statusOf(status, { attempt: 3 })).toEqual({
      tone: 'bad',
      note: 'Last attempt: the service stops',
    })
  expect(statusOf(null, { answer: { status: null, ms: null } })).toMatchObject({ tone: 'quiet' })
  expect(statusOf(200, { origin: 'imported' })).toEqual({
    tone: 'quiet',
    note: 'According to the file',
  })
  expect(statusOf(400, { malformed: { reason: 'Broken.' } })).toMatchObject({ tone: 'quiet' })
})

test('a row alone gives a headline only as far as it is certain', () => {
  const ofRow = (verdict: 'valid' | 'invalid' | 'unsigned') => {
    const row = deliveryRow(1, {
      verdict,
      verifiedHere: true,
      freshness: 'fresh',
      event: 'transaction.auth',
      schema: 'ok',
    })
    const summary = deliverySummary({
      ...inputOf(),
      delivery: { ...delivery, ...row },
      signature: null,
    })
    return [summaryOfRow(summary, row).headline, isCertain(summary)]
  }
  expect([ofRow('valid'), ofRow('invalid'), ofRow('unsigned')]).toEqual([
    ['Valid', true],
    ['Invalid', false],
    ['Unsigned', false],
  ])
})

test('a row has facts if it has an amount and a merchant', () => {
  expect(
    factsOfRow(deliveryRow(1, { amount: '36.90', currency: 'GBP', merchant: 'Harbour Coffee' })),
  ).toMatchObject({
    amount: '36.90',
    merchant: 'Harbour Coffee',
  })
  expect(factsOfRow(deliveryRow(1, { amount: '36.90', merchant: null }))).toBe(null)
})
