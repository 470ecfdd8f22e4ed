import { expect, test } from 'vitest'
import { alterBody } from './alter-body.ts'

test.each([
  ['{"amount":5,"id":"0a"}', '{"amount":5,"id":"1a"}'],
  ['{ "id" : "1a" }', '{ "id" : "2a" }'],
  ['{"live":true,"amount":-0.5}', '{"live":true,"amount":-1.5}'],
  ['{"name":"Café"}', '{"name":"1afé"}'],
  ['[null,7]', '[null,1]'],
  ['{"live":true}', '{"1ive":true}'],
  ['amount=5', '1mount=5'],
  ['{"a":{}}', '{"1":{}}'],
  ['\u00e9', '\u00e9 '],
  ['', ' '],
])('of %s, a digit or letter is changed, of a value if there is one', (body, changed) => {
  expect(Buffer.from(alterBody(Buffer.from(body))).toString()).toBe(changed)
})

test('bytes that are not UTF-8 stay unchanged around it', () => {
  expect([...alterBody(Buffer.from([0xff, 0x61, 0xfe]))]).toEqual([0xff, 0x31, 0xfe])
})
