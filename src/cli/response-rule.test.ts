import { InvalidArgumentError } from 'commander'
import { expect, test } from 'vitest'
import { readAnswer } from './response-rule.ts'
import { readHeader } from './options/value-readers.ts'

test.each([
  ['status=500', { status: 500 }],
  [
    'status=503,delay=2s,fail-first=2,fail-status=502',
    { status: 503, delayMs: 2_000, failFirst: 2, failStatus: 502 },
  ],
  ['delay=250ms, drop', { delayMs: 250, drop: true }],
  ['delay=1.5s', { delayMs: 1_500 }],
  ['plain', {}],
  ['status=500,plain', {}],
  ['body={"a":1,"b":", drop"}', { body: '{"a":1,"b":", drop"}' }],
  ['status=400,body=', { status: 400, body: '' }],
  ['body= two words ', { body: ' two words ' }],
  ['body=a\nb', { body: 'a\nb' }],
  ['header=Retry-After: 5', { headers: { 'Retry-After': '5' } }],
  ['status=429, header=Vary: a, b', { status: 429, headers: { Vary: 'a, b' } }],
])('reads %j', (text, rule) => {
  expect(readAnswer(text, undefined)).toEqual(rule)
})

test('adds up repeated options; the later value wins', () => {
  let rule = readAnswer('status=429,header=Retry-After: 5', undefined)
  rule = readAnswer('header=X-Reason: rate', rule)
  rule = readAnswer('body=no, not now', rule)
  expect(readAnswer('status=430', rule)).toEqual({
    status: 430,
    headers: { 'Retry-After': '5', 'X-Reason': 'rate' },
    body: 'no, not now',
  })
})

test.each([
  '',
  'status',
  'status=',
  'status=ok',
  'delay=2',
  'delay=s',
  'drop=1',
  'header=x',
  'nonsense',
  'status=500,,drop',
  'Status=500',
])('rejects %j', (text) => {
  expect(() => readAnswer(text, undefined)).toThrow(InvalidArgumentError)
})

test('a header has a name and a value and can be given once', () => {
  expect(readHeader('X-One:  a: b ', undefined)).toEqual({ 'X-One': 'a: b' })
  expect(readHeader('X-Two:', { 'X-One': 'a' })).toEqual({ 'X-One': 'a', 'X-Two': '' })
  for (const text of ['X-One', ': a', '', 'x-one: b']) {
    expect(() => readHeader(text, { 'X-One': 'a' })).toThrow(InvalidArgumentError)
  }
})
