import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { formatJson, placeInFormatted } from './format.ts'
import { jsonText } from '../../../test/support/json-texts.ts'
import { times } from '../../../test/support/long-form.ts'

function strip(text: string): string {
  return text.replace(
    /("(?:[^"\\]|\\[^])*"?)|[ \t\r\n]+/g,
    (_, string: string | undefined) => string ?? '',
  )
}

describe('formatting', () => {
  test('indents like JSON.stringify does', () => {
    const value = { a: [1, { b: [] }], c: {}, d: 'x', e: [[2]] }
    expect(formatJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
    expect(formatJson(JSON.stringify(value, null, 7))).toBe(JSON.stringify(value, null, 2))
  })

  test('keeps numbers, duplicate keys, escapes and a byte order mark as sent', () => {
    expect(formatJson('\ufeff{"a":10.00,"a":12345678901234567890,"b":1E400,"\\u0061":"\\/"}')).toBe(
      '\ufeff{\n  "a": 10.00,\n  "a": 12345678901234567890,\n  "b": 1E400,\n  "\\u0061": "\\/"\n}',
    )
  })

  property.prop([jsonText, fc.nat()], { numRuns: times(30, 3_000) })(
    'changes only whitespace, also of a beginning, and finds each token again',
    (text, place) => {
      const formatted = formatJson(text) ?? ''
      expect(strip(formatted)).toBe(strip(text))
      const beginning = text.slice(0, place % (text.length + 1))
      if (strip(beginning) === '') return
      expect(strip(formatJson(beginning, { cut: true }) ?? '')).toBe(strip(beginning))
      if (/\s/.test(text[beginning.length] ?? ' ') || strip(beginning).includes('"')) return
      expect(formatted[placeInFormatted(text, formatted, beginning.length)]).toBe(
        text[beginning.length],
      )
    },
  )

  test("returns nothing for text that isn't JSON", () => {
    for (const text of ['{"a":1,}', '[1 2]', 'hello', '', '{"a":'])
      expect(formatJson(text)).toBeNull()
    expect(formatJson('[1 2]', { cut: true })).toBeNull()
  })

  test('indents a million levels only so far, and stops at the longest text', () => {
    const depth = 1_000_000
    const formatted = formatJson('['.repeat(depth) + ']'.repeat(depth), { longest: 2_000_000 })
    expect(formatted?.length).toBeLessThan(2_000_100)
    expect(formatted).toMatch(/\n {80}\[\n {80}\[/)
  })
})
