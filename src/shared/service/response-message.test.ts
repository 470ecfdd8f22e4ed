import { expect, test } from 'vitest'
import { quotedMessage, responseMessage } from './response-message.ts'

test.each([
  [
    '{"error":"LedgerConflict","message":"Already settled","at":"settle.ts:41"}',
    'LedgerConflict: Already settled',
  ],
  ['{"message":"card is null"}', 'card is null'],
  ['{"error":{"message":"No such card"}}', 'No such card'],
  ['{"statusCode":500,"error":"Oops","message":"Oops"}', 'Oops'],
  ['<html><head><title>Bad\n gateway</title></head></html>', 'Bad gateway'],
  ['plain text\nat handler.js', 'plain text'],
  ['{"error":{"detail":"No such card"}}', 'No such card'],
  ['<html><body>Nothing</body></html>', ''],
  ['"nope"', 'nope'],
  ['{"ok":false,"error":1}', ''],
  ['', ''],
  ['x'.repeat(200), `${'x'.repeat(119)}…`],
  [`bad secret ${'x'.repeat(200)}`, 'bad secret…'],
])('the response %j says %j', (body, message) => {
  expect(responseMessage(body)).toBe(message)
  expect(responseMessage(new TextEncoder().encode(body))).toBe(message)
})

test('a binary body says nothing, and a character may be cut at the end', () => {
  expect(responseMessage(Uint8Array.of(0xff, 0xfe))).toBe('')
  expect(responseMessage(Uint8Array.of(0x6e, 0x6f, 0xe2, 0x82))).toBe('no')
  expect(quotedMessage(Uint8Array.of(0x6e, 0x6f))).toBe('"no"')
  expect(quotedMessage(new Uint8Array())).toBeNull()
})
