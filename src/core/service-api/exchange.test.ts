import { expect, test } from 'vitest'
import { maskBody, maskHeaders, readApiBody } from './exchange.ts'

test('secrets are masked at any depth, under any usual name; unknown fields stay', () => {
  const record = {
    id: 'x',
    secretKey: 'a',
    nested: [
      { secret_key: 'a', client_secret: 'a', clientSecret: 'a', kept: 1 },
      { 'api-key': 'a', refreshToken: { deep: 'a' } },
    ],
    accessTokenLifetime: 5,
    secretary: 'Ms Moneypenny',
    future: { field: [null, true, 'text'] },
  }
  const masked = '[masked]'
  expect(maskBody(record)).toEqual({
    id: 'x',
    secretKey: masked,
    nested: [
      { secret_key: masked, client_secret: masked, clientSecret: masked, kept: 1 },
      { 'api-key': masked, refreshToken: masked },
    ],
    accessTokenLifetime: 5,
    secretary: 'Ms Moneypenny',
    future: { field: [null, true, 'text'] },
  })
})

test.each([
  '{ "a" : 12345678901234567890, "a": 1.0 }\n',
  'plain text',
  '<p>page</p>',
  '',
  '[]',
  'null',
  '"text"',
])('a response without secrets is shown verbatim: %j', (text) => {
  expect(readApiBody(text, ['sk_test_0123456789']).shown).toBe(text)
})

test('a secret is masked anywhere: known secrets, and those named in the response', () => {
  const known = 'sk_test_"quoted"_0123'
  const text = JSON.stringify({
    why: `No ${known} here`,
    secretKey: 'hook-secret-99',
    note: ['it is hook-secret-99'],
  })
  const read = readApiBody(text, [known])
  expect(read.shown).toBe('{"why":"No [masked] here","note":["it is [masked]"]}')
  expect(read.record).toEqual({ why: 'No [masked] here', note: ['it is [masked]'] })
  expect(read.json).toMatchObject({ secretKey: 'hook-secret-99' })
  expect(readApiBody(`Bad key: ${known}`, [known]).shown).toBe('Bad key: [masked]')
})

test("a truncated response that isn't JSON shows no secret either", () => {
  expect(readApiBody('{"id":"x", "secretKey" : "hook-sec\\"ret-99", "more": "te', []).shown).toBe(
    '{"id":"x", "secretKey" : "[masked]", "more": "te',
  )
  expect(readApiBody('{"secretKey":"hook-secr', []).shown).toBe('{"secretKey":"[masked]"')
})

test("a short text isn't treated as a secret, because unrelated words would contain it", () => {
  expect(readApiBody('{"token":"a","word":"banana"}', ['b']).shown).toBe('{"word":"banana"}')
})

test("an endlessly nested response is cut and doesn't crash the process", () => {
  const deep = '['.repeat(5_000) + ']'.repeat(5_000)
  expect(JSON.stringify(readApiBody(deep, []).record).length).toBeLessThan(200)
})

test('the request is shown without the key and custom header values', () => {
  expect(
    maskHeaders(
      [
        ['Content-Type', 'application/json'],
        ['Service-Key', 'sk_test_0123456789'],
      ],
      ['service-key'],
    ),
  ).toEqual([
    ['Content-Type', 'application/json'],
    ['Service-Key', 'sk_[masked]'],
  ])
  expect(maskBody({ url: 'https://x', headers: { Authorization: 'Basic abc' } })).toEqual({
    url: 'https://x',
    headers: { Authorization: '[masked]' },
  })
  expect(maskBody(undefined)).toBeNull()
})
