import { expect, test } from 'vitest'
import { responseMessage } from './response-message.ts'

test.each([
  [
    '{"error":"LedgerConflict","message":"Already settled","at":"settle.ts:41"}',
    'LedgerConflict: Already settled',
  ],
  ['{"message":"card is null"}', 'card is null'],
  ['{"error":{"message":"No such card"}}', 'No such card'],
  ['{"statusCode":500,"error":"Oops","message":"Oops"}', 'Oops'],
  ['<html><head><title>Bad\n gateway</title></head></html>', 'Bad gateway'],
  ['plain  text\n', 'plain text'],
  ['{"ok":false}', '{"ok":false}'],
  ['', ''],
  ['x'.repeat(200), `${'x'.repeat(119)}…`],
])('the response %j says %j', (body, message) => {
  expect(responseMessage(body)).toBe(message)
  expect(responseMessage(new TextEncoder().encode(body))).toBe(message)
})
