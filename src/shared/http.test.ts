import { expect, test } from 'vitest'
import { lacksScheme, targetKind, withScheme } from './http.ts'

const RECEIVER = 'https://127.0.0.1:4783'

test.each([
  ['http://127.0.0.1:3000/hooks', 'here'],
  ['http://localhost:3000', 'here'],
  ['http://my.localhost./', 'here'],
  ['http://[::1]:3000/', 'here'],
  // The URL standard parses these as loopback addresses.
  ['http://2130706433/', 'here'],
  ['http://127.1/', 'here'],
  ['https://127.0.0.1:4783/h/one', 'receiver'],
  ['https://localhost:4783/', 'receiver'],
  ['http://127.0.0.1:4783/', 'here'],
  ['http://192.168.0.4/', 'network'],
  ['http://[fd00::1]/', 'network'],
  ['https://example.com/', 'elsewhere'],
  ['http://127.0.0.1.example.com/', 'elsewhere'],
  ['http://10.example.com/', 'elsewhere'],
  ['ftp://127.0.0.1/', 'none'],
  ['localhost:3000/webhooks', 'here'],
  ['127.0.0.1:3000', 'here'],
  ['[::1]:3000/?a=b', 'here'],
  ['my.localhost', 'here'],
  ['LOCALHOST:3000', 'here'],
  ['localhost:3000@example.com/', 'none'],
  ['example.com/webhooks', 'none'],
  ['example.com:8080', 'none'],
  ['', 'none'],
])('%s is %s', (target, kind) => {
  expect(targetKind(target, RECEIVER)).toBe(kind)
})

test('a loopback target without a scheme uses http', () => {
  expect(withScheme('localhost:3000/webhooks')).toBe('http://localhost:3000/webhooks')
  for (const unchanged of [
    'https://localhost:3000',
    'example.com',
    'localhost.example.com',
    'localhost:3000@example.com',
    '',
  ])
    expect(withScheme(unchanged)).toBe(unchanged)
})

test.each([
  ['example.com/webhooks', true],
  ['example.com:8080', true],
  ['handler:3000/webhooks', true],
  ['192.168.0.4', true],
  ['ftp://example.com/', false],
  ['mailto:me', false],
  ['user@example.com', false],
  ['nowhere', false],
  ['', false],
])('%s lacks a scheme: %s', (target, lacks) => {
  expect(lacksScheme(target)).toBe(lacks)
})
