import { fc, test as law } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import {
  decodedString,
  explainInvalidJson,
  OBJECT,
  placeAt,
  scanJson,
  syntaxErrorWords,
  type ScanOptions,
} from './scan.ts'
import { jsonText } from '../../../test/support/json-texts.ts'
import { times } from '../../../test/support/long-form.ts'

const broken = fc
  .tuple(
    jsonText,
    fc.nat(),
    fc.constantFrom(
      '',
      '"',
      '\\',
      ',',
      '}',
      ']',
      '0',
      ':',
      '\u0001',
      'e',
      '.',
      '-',
      'nul',
      '\\u00g',
      '\ufeff',
    ),
  )
  .map(([text, place, put]) => {
    const at = place % (text.length + 1)
    return text.slice(0, at) + put + text.slice(at + 1)
  })
const almostNumber = fc.stringMatching(/^\[?[-+.0-9eE]{1,7}\]?$/)

const ignore = {
  key: () => undefined,
  scalar: () => undefined,
  open: () => undefined,
  close: () => undefined,
}
const outcomeOf = (text: string, options?: ScanOptions) => scanJson(text, ignore, options)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Builds the value of a text from the pieces between the positions that a scan returns. */
function valueByPositions(text: string): unknown {
  const holders: (unknown[] | Record<string, unknown>)[] = []
  let name = ''
  let root: unknown
  const place = (value: unknown) => {
    const holder = holders.at(-1)
    if (holder === undefined) root = value
    else if (Array.isArray(holder)) holder.push(value)
    else
      Object.defineProperty(holder, name, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      })
  }
  const { outcome } = scanJson(text, {
    key(start, end) {
      name = decodedString(text.slice(start, end))
    },
    scalar(start, end) {
      place(JSON.parse(text.slice(start, end)))
    },
    open(_at, container) {
      const holder = container === OBJECT ? {} : []
      place(holder)
      holders.push(holder)
    },
    close: () => holders.pop(),
  })
  expect(outcome).toBe('json')
  return root
}

describe('scanning JSON', () => {
  law.prop(
    [fc.oneof(jsonText, broken, almostNumber, fc.string({ unit: 'binary', maxLength: 20 }))],
    { numRuns: times(30, 3_000) },
  )('accepts what JSON.parse accepts and nothing else', (text) => {
    expect(outcomeOf(text).outcome === 'json').toBe(isJson(text))
  })

  law.prop([jsonText], { numRuns: times(30, 3_000) })(
    'gives positions whose pieces make the value that JSON.parse reads',
    (text) => {
      expect(valueByPositions(text)).toEqual(JSON.parse(text))
    },
  )

  law.prop([jsonText], { numRuns: times(30, 3_000) })(
    'gives every character but white space once, in order',
    (text) => {
      let rebuilt = ''
      let last = 0
      const take = (start: number, end: number) => {
        expect(text.slice(last, start).trim()).toBe('')
        rebuilt += text.slice(last, end)
        last = end
      }
      const takeOne = (at: number) => take(at, at + 1)
      scanJson(text, {
        mark: take,
        key: take,
        scalar: take,
        open: takeOne,
        close: takeOne,
        comma: takeOne,
      })
      expect(rebuilt + text.slice(last)).toBe(text)
      expect(text.slice(last).trim()).toBe('')
    },
  )

  law.prop([jsonText, fc.nat()], { numRuns: times(30, 3_000) })(
    'takes the beginning of a JSON text for cut off, never for wrong',
    (text, place) => {
      const beginning = text.slice(0, place % (text.length + 1))
      if (beginning.trim() !== '') expect(outcomeOf(beginning).outcome).not.toBe('not-json')
    },
  )

  test('returns both of two equal keys', () => {
    const keys: string[] = []
    const text = '{"a":1,"a":{"a":2}}'
    scanJson(text, { ...ignore, key: (start, end) => keys.push(text.slice(start, end)) })
    expect(keys).toEqual(['"a"', '"a"', '"a"'])
  })

  test.each([
    ['{"a":1,}', 7],
    ['[1 2]', 3],
    ['[01]', 2],
    ['[1.]', 2],
    ['["\\x"]', 3],
    ['["\\u00g0"]', 6],
    ['["a\nb"]', 3],
    ['hello', 0],
    ['', 0],
    ['\ufeff{}', 0],
  ])('%j is rejected at %i', (text, at) => {
    expect(outcomeOf(text)).toEqual({ outcome: 'not-json', at })
  })

  test('accepts a byte order mark if asked to', () => {
    expect(outcomeOf('\ufeff{}', { byteOrderMark: true })).toEqual({ outcome: 'json' })
  })

  test('stops at the first value that is nested too deep', () => {
    expect(outcomeOf('[[1]]', { maxDepth: 2 })).toEqual({ outcome: 'json' })
    expect(outcomeOf('[[1]]', { maxDepth: 1 })).toEqual({ outcome: 'not-json', at: 2 })
    expect(outcomeOf('{"a":{"b":[]}}', { maxDepth: 1 })).toEqual({ outcome: 'not-json', at: 10 })
  })
})

test.each([
  ['amount=36', 'unexpected `a` at line 1, column 1'],
  ['{"a":1,\n "b":abcdefghijklmnop}', 'unexpected `a` at line 2, column 6'],
  ['{"a":', 'it ends too early, at line 1, column 6'],
  ['{"a":1}\u0007', 'unexpected control character U+0007 at line 1, column 8'],
  ['{"a":\ud83d\ude00}', 'unexpected `\ud83d\ude00` at line 1, column 6'],
])('%j is not JSON: %s', (text, words) => {
  expect(syntaxErrorWords(text)).toBe(words)
})

test('line and column count from 1', () => {
  expect(placeAt('{\n  "a": x', 9)).toEqual({ line: 2, column: 8 })
  expect(placeAt('x', 0)).toEqual({ line: 1, column: 1 })
})

test.each([
  ['{"a":1,}', 7, 'Invalid JSON at 1:8: unexpected `}`.'],
  ['{\r\n  "a": "€" x\n}', 14, 'Invalid JSON at 2:12: unexpected `x`.'],
  ['[1,\n"a\nb"]', 6, 'Invalid JSON at 2:3: unexpected ``.'],
  ['{"a":\n', 5, 'Incomplete JSON: ends at 1:6.'],
  ['', 0, 'Incomplete JSON: ends at 1:1.'],
])('%j stops being JSON at %i', (text, at, message) => {
  expect(explainInvalidJson(text)).toEqual({ at, message })
  expect(explainInvalidJson('\ufeff{"a":[1]}')).toBeNull()
})
