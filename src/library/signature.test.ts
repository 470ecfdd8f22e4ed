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
    expect(verify({ ...valid, body: Buffer.from(parts.body) })).toEqual(accepted)
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

  test.each<[string, Record<string, unknown>]>([
    ['Wrong `body` (object). Pass the raw body as a Buffer or string', { body: {} }],
    ['Wrong `body` (undefined).', { body: undefined }],
    ["Wrong `secret` (undefined). Pass the hook's secretKey as a string.", { secret: undefined }],
    ['Wrong `secret` (empty).', { secret: [''] }],
    ['Wrong `secret` (undefined).', { secret: [] }],
    [
      "Wrong `url` (undefined). Pass the hook's URL as a string, exactly as registered.",
      { url: undefined },
    ],
    ['Wrong `signature` (array). Pass the value of the header', { signature: ['a'] }],
    ['Wrong `now` (string). Pass a number of milliseconds.', { now: '1' }],
  ])('throws if a value has the wrong type: %s', (message, change) => {
    const wrong = Object.assign({}, valid, change)
    expect(() => verify(wrong)).toThrow(TypeError)
    expect(() => verify(wrong)).toThrow(message)
  })
})

describe('diagnose', () => {
  test('names the mistake and its fix, and nothing if the signature is valid', () => {
    expect(diagnose(valid)).toBe(null)
    expect(diagnose({ ...valid, signature: signed.inner })).toEqual({
      causes: ['passes:once'],
      message: 'Signature hashed once instead of twice.',
      fix: expect.stringContaining('Compute a second HMAC'),
    })
    expect(diagnose({ ...valid, url: `${parts.url}/` })?.causes).toEqual(['url:no-trailing-slash'])
  })

  test('says what to check if it knows no mistake', () => {
    expect(diagnose({ ...valid, secret: 'unrelated' })).toMatchObject({
      causes: [],
      message: 'No known mistake explains this signature.',
    })
    expect(diagnose({ ...valid, signature: null })).toMatchObject({
      causes: [],
      message: "No signature header, so it can't be verified.",
    })
  })
})
