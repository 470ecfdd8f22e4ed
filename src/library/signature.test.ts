import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import vectors from '../../test/fixtures/signatures/openssl.json' with { type: 'json' }
import { closeAtEnd } from '../../test/support/temporary-folder.ts'
import { diagnose, headersOf, sign, verify, type VerifyInput } from './signature.ts'

const now = 1_795_411_006_517
const parts = {
  secret: 'my-first-secret',
  url: 'https://example.com/hooks',
  body: '{"amount":10.00}',
}
const signed = sign({ ...parts, timestamp: now })
const valid = { ...parts, ...headersOf(signed.headers), now }

/** An argument that the compiler would refuse. */
type Wrong = never
const verifyWith = (wrong: Wrong) => verify(Object.assign({}, valid, wrong))
const signWith = (wrong: Wrong) => sign(Object.assign({}, parts, wrong))
const diagnoseWith = (wrong: Wrong) => diagnose(Object.assign({}, valid, wrong))
const headersWith = (wrong: Wrong) => headersOf(signed.headers, wrong)

describe('sign', () => {
  test('agrees with openssl', () => {
    const complete = vectors.filter(
      ({ bodyBase64, secret, url, timestamp }) =>
        bodyBase64 !== undefined && ![secret, url, timestamp].includes(''),
    )
    expect(complete.length).toBeGreaterThan(5)
    for (const { bodyBase64 = '', url, timestamp, secret, inner, signature } of complete)
      expect(
        sign({ body: Buffer.from(bodyBase64, 'base64'), url, timestamp, secret }),
      ).toMatchObject({ inner, signature, timestamp })
  })

  test('returns the headers of a delivery, under the given prefix', () => {
    expect(sign({ ...parts, timestamp: String(now), prefix: 'Acme' }).headers).toEqual({
      'content-type': 'application/json',
      'x-acme-signature': signed.signature,
      'x-acme-timestamp': String(now),
    })
  })

  test('signs the present by default', () => {
    const before = Date.now()
    expect(Number(sign(parts).timestamp)).toBeGreaterThanOrEqual(before)
  })
})

describe('headersOf', () => {
  const { signature } = signed
  const read = { signature, timestamp: String(now) }

  test.each<[string, Parameters<typeof headersOf>[0]]>([
    ['the Headers of a fetch-style request', new Headers(signed.headers)],
    ['a Map', new Map(Object.entries(signed.headers))],
    [
      'pairs in any case',
      [
        ['X-Service-Signature', signature],
        ['X-SERVICE-TIMESTAMP', String(now)],
      ],
    ],
    [
      'lists of values',
      { 'x-service-signature': [signature], 'x-service-timestamp': [String(now)] },
    ],
  ])('reads %s', (_form, headers) => {
    expect(headersOf(headers)).toEqual(read)
  })

  test("reads the headers of Node's requests", async () => {
    const server = createServer((incoming: IncomingMessage, response) => {
      response.end(JSON.stringify(headersOf(incoming.headers)))
    }).listen(0, '127.0.0.1')
    closeAtEnd(() => new Promise<void>((resolve) => server.close(() => resolve())))
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const answer = await new Promise<string>((resolve) => {
      request({ port, host: '127.0.0.1', headers: { ...signed.headers } }, (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk.toString()))
        response.on('end', () => resolve(text))
      }).end()
    })
    expect(JSON.parse(answer)).toEqual(read)
  })

  test('a header with two different values counts as missing, and another prefix is not read', () => {
    const twice = { ...signed.headers, 'x-service-signature': [signature, 'other'] }
    expect(headersOf(twice)).toEqual({ signature: null, timestamp: null })
    expect(headersOf(signed.headers, { prefix: 'acme' })).toEqual({
      signature: null,
      timestamp: null,
    })
  })
})

describe('verify', () => {
  test('accepts a valid and fresh request, whatever the form of its body', () => {
    const accepted = {
      accepted: true,
      reason: null,
      verdict: 'valid',
      freshness: 'fresh',
      secretIndex: 0,
    }
    expect(verify(valid)).toEqual(accepted)
    const bytes = Buffer.from(` ${parts.body}`)
    const { buffer } = new Uint8Array(Buffer.from(parts.body))
    for (const body of [bytes.subarray(1), buffer, new DataView(buffer)])
      expect(verify({ ...valid, body })).toEqual(accepted)
    expect(verify({ ...valid, body: new TextEncoder().encode(parts.body) })).toEqual(accepted)
  })

  test('finds the right one of several secrets', () => {
    expect(verify({ ...valid, secret: ['other', parts.secret] })).toMatchObject({
      accepted: true,
      secretIndex: 1,
    })
    expect(verify({ ...valid, secret: ['other', 'another'] })).toMatchObject({
      verdict: 'invalid',
      secretIndex: null,
    })
  })

  test.each<[string, Partial<VerifyInput>]>([
    [
      "Signature doesn't match this secret, URL and body. Call diagnose() to find out why.",
      { body: '{}' },
    ],
    [
      "Signature doesn't match this secret, URL and body. Call diagnose() to find out why.",
      { signature: 'ü' },
    ],
    ['No signature header.', { signature: '' }],
    ['No signature and timestamp header.', { signature: null, timestamp: null }],
    ['Timestamp is 301 s old; the limit is 300 s.', { now: now + 301_000 }],
    ['Timestamp is 301 s in the future; the limit is 300 s.', { now: now - 301_000 }],
    ['Timestamp is 31 s old; the limit is 30 s.', { now: now + 31_000, maxAgeMs: 30_000 }],
  ])('rejects: %s', (reason, change) => {
    expect(verify({ ...valid, ...change })).toMatchObject({ accepted: false, reason })
  })

  test('rejects a timestamp in seconds, even if it is signed', () => {
    const { signature, timestamp } = sign({ ...parts, timestamp: '1795411006' })
    expect(verify({ ...valid, signature, timestamp })).toMatchObject({
      accepted: false,
      verdict: 'valid',
      freshness: 'stale',
      reason: 'Timestamp is in seconds; the service sends milliseconds.',
    })
    const iso = sign({ ...parts, timestamp: new Date(now).toISOString() })
    expect(verify({ ...valid, signature: iso.signature, timestamp: iso.timestamp })).toMatchObject({
      accepted: false,
      reason: 'Timestamp is an ISO 8601 date; the service sends milliseconds.',
    })
  })

  test('checks every secret before it compares any', () => {
    for (const secret of [
      ['first', ''],
      [parts.secret, null],
    ])
      expect(() => verify(Object.assign({}, valid, { secret }))).toThrow('Wrong `secret` (array)')
  })
})

const inputFix = 'Pass an object with secret, url, body'

test.each<[string, (wrong: Wrong) => unknown, unknown]>([
  ['Wrong `body` (object). Pass the raw body, before anything parses it', verifyWith, { body: {} }],
  ['Wrong `body` (undefined).', verifyWith, { body: undefined }],
  ["Wrong `secret` (undefined). Pass the hook's secretKey", verifyWith, { secret: undefined }],
  ['Wrong `secret` (uint8array).', verifyWith, { secret: Buffer.from('s') }],
  ['Wrong `secret` (array).', verifyWith, { secret: [] }],
  ['Wrong `secret` (empty).', verifyWith, { secret: '' }],
  ["Wrong `url` (undefined). Pass the hook's URL as a string", verifyWith, { url: undefined }],
  ['Wrong `signature` (array). Pass the value of the header', verifyWith, { signature: ['a'] }],
  ['Wrong `now`. Pass a number of milliseconds.', verifyWith, { now: '1' }],
  [`Wrong \`input\` (undefined). ${inputFix}`, verify, undefined],
  [`Wrong \`input\` (undefined). ${inputFix}`, sign, undefined],
  [`Wrong \`input\` (undefined). ${inputFix}`, diagnose, undefined],
  [
    "Wrong `secret` (array). Pass the hook's secretKey as a string, exactly as returned.",
    diagnoseWith,
    { secret: [] },
  ],
  ['Wrong `timestamp` (date). Pass milliseconds', signWith, { timestamp: new Date() }],
  ['Wrong `timestamp` (number).', signWith, { timestamp: Number.NaN }],
  ["Wrong `prefix`. Pass the service's name", signWith, { prefix: 'x-acme' }],
  ['Wrong `headers` (undefined). Pass the headers', headersOf, undefined],
  ['Wrong `options`. Pass an object with prefix.', headersWith, 'acme'],
  ['Unknown option `prefx`. Pass only prefix.', headersWith, { prefx: 'acme' }],
  ["Wrong `prefix`. Pass the service's name, such as", headersWith, { prefix: 'x-a' }],
  ['Wrong `prefix` (empty).', headersWith, { prefix: '' }],
])('throws if an argument is wrong: %s', (message, call, wrong) => {
  expect(() => call(wrong as Wrong)).toThrow(TypeError)
  expect(() => call(wrong as Wrong)).toThrow(message)
})

describe('diagnose', () => {
  test('names the mistake and its fix, and nothing if the signature is valid', () => {
    expect(diagnose(valid)).toBe(null)
    expect(diagnose({ ...valid, signature: signed.inner })).toEqual({
      causes: ['passes:once'],
      message: 'Signature hashed once instead of twice.',
      fix: expect.stringContaining('Compute a second HMAC'),
    })
  })

  test.each<[string, string, Partial<typeof valid>]>([
    [
      'url:no-trailing-slash',
      "`url` is wrong. Pass the hook's URL as a string, exactly as registered.",
      { url: `${parts.url}/` },
    ],
    ['secret:trimmed', '`secret` is wrong.', { secret: `${parts.secret}\n` }],
    ['body:trimmed', '`body` is wrong. Pass the raw body', { body: `${parts.body}\n` }],
    [
      'timestamp:receipt,timestamp:seconds',
      '`timestamp` is wrong.',
      { timestamp: String(Math.trunc(now / 1000)) },
    ],
    [
      'secret:trimmed,url:no-trailing-slash',
      '`secret` is wrong and `url` is wrong. Pass',
      { secret: `${parts.secret}\n`, url: `${parts.url}/` },
    ],
  ])('says what to pass if the mistake is in its arguments: %s', (causes, fix, change) => {
    const diagnosis = diagnose({ ...valid, ...change })
    expect(diagnosis?.fix).toContain(`If the service sent this, ${fix}`)
    expect(diagnosis?.causes.toSorted().join()).toBe(causes)
  })

  test('a sender of a valid timestamp in seconds must change it', () => {
    const { signature, timestamp } = sign({ ...parts, timestamp: Math.trunc(now / 1000) })
    expect(diagnose({ ...valid, signature, timestamp })).toMatchObject({
      causes: ['timestamp:seconds'],
      fix: expect.stringContaining('Send the timestamp header in milliseconds'),
    })
  })

  test('says what to check if it knows no mistake', () => {
    expect(diagnose({ ...valid, secret: 'unrelated' })).toMatchObject({
      causes: [],
      message: 'No known mistake explains this signature.',
      fix: expect.stringContaining('Check `url` and `secret` first'),
    })
    expect(diagnose({ ...valid, signature: null })).toMatchObject({
      causes: [],
      message: "No signature header, so it can't be verified.",
    })
  })
})
