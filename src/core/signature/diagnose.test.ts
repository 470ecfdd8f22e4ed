import { createHmac } from 'node:crypto'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { diagnosisFamilies } from '../../shared/model/signature.ts'
import { diagnose, type DiagnosisInput } from './diagnose.ts'
import { secretKey, signDelivery } from './sign.ts'

const SECRET = 'whsec_present'
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
    ...part,
  }
}

function signed(part: { body?: Uint8Array; url?: string; timestamp?: string; secret?: string } = {}): string {
  const { body = BODY, url = URL_SIGNED, timestamp = TIMESTAMP, secret = SECRET } = part
  return signDelivery({ body, url, timestamp, key: secretKey(secret) }).signature
}

test('a signature that nobody made has no diagnosis', () => {
  expect(diagnose(inputOf('AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='))).toBe(null)
  expect(diagnose(inputOf(signed({ secret: 'whsec_unknown' })))).toBe(null)
})

describe('a mistake is named with its cause, a sentence and what to do', () => {
  test.each([
    ['another hook’s secret', signed({ secret: 'whsec_other' }), 'secret:other-hook'],
    [
      'hashed once',
      createHmac('sha256', SECRET).update(BODY).update(URL_SIGNED).update(TIMESTAMP).digest('base64'),
      'passes:once',
    ],
    ['the local address', signed({ url: 'https://127.0.0.1:4783/h/one?x=1' }), 'url:local'],
    ['another number for the same amount', signed({ body: Buffer.from('{"amount":12.5,"name":"Café"}') }), 'body:compact'],
    ['the timestamp in seconds', signed({ timestamp: '1763700000' }), 'timestamp:seconds'],
  ])('%s', (_name, received, cause) => {
    const found = diagnose(
      inputOf(received, {
        otherSecrets: [{ owner: 'the hook for card.linked', key: secretKey('whsec_other') }],
        otherUrls: ['https://127.0.0.1:4783/h/one?x=1'],
      }),
    )
    expect(found?.cause).toBe(cause)
    expect(found?.message).toMatch(/^[A-Z].*\.$/s)
    expect(found?.fix.length).toBeGreaterThan(10)
  })
})

test('no diagnosis tells a secret', () => {
  const found = diagnose(
    inputOf(signed({ secret: 'whsec_other' }), {
      otherSecrets: [{ owner: 'the hook for card.linked', key: secretKey('whsec_other') }],
    }),
  )
  expect(JSON.stringify(found)).not.toContain('whsec_')
})

property.prop([
  fc.uint8Array({ maxLength: 200 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
])('nothing makes it throw, and every cause is of a family', (body, url, timestamp, received) => {
  const found = diagnose(inputOf(received, { body, url, timestamp }))
  if (found !== null) expect(diagnosisFamilies).toContain(found.cause.split(':')[0])
})

test('a body nested a million deep, and one of 10 MiB, are gone through too', () => {
  const deep = Buffer.from('['.repeat(1_000_000) + ']'.repeat(1_000_000))
  expect(diagnose(inputOf(signed({ body: deep }), { body: deep, url: `${URL_SIGNED}2` }))).toBe(null)
  const large = Buffer.alloc(10 * 1_048_576, 0x20)
  const once = createHmac('sha256', SECRET).update(large).update(URL_SIGNED).update(TIMESTAMP).digest('base64')
  expect(diagnose(inputOf(once, { body: large }))?.cause).toBe('passes:once')
})

test('one bad signature is diagnosed within 50 ms, five times that on a shared machine', () => {
  const body = Buffer.from(JSON.stringify({ list: Array.from({ length: 20 }, (_, index) => ({ index, name: `item ${index}` })) }))
  const otherSecrets = Array.from({ length: 20 }, (_, index) => ({ owner: `hook ${index}`, key: secretKey(`other ${index}`) }))
  diagnose(inputOf('x', { body, otherSecrets }))
  const startedAt = performance.now()
  expect(diagnose(inputOf('x', { body, otherSecrets }))).toBe(null)
  expect(performance.now() - startedAt).toBeLessThan(250)
})
