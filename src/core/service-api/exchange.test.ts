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
  expect(readApiBody(text, ['sk_test_0123456789']).shown()).toBe(text)
})

test('a secret is masked anywhere: known secrets, and those named in the response', () => {
  const known = 'sk_test_"quoted"_0123'
  const text = JSON.stringify({
    why: `No ${known} here`,
    secretKey: 'hook-secret-99',
    note: ['it is hook-secret-99'],
  })
  const read = readApiBody(text, [known])
  expect(read.shown()).toBe(
    '{"why":"No [masked] here","secretKey":"[masked]","note":["it is [masked]"]}',
  )
  expect(read.record(read.json, [])).toBe(read.shown())
  expect(read.json).toMatchObject({ secretKey: 'hook-secret-99' })
  expect(readApiBody(`Bad key: ${known}`, [known]).shown()).toBe('Bad key: [masked]')
})

test("a truncated response that isn't JSON shows no secret either", () => {
  expect(readApiBody('{"id":"x", "secretKey" : "hook-sec\\"ret-99", "more": "te', []).shown()).toBe(
    '{"id":"x", "secretKey" : "[masked]", "more": "te',
  )
  expect(readApiBody('{"secretKey":"hook-secr', []).shown()).toBe('{"secretKey":"[masked]"')
})

test("a short text isn't treated as a secret, because unrelated words would contain it", () => {
  expect(readApiBody('{"token":"a","word":"banana"}', ['b']).shown()).toBe(
    '{"token":"[masked]","word":"banana"}',
  )
})

test("an endlessly nested response is cut and doesn't crash the process", () => {
  const deep = '['.repeat(5_000) + ']'.repeat(5_000)
  const { json, record } = readApiBody(deep, [])
  expect(record(json, [])?.length).toBeLessThan(3_000)
})

test('a long response is cut after it was masked: no part of a secret is left at the cut', () => {
  const known = 'sk_test_"quoted"_0123456789'
  for (let before = 9_000; before < 11_000; before += 7) {
    const shown = readApiBody('x'.repeat(before) + JSON.stringify(known) + 'y'.repeat(20_000), [
      known,
    ]).shown()
    expect(shown).not.toMatch(/sk_|quoted|0123/)
    expect(shown.length).toBeGreaterThan(9_900)
  }
})

test('a record has a size, and secrets that can be searched for; a longer one is not stored', () => {
  const { record } = readApiBody('', ['sk_test_0123456789'])
  expect(record({ note: 'x'.repeat(65_000) }, [])).toContain('xxx')
  expect(record({ note: 'x'.repeat(66_000) }, [])).toBeNull()
  expect(record({ token: 'x'.repeat(5_000), note: 'x' }, [])).toBeNull()
  expect(record({ note: 'value-of-a-header', headers: { a: 'b' } }, ['value-of-a-header'])).toBe(
    '{"note":"[masked]","headers":{"a":"[masked]"}}',
  )
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
