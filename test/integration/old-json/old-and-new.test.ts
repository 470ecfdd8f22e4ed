/** The one JSON scanner against the three that it replaces: the same trees, positions and places of mistakes for any text. */
import { fc, test as law } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { readJsonTree } from '../../../src/core/signature/diagnosis/json-tree.ts'
import { readJson } from '../../../src/shared/json/document.ts'
import { createInterner } from '../../../src/shared/json/interner.ts'
import { scanJson, type JsonSink } from '../../../src/shared/json/scan.ts'
import { readJson as oldDocument } from './document.ts'
import { scanJson as oldScan } from './scan.ts'
import { readJson as oldTree } from './tree.ts'

const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/)
const jsonText = fc.letrec<{ value: string; string: string; number: string }>((tie) => ({
  string: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }).map((text) => JSON.stringify(text)),
    fc.constantFrom('"\\u0041\\/\\"\\\\"', '"\\ud800"', '"a"', '"\\u0061"', '"a b,c:{}[]"', '""'),
  ),
  number: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    fc.constantFrom('10.00', '1E400', '-0', '12345678901234567890', '1.0e+05', '0.10', '0', '-1', '1e1'),
  ),
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('string'),
    tie('number'),
    fc.constantFrom('true', 'false', 'null', '{}', '[]'),
    fc
      .tuple(space, space, fc.array(fc.tuple(space, tie('value'), space), { maxLength: 4 }))
      .map(([a, b, items]) => `${a}[${items.map(([x, item, y]) => x + item + y).join(',')}]${b}`),
    fc
      .tuple(space, space, fc.array(fc.tuple(space, tie('string'), space, tie('value')), { maxLength: 4 }))
      .map(([a, b, members]) => `${a}{${members.map(([x, key, y, item]) => `${x}${key}${y}:${y}${item}${x}`).join(',')}}${b}`),
  ),
})).value
/** JSON with pieces put in, taken out or cut off, and texts that only look like numbers, words and strings. */
const pieces = ['', '"', '\\', ',', '}', ']', '0', ':', '\u0001', 'e', '.', '-', '+', 'tru', 'nul', '\\u00g', '\ufeff', ' ', 'é']
const broken = fc.tuple(jsonText, fc.nat(), fc.constantFrom(...pieces), fc.nat({ max: 3 })).map(([text, place, put, dropped]) => {
  const at = place % (text.length + 1)
  return text.slice(0, at) + put + text.slice(at + dropped)
})
const cut = fc.tuple(jsonText, fc.nat()).map(([text, place]) => text.slice(0, place % (text.length + 1)))
const plain = fc.stringMatching(/^[[{]?[-+.0-9eEtrufalsn]{1,6}[\]},]?$/)
const texts = fc.oneof(jsonText, broken, cut, plain, fc.string({ unit: 'binary', maxLength: 20 }))
const runs = { numRuns: 2_000 }

function heard(scan: (text: string, sink: Required<JsonSink>) => unknown, text: string): unknown[] {
  const events: unknown[] = []
  const hear =
    (name: string) =>
    (...told: unknown[]) =>
      void events.push([name, ...told])
  const sink = {
    mark: hear('mark'),
    key: hear('key'),
    scalar: hear('scalar'),
    open: hear('open'),
    close: hear('close'),
    comma: hear('comma'),
  }
  const outcome = scan(text, sink)
  return [...events, outcome]
}

describe('the one scanner', () => {
  law.prop([texts], runs)("tells what the window's scanner told", (text) => {
    expect(heard((from, sink) => scanJson(from, sink, { byteOrderMark: true }), text)).toEqual(heard(oldScan, text))
  })

  law.prop([texts], runs)('gives the documents of comparisons, with their numbers', (text) => {
    expect(readJson(text, createInterner())?.root).toEqual(oldDocument(text, createInterner())?.root)
  })

  law.prop([texts], runs)('gives the trees of the diagnosis', (text) => {
    expect(readJsonTree(text)).toEqual(oldTree(text))
  })

  law.prop([fc.integer({ min: 195, max: 205 }), fc.constantFrom('', '1', '{}', '"a"'), fc.boolean()])(
    'stops a diagnosis at the same depth',
    (depth, inner, objects) => {
      const [open, close] = objects ? ['{"a":', '}'] : ['[', ']']
      const text = open.repeat(depth) + (objects && inner === '' ? '0' : inner) + close.repeat(depth)
      expect(readJsonTree(text)).toEqual(oldTree(text))
    },
  )
})
