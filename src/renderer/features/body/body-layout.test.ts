import { expect, test } from 'vitest'
import { plainRows } from '../../ui/json/text-rows.ts'
import { jsonStop, layOut } from './body-layout.ts'

test.each([
  ['{"a":1,}', 7, { at: 7, line: 1, column: 8, character: '}' }],
  ['{\r\n  "a": "€😀" x\n}', 16, { at: 16, line: 2, column: 13, character: 'x' }],
  ['[1,\n"a\nb"]', 6, { at: 6, line: 2, column: 3, character: '\n' }],
  ['[😀]', 1, { at: 1, line: 1, column: 2, character: '😀' }],
  // Ends too early.
  ['{"a":', 5, { at: 5, line: 1, column: 6, character: null }],
  ['[1,\n', 4, { at: 4, line: 2, column: 1, character: null }],
])('%j stops being JSON at its first unexpected character', (text, at, stop) => {
  expect(jsonStop(text, at)).toEqual(stop)
  expect(layOut(text, false, false, 80)).toMatchObject({ kind: 'text', notJson: { stop } })
})

test("text that doesn't begin as JSON has no error position", () => {
  for (const text of ['hello', '  a=1&b=2', '\ufeff<xml/>', ''])
    expect(layOut(text, false, false, 80)).toMatchObject({ notJson: { stop: null } })
  expect(layOut('{"a":1,}', false, true, 80)).toMatchObject({ notJson: null })
})

test('rows have the line numbers of their text', () => {
  expect([...plainRows(`${'x'.repeat(50)}\n\nb\n`, 20).lines]).toEqual([1, 0, 0, 2, 3])
})

test('a row cut between two tokens continues the line above', () => {
  const { rows } = layOut(`{"${'k'.repeat(18)}":"v"}`, false, false, 22)
  expect([...rows.lines]).toEqual([1, 2, 0, 3])
})
