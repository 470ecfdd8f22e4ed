import { expect, test } from 'vitest'
import type { BodyView } from './body-text.ts'
import { LONGEST_TEXT, readText, textToShow } from './body-text.ts'

const shown = (text: string, view: BodyView, cut = false) => textToShow({ text, cut }, view)

test('JSON is formatted unless it is shown as sent, also if only its beginning is known', () => {
  expect(shown('{"a":[1.0]}', 'formatted')).toEqual({
    text: '{\n  "a": [\n    1.0\n  ]\n}',
    isJson: true,
    problem: null,
  })
  expect(shown('{"a":1}', 'text')).toMatchObject({ text: '{"a":1}', isJson: true })
  expect(shown('{"a":1}', 'tree')).toMatchObject({ text: '{"a":1}', isJson: true })
  expect(shown('[1,[2', 'formatted', true)).toMatchObject({
    text: '[\n  1,\n  [\n    2',
    isJson: true,
  })
})

test('text that stops being JSON is shown as sent, with its first mistake', () => {
  expect(shown('{"a":1,}', 'formatted')).toEqual({
    text: '{"a":1,}',
    isJson: false,
    problem: { at: 7, message: 'Invalid JSON at 1:8: unexpected `}`.' },
  })
  expect(shown('{"a":[1,', 'formatted').problem?.message).toBe('Incomplete JSON: ends at 1:9.')
})

test("text that doesn't begin as JSON has no mistake", () => {
  for (const text of ['hello', '  a=1&b=2', '\ufeff<xml/>', ''])
    expect(shown(text, 'formatted').problem).toBeNull()
  expect(shown('{"a":1,}', 'text').problem).toBeNull()
})

test('a very long body is cut, and its beginning is still JSON', () => {
  const bytes = new TextEncoder().encode(`{"long":"${'é'.repeat(LONGEST_TEXT)}"}`)
  const read = readText(bytes, false, null)
  expect(read.text.length).toBe(9 + Math.floor((LONGEST_TEXT - 9) / 2))
  expect(read.invalid).toBeNull()
  expect(textToShow(read, 'formatted').isJson).toBe(true)
})
