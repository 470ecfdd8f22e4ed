import { createHmac, randomBytes } from 'node:crypto'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { diagnose } from './diagnose.ts'
import type { DiagnosisInput } from './diagnosis/diagnosis-input.ts'
import { findMistakesOfAny } from './diagnosis/search.ts'
import { secretKey, signDelivery } from './sign.ts'
import { times } from '../../../test/support/long-form.ts'
import { processorMs } from '../../../test/support/processor-time.ts'

const SECRET = 'whsec_present-as-long-as'
const URL_SIGNED = 'https://a.example/h/one?x=1'
const TIMESTAMP = '1763700000000'
const BODY = Buffer.from('{"amount":12.50,"name":"Café"}')

function inputOf(received: string, part: Partial<DiagnosisInput> = {}): DiagnosisInput {
  return {
    body: BODY,
    url: URL_SIGNED,
    timestamp: TIMESTAMP,
    received,
    key: secretKey(SECRET),
    otherSecrets: [],
    otherUrls: [],
    otherTimestamps: [],
    otherBodies: [],
    signer: 'user' as const,
    ...part,
  }
}

function signed(
  part: { body?: Uint8Array; url?: string; timestamp?: string; secret?: string } = {},
): string {
  const { body = BODY, url = URL_SIGNED, timestamp = TIMESTAMP, secret = SECRET } = part
  return signDelivery({ body, url, timestamp, key: secretKey(secret) }).signature
}

const otherHook = {
  kind: 'other-hook',
  owner: 'the hook for card.linked',
  key: secretKey('whsec_other'),
} as const

describe('a mistake has a cause, a sentence and a fix', () => {
  test.each([
    ["another hook's secret", signed({ secret: 'whsec_other' }), ['secret:other-hook']],
    ['the local URL', signed({ url: 'https://127.0.0.1:4783/h/one?x=1' }), ['url:local']],
    [
      'another notation of the amount',
      signed({ body: Buffer.from('{"amount":12.5,"name":"Café"}') }),
      ['body:numbers'],
    ],
    ['the timestamp in seconds', signed({ timestamp: '1763700000' }), ['timestamp:seconds']],
    [
      'two mistakes',
      signed({ secret: 'whsec_other', url: 'https://a.example/h/one' }),
      ['secret:other-hook', 'url:no-query'],
    ],
  ])('%s', (_name, received, causes) => {
    const found = diagnose(
      inputOf(received, {
        otherSecrets: [otherHook],
        otherUrls: [{ kind: 'local', url: 'https://127.0.0.1:4783/h/one?x=1' }],
      }),
    )
    expect(found).toMatchObject({ cause: causes[0], causes })
    expect(found?.message).toMatch(/^[A-Z].*\.$/s)
    expect(found?.message.startsWith('Two mistakes at once.')).toBe(causes.length === 2)
    expect(found?.fix.length).toBeGreaterThan(10)
  })

  test('only URL mistakes name the signed URL', () => {
    const signedUrl = 'https://a.example/h/one'
    expect(diagnose(inputOf(signed({ url: signedUrl })))).toMatchObject({
      cause: 'url:no-query',
      signedUrl,
    })
    const both = diagnose(
      inputOf(signed({ secret: 'whsec_other', url: signedUrl }), { otherSecrets: [otherHook] }),
    )
    expect(both).toMatchObject({ cause: 'secret:other-hook', signedUrl })
    expect(diagnose(inputOf(signed({ timestamp: '1763700000' })))).toMatchObject({
      signedUrl: null,
    })
  })
})

describe('a fix depends on who can act', () => {
  const fixOf = (signer: DiagnosisInput['signer'], url: string) =>
    diagnose(inputOf(signed({ url }), { signer, url: 'https://a.example/h/one' }))?.fix

  test('the service signs the URL that it knows', () => {
    const fix = fixOf('service', 'https://a.example/h/one/')
    expect(fix).toBe(
      'The service signed `https://a.example/h/one/`. Verify with that URL, or register it without the slash.',
    )
    expect(fixOf('service', 'http://a.example/h/one')).toBe(
      'The service signed `http://a.example/h/one`. Verify with that URL, or register it as `https://a.example/h/one`.',
    )
  })

  test('you sign the registered URL, also if the signed text is not a URL', () => {
    const fix = 'Sign the URL exactly as registered: https://a.example/h/one'
    expect(fixOf('user', 'https://a.example/h/one/')).toBe(fix)
    expect(fixOf('service', '/h/one')).toBe(fix)
  })
})

describe('two mistakes of one family', () => {
  test('are one sentence that names the signed text once', () => {
    const found = diagnose(inputOf(signed({ url: 'http://a.example/h/one/?x=1' })))
    expect(found?.causes).toEqual(['url:trailing-slash', 'url:http'])
    expect(found?.message).toBe(
      'Two mistakes at once. Signed over the URL with a trailing slash and with http instead of https (http://a.example/h/one/?x=1).',
    )
    expect(found?.signedUrl).toBe('http://a.example/h/one/?x=1')
  })

  test('another secret keeps its own fix', () => {
    const found = diagnose(
      inputOf(signed({ secret: 'whsec_other\n' }), { otherSecrets: [otherHook] }),
    )
    expect(found?.causes).toEqual(['secret:other-hook', 'secret:newline'])
    expect(found?.fix).toContain('Each hook has its own secret.')
    expect(found?.fix).toContain('Use the secret exactly as returned')
  })
})

test('the explanation with fewer mistakes wins', () => {
  // A hook with this secret and that URL would need one mistake more.
  const found = diagnose(
    inputOf(signed({ secret: 'whsec_other' }), {
      otherSecrets: [otherHook],
      otherUrls: [{ kind: 'other-hook', url: 'https://a.example/other' }],
    }),
  )
  expect(found?.causes).toEqual(['secret:other-hook'])
})

test('no diagnosis reveals a secret', () => {
  const found = diagnose(inputOf(signed({ secret: 'whsec_other' }), { otherSecrets: [otherHook] }))
  expect(JSON.stringify(found)).not.toContain('whsec_')
  const own = diagnose(inputOf(signed({ secret: 'present-as-long-as' })))
  expect(own?.cause).toBe('secret:no-prefix')
  expect(JSON.stringify(own)).not.toContain('present')
})

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.webUrl(),
  fc.json(),
  fc.date().map(String),
)

property.prop(
  [
    fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => Buffer.from(text)),
    ),
    anyText,
    anyText,
    fc.oneof(
      anyText,
      fc.base64String(),
      fc
        .uint8Array({ minLength: 32, maxLength: 32 })
        .map((bytes) => Buffer.from(bytes).toString('base64')),
    ),
    fc.string({ unit: 'binary', maxLength: 40 }),
  ],
  { numRuns: times(20, 1_200) },
)(
  'nothing makes it throw, and nothing is explained that was not made',
  (body, url, timestamp, received, secret) => {
    expect(diagnose(inputOf(received, { body, url, timestamp, key: secretKey(secret) }))).toBe(null)
  },
)

property.prop([
  fc.uint8Array({ maxLength: 200 }),
  anyText,
  anyText,
  fc.string({ unit: 'binary', maxLength: 40 }),
])('a right signature is never explained', (body, url, timestamp, secret) => {
  const key = secretKey(secret)
  const { signature } = signDelivery({ body, url, timestamp, key })
  expect(diagnose(inputOf(signature, { body, url, timestamp, key }))).toBe(null)
})

property.prop(
  [
    fc.json(),
    fc.webUrl({ withQueryParameters: true }),
    fc.nat({ max: 4_102_444_800_000 }),
    fc.constantFrom('http:', 'once', 'hex', 'seconds'),
  ],
  { numRuns: times(20, 1_200) },
)('a mistake is explained by exactly itself, whatever the delivery', (text, url, time, mistake) => {
  const body = Buffer.from(text)
  const timestamp = String(time)
  const whole = { body, url, timestamp, key: secretKey(SECRET) }
  const right = signDelivery(whole)
  const received =
    mistake === 'once'
      ? right.inner
      : mistake === 'hex'
        ? Buffer.from(right.signature, 'base64').toString('hex')
        : mistake === 'seconds'
          ? signDelivery({ ...whole, timestamp: String(Math.floor(time / 1_000)) }).signature
          : signDelivery({ ...whole, url: url.replace('https:', 'http:') }).signature
  const found = diagnose(inputOf(received, whole))
  if (received === right.signature) expect(found).toBe(null)
  else expect(found?.causes.length).toBe(1)
})

test('a body nested a million levels deep and one of 10 MiB are handled', () => {
  const deep = Buffer.from('['.repeat(1_000_000) + ']'.repeat(1_000_000))
  expect(diagnose(inputOf(signed({ body: deep, secret: 'x' }), { body: deep }))).toBe(null)
  const large = Buffer.alloc(10 * 1_048_576, 0x20)
  const once = createHmac('sha256', SECRET)
    .update(large)
    .update(URL_SIGNED)
    .update(TIMESTAMP)
    .digest('base64')
  expect(diagnose(inputOf(once, { body: large }))?.cause).toBe('passes:once')
})

test('no random digest compared with five deliveries is explained', () => {
  const readings = Array.from({ length: times(100, 1_000) }, () => ({
    digest: randomBytes(32),
    mistake: null,
  }))
  for (const body of [
    BODY,
    Buffer.alloc(0),
    Buffer.from('[1e2,{"b":"<","a":{}}]'),
    Buffer.from(' text\r\n'),
    randomBytes(300),
  ])
    expect(findMistakesOfAny([inputOf('', { body, otherSecrets: [otherHook] })], readings)).toBe(
      null,
    )
})

test('one bad signature takes 50 ms of the processor, five times that on a slow machine', () => {
  const body = Buffer.from(
    JSON.stringify({
      list: Array.from({ length: 20 }, (_, index) => ({ index, name: `item ${index}` })),
    }),
  )
  const otherSecrets = Array.from({ length: 20 }, (_, index) => ({
    ...otherHook,
    key: secretKey(`other ${index}`),
  }))
  const once = () =>
    processorMs(() => {
      const signature = randomBytes(32).toString('base64')
      expect(diagnose(inputOf(signature, { body, otherSecrets }))).toBe(null)
    })
  const measured = Array.from({ length: 9 }, once).toSorted((a, b) => a - b)
  expect(measured[4]).toBeLessThan(250)
})
