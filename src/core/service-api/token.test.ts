import { expect, test } from 'vitest'
import { AppError } from '../../shared/contract/errors.ts'
import { createTokens, readToken, type TokenFieldNames, type TokenRequest } from './tokens.ts'
import { readApiBody, type ApiAnswer } from './exchange.ts'

const fields: TokenFieldNames = { tokenField: null, refreshTokenField: null, expiryField: null }
const credentials = { clientId: 'client', clientSecret: 'client-secret' }
const sent = { method: 'POST', url: 'https://x/token', headers: [], body: null }
const answerOf = (body: unknown): ApiAnswer => ({
  status: 200,
  headers: [],
  sent,
  ...readApiBody(JSON.stringify(body), []),
})
const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`

function tokensOf(...answers: unknown[]) {
  const asked: TokenRequest[] = []
  let now = 1_000_000_000
  const tokens = createTokens(
    credentials,
    fields,
    (request) => {
      asked.push(request)
      const next = answers.length > 1 ? answers.shift() : answers[0]
      return next instanceof AppError ? Promise.reject(next) : Promise.resolve(answerOf(next))
    },
    () => now,
  )
  return {
    tokens,
    asked,
    pass: (seconds: number) => {
      now += seconds * 1_000
    },
  }
}

const refused = new AppError('SERVICE_REFUSED', 'no')

test('a token is kept until half a minute before it expires', async () => {
  const { tokens, asked, pass } = tokensOf(
    { access_token: 'one', expires_in: 600 },
    { access_token: 'two', expires_in: 600 },
  )
  expect(await tokens.current()).toBe('one')
  pass(569)
  expect(await tokens.current()).toBe('one')
  pass(1)
  expect(await tokens.current()).toBe('two')
  expect(asked).toHaveLength(2)
})

test('a short-lived token is kept for nine tenths of its life', async () => {
  const { tokens, asked, pass } = tokensOf(
    { access_token: 'one', expires_in: 10 },
    { access_token: 'two', expires_in: 10 },
  )
  await tokens.current()
  pass(8.9)
  expect(await tokens.current()).toBe('one')
  pass(0.1)
  expect(await tokens.current()).toBe('two')
  expect(asked).toHaveLength(2)
})

test.each([
  ['expires_in as a string', { access_token: 'a', expires_in: '100' }, 100],
  ['expiresIn, nested', { data: { token: 'a', expiresIn: 100 } }, 100],
  ["the token's claim", { jwt: jwt({ exp: 1_000_100 }) }, 100],
  [
    'the response rather than the claim, because clocks differ',
    { jwt: jwt({ exp: 1 }), expires_in: 100 },
    100,
  ],
  ['nothing: five minutes', { jwt: 'a.b.c' }, 300],
  ['an invalid claim: five minutes', { jwt: jwt({ exp: 'soon' }) }, 300],
])('expiry is read from %s', (_how, body, seconds) => {
  expect(readToken(answerOf(body), 1_000_000_000, fields).renewAt).toBe(
    1_000_000_000 + seconds * 1_000 - Math.min(30, seconds / 10) * 1_000,
  )
})

test('it is renewed with its refresh token, which is kept if the response has no new one', async () => {
  const { tokens, asked, pass } = tokensOf(
    { access_token: 'one', expires_in: 1, refresh_token: 'r1' },
    { access_token: 'two', expires_in: 1 },
  )
  for (let count = 0; count < 3; count++) {
    await tokens.current()
    pass(2)
  }
  expect(asked.map(({ refreshToken }) => refreshToken)).toEqual([null, 'r1', 'r1'])
  expect(tokens.known()).toEqual(['two', 'r1'])
})

test('if the refresh token is rejected, the credentials are used; any other failure is final', async () => {
  const first = { access_token: 'one', expires_in: 1, refresh_token: 'r1' }
  const ended = tokensOf(first, refused, { access_token: 'two' })
  await ended.tokens.current()
  ended.pass(2)
  expect(await ended.tokens.current()).toBe('two')
  expect(ended.asked.map(({ refreshToken }) => refreshToken)).toEqual([null, 'r1', null])
  const away = tokensOf(first, new AppError('SERVICE_UNREACHABLE', 'away'))
  await away.tokens.current()
  away.pass(2)
  await expect(away.tokens.current()).rejects.toThrow('away')
})

test('concurrent callers share one request and its failure; the next caller requests again', async () => {
  const { tokens, asked } = tokensOf(refused, { access_token: 'one' })
  const both = await Promise.allSettled([tokens.current(), tokens.current()])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(asked).toHaveLength(1)
  expect(await tokens.current()).toBe('one')
})

test('a rejected token is requested again', async () => {
  const { tokens, asked } = tokensOf({ access_token: 'one' }, { access_token: 'two' })
  await tokens.current()
  tokens.forget()
  expect(await tokens.current()).toBe('two')
  expect(asked).toHaveLength(2)
  expect(tokensOf({}).tokens.known()).toEqual([])
})

test('a response without a token is reported without revealing too much', async () => {
  const { tokens } = tokensOf({ ok: true, client_secret: 'client-secret' })
  await expect(tokens.current()).rejects.toMatchObject({
    code: 'SERVICE_REFUSED',
    details: { body: '{"ok":true,"client_secret":"[masked]"}' },
  })
})

test.each([
  ['seconds', { renewal: 'r1', lasts: 100 }],
  ['a time in seconds since the epoch', { renewal: 'r1', lasts: 1_800_000_100 }],
  ['a time in milliseconds since the epoch', { renewal: 'r1', lasts: '1800000100000' }],
  ['an ISO time', { renewal: 'r1', lasts: '2027-01-15T08:01:40Z' }],
])('configured names are the only ones read; the expiry may be %s', (_what, fields) => {
  const chosen = { tokenField: 'ticket', refreshTokenField: 'renewal', expiryField: 'lasts' }
  const answer = answerOf({
    access_token: 'not this one',
    expires_in: 1,
    session: { ticket: 'this one', ...fields },
  })
  expect(readToken(answer, 1_800_000_000_000, chosen)).toEqual({
    token: 'this one',
    refreshToken: 'r1',
    renewAt: 1_800_000_000_000 + 90_000,
  })
  expect(() => readToken(answerOf({ access_token: 'a' }), 0, chosen)).toThrow(
    'Its response has no field ticket.',
  )
})

test('a token that is too long, and a response that was cut, are refused by name', () => {
  expect(() => readToken(answerOf({ access_token: 'a'.repeat(4_097) }), 0, fields)).toThrow(
    'The token endpoint returned a token of 4,097 characters, but at most 4,096 are sent. Ask the service for a shorter one.',
  )
  const cut = {
    ...answerOf({ access_token: 'a' }),
    excess: 'more than 65.5 kB, so its response was cut',
  }
  expect(() => readToken(cut, 0, fields)).toThrow(
    'The token endpoint returned more than 65.5 kB, so its response was cut. Check the token URL.',
  )
})
