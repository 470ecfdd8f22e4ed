import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import type { JsonNode } from '../../../shared/json/tree.ts'
import {
  asWritten,
  floatNumber,
  shortNumber,
  textSpelling,
  writeJson,
  readShallowJson,
} from './json-spelling.ts'
import { createJsonWriter, peculiaritiesOf } from './json-writer.ts'

function read(text: string): JsonNode {
  const tree = readShallowJson(text)
  if (tree === null) throw new Error(`not JSON: ${text}`)
  return tree
}

/**
 * JSON with everything that serializers print differently: keys in any order, numbers in every
 * form.
 */
const peculiar = fc.letrec<{ value: string; object: string; array: string; leaf: string }>(
  (tie) => ({
    leaf: fc.constantFrom(
      '1',
      '1.0',
      '1e2',
      '-0',
      '"a"',
      '"\\u00e9"',
      '"é/<"',
      '"\\"+\'"',
      'null',
      '""',
    ),
    object: fc
      .array(fc.tuple(fc.constantFrom('a', 'b', '1', '10', '/', 'é'), tie('value')), {
        maxLength: 4,
      })
      .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join(', ')}}`),
    array: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    value: fc.oneof({ maxDepth: 4 }, tie('leaf'), tie('object'), tie('array')),
  }),
).value
const spelling = fc.record({
  indent: fc.constantFrom(null, '  ', '\t'),
  comma: fc.constantFrom(',', ', '),
  colon: fc.constantFrom(':', ': '),
  text: fc.constantFrom(
    asWritten.text,
    ...(
      [
        {},
        { ascii: 'lower' },
        { ascii: 'upper' },
        { slashes: true },
        { escaped: /[<>&'"+]/ },
      ] as const
    ).map(textSpelling),
  ),
  number: fc.constantFrom(asWritten.number, shortNumber, floatNumber),
  word: fc.constant(asWritten.word),
  omits: fc.constant(asWritten.omits),
  sortKeys: fc.boolean(),
  keepDuplicates: fc.boolean(),
  indexKeysFirst: fc.boolean(),
  emptyObject: fc.constantFrom('{}' as const, '[]' as const),
})
property.prop([peculiar, fc.array(spelling, { maxLength: 30 })])(
  'a writer that writes what is alike once writes the same',
  (text, spellings) => {
    const tree = read(text)
    const write = createJsonWriter(tree, peculiaritiesOf(tree))
    for (const one of spellings) expect(write(one)).toBe(writeJson(tree, one))
  },
)

describe('re-serializing JSON', () => {
  property.prop([fc.json(), fc.constantFrom(0, 1, 2, 4, '\t')])(
    'loses only white space',
    (text, indent) => {
      const spaced = JSON.stringify(JSON.parse(text), null, indent)
      expect(writeJson(read(spaced), asWritten)).toBe(JSON.stringify(JSON.parse(text)))
    },
  )

  property.prop([fc.json()])(
    'is what JavaScript writes, with its numbers, keys and texts',
    (text) => {
      const javaScript = {
        ...asWritten,
        text: textSpelling(),
        number: shortNumber,
        keepDuplicates: false,
        indexKeysFirst: true,
      }
      expect(writeJson(read(text), javaScript)).toBe(JSON.stringify(JSON.parse(text)))
    },
  )

  property.prop([fc.json(), fc.constantFrom('  ', '    ', '\t')])(
    'is what JavaScript writes, indented',
    (text, indent) => {
      const value: unknown = JSON.parse(text)
      const tree = read(JSON.stringify(value))
      expect(writeJson(tree, { ...asWritten, indent, colon: ': ' })).toBe(
        JSON.stringify(value, null, indent),
      )
    },
  )

  property.prop([fc.string({ unit: 'binary', maxLength: 60 })])('never throws', (text) => {
    const tree = readShallowJson(text)
    if (tree !== null) expect(JSON.parse(writeJson(tree, asWritten))).toEqual(JSON.parse(text))
  })

  test('keeps numbers, escapes and duplicate keys unchanged', () => {
    const text =
      '{"a":10.00,"b":1E400,"a":12345678901234567890,"\\u0063":"\\/\\u00e9","10":1,"9":[]}'
    expect(writeJson(read(text), asWritten)).toBe(text)
    expect(peculiaritiesOf(read(text))).toMatchObject({
      numbers: true,
      duplicates: true,
      indexKeys: true,
    })
    expect(writeJson(read(text), { ...asWritten, keepDuplicates: false })).toBe(
      '{"a":12345678901234567890,"b":1E400,"\\u0063":"\\/\\u00e9","10":1,"9":[]}',
    )
    expect(writeJson(read(text), { ...asWritten, indexKeysFirst: true })).toContain(
      '{"9":[],"10":1,"a"',
    )
  })

  test('refuses input that is nested too deep', () => {
    expect(readShallowJson('['.repeat(100_000) + ']'.repeat(100_000))).toBe(null)
  })
})
