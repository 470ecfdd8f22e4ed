import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { formatJson, layOutJson } from './json-rows.ts'
import { jsonPieces, jsonRowText } from './row-tokens.ts'
import { plainRows } from './text-rows.ts'
import { jsonText } from '../../../../test/support/json-texts.ts'
import { times } from '../../../../test/support/long-form.ts'

/** The text without whitespace between tokens. */
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

  test('keeps numbers, duplicate keys and escapes as sent', () => {
    expect(formatJson('{"a":10.00,"a":12345678901234567890,"b":1E400,"\\u0061":"\\/"}')).toBe(
      '{\n  "a": 10.00,\n  "a": 12345678901234567890,\n  "b": 1E400,\n  "\\u0061": "\\/"\n}',
    )
  })

  test.prop([jsonText], { numRuns: times(100, 3_000) })('changes only whitespace', (text) => {
    const formatted = formatJson(text)
    expect(formatted).not.toBeNull()
    expect(strip(formatted ?? '')).toBe(strip(text))
  })

  test.prop([jsonText, fc.integer({ min: 20, max: 60 })], { numRuns: times(100, 3_000) })(
    'changes only whitespace when rows are cut',
    (text, columns) => {
      const layout = layOutJson(text, columns)
      if (layout.outcome !== 'json') throw new Error(layout.outcome)
      const drawn = Array.from({ length: layout.rows.count }, (_, index) =>
        jsonPieces(text, layout.rows, index)
          .map((piece) => piece.text)
          .join(''),
      )
      expect(strip(drawn.join(''))).toBe(strip(text))
    },
  )

  test.prop([jsonText, fc.nat()], { numRuns: times(100, 3_000) })(
    'lays out the beginning of a JSON text',
    (text, place) => {
      const beginning = text.slice(0, place % (text.length + 1))
      if (strip(beginning) !== '') expect(layOutJson(beginning, 80).outcome).not.toBe('not-json')
    },
  )

  test('finds the position where a text stops being JSON', () => {
    expect(layOutJson('{"a":1,}', 80)).toEqual({ outcome: 'not-json', at: 7 })
    expect(layOutJson('[1 2]', 80)).toEqual({ outcome: 'not-json', at: 3 })
    expect(layOutJson('hello', 80)).toEqual({ outcome: 'not-json', at: 0 })
    expect(layOutJson('', 80)).toEqual({ outcome: 'not-json', at: 0 })
  })

  test('shows a leading byte order mark', () => {
    expect(formatJson('\ufeff{}')).toBe('\ufeff{}')
  })
})

describe('coloring', () => {
  const piecesOf = (text: string, columns: number) => {
    const layout = layOutJson(text, columns)
    if (layout.outcome === 'not-json') throw new Error('not JSON')
    return Array.from({ length: layout.rows.count }, (_, index) =>
      jsonPieces(text, layout.rows, index),
    )
  }

  test('tells keys, strings, numbers and words apart', () => {
    expect(
      piecesOf('{"k" : "v","n":-1.50,"w":null}', 80).map((row) => row.map((piece) => piece.kind)),
    ).toEqual([
      ['mark'],
      ['key', 'mark', 'string', 'mark'],
      ['key', 'mark', 'number', 'mark'],
      ['key', 'mark', 'word'],
      ['mark'],
    ])
  })

  test('continues a string in a row that begins inside it', () => {
    const rows = piecesOf(JSON.stringify({ ['k'.repeat(70)]: 'v'.repeat(70) }), 30)
    expect(
      rows
        .slice(1, 3)
        .flat()
        .every((piece) => piece.kind === 'key'),
    ).toBe(true)
    expect(rows.at(-2)?.map((piece) => piece.kind)).toEqual(['string'])
  })

  test('does not mistake an escaped quote for the end of a cut string', () => {
    const rows = piecesOf(`["${'\\"'.repeat(200)}"]`, 21)
    expect(
      rows
        .slice(1, -1)
        .flat()
        .every((piece) => piece.kind === 'string'),
    ).toBe(true)
  })
})

describe('sizes', () => {
  test('lays out a million levels of nesting', () => {
    const depth = 1_000_000
    const layout = layOutJson('['.repeat(depth) + ']'.repeat(depth), 80)
    expect(layout.outcome === 'json' && layout.rows.count).toBe(2 * depth - 1)
    if (layout.outcome === 'json')
      expect(jsonRowText('['.repeat(depth), layout.rows, 500_000)).toHaveLength(81)
  })

  test('cuts one string of ten megabytes into rows', () => {
    const layout = layOutJson(`"${'x'.repeat(10_000_000)}"`, 2_000)
    expect(layout.outcome === 'json' && layout.rows.count).toBe(5_001)
  })
})

describe('plain text', () => {
  test('has one row per line, with any kind of line ending', () => {
    const text = 'one\r\ntwo\n\nfour'
    const rows = plainRows(text, 80)
    expect(Array.from(rows.starts, (start, index) => text.slice(start, rows.ends[index]))).toEqual([
      'one',
      'two',
      '',
      'four',
    ])
  })

  test.prop([fc.string({ unit: 'binary', maxLength: 200 })])(
    'leaves out only the line endings',
    (text) => {
      const rows = plainRows(text, 20)
      const drawn = Array.from(rows.starts, (start, index) =>
        text.slice(start, rows.ends[index]),
      ).join('')
      expect(drawn.replaceAll(/\r?\n/g, '')).toBe(text.replaceAll(/\r?\n/g, ''))
    },
  )
})
