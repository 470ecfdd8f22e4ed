import { expect, test } from 'vitest'
import { targetKind } from './http.ts'

const RECEIVER = 'https://127.0.0.1:4783'

test.each([
  ['http://127.0.0.1:3000/hooks', 'here'],
  ['http://localhost:3000', 'here'],
  ['http://my.localhost./', 'here'],
  ['http://[::1]:3000/', 'here'],
  // The URL standard reads these as loopback addresses.
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
  ['localhost:3000', 'none'],
  ['', 'none'],
])('%s is %s', (target, kind) => {
  expect(targetKind(target, RECEIVER)).toBe(kind)
})
