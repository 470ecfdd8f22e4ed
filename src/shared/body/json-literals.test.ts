import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import {
  literalMembers,
  literalsOf,
  missingLiteral,
  literalFromText,
  withLiteral,
  writeWithLiterals,
} from './json-literals.ts'
import { pathText, type PathStep } from './json-path.ts'
import { times } from '../../../test/support/long-form.ts'

const odd = [
  '10.00',
  '1e3',
  '-0',
  '12345678901234567890',
  '1E400',
  '0.10',
  '1e-7',
  '100000000000000000000.000',
]

test.each(odd)('%s is kept as typed', (literal) => {
  const payload = { amount: JSON.parse(literal) as unknown, card: { id: 'c' } }
  expect(writeWithLiterals(payload, { amount: literal })).toBe(
    `{"amount":${literal},"card":{"id":"c"}}`,
  )
})

test('objects and arrays keep the notation of their content', () => {
  const literal = '{ "n": 1.0, "list": [1.50, -0] }'
  expect(
    writeWithLiterals(
      { card: { metadata: JSON.parse(literal) as unknown } },
      { 'card.metadata': literal },
    ),
  ).toBe(`{"card":{"metadata":${literal}}}`)
})

test("a literal that doesn't equal the payload's value is left out", () => {
  expect(writeWithLiterals({ amount: 12 }, { amount: '10.00', 'card.id': '1.0' })).toBe(
    '{"amount":12}',
  )
})

test('the rest of a text stays unchanged', () => {
  const text = '{ "a" : 1e2,\n "b": {"c":"\\u00e9"} }'
  expect(withLiteral(text, 'b.c', '1.0')).toBe('{ "a" : 1e2,\n "b": {"c":1.0} }')
  for (const path of ['0.a', '[0].a', '$[0].a', '$[0]["a"]'])
    expect(withLiteral('[{"a":1}]', path, '1.0'), path).toBe('[{"a":1.0}]')
  expect(withLiteral(text, 'b.d', '10.00')).toBe('{ "a" : 1e2,\n "b": {"c":"\\u00e9","d":10.00} }')
  expect(withLiteral('{}', 'a', '-0')).toBe('{"a":-0}')
  expect(withLiteral('{"__proto__":1}', '__proto__', '2.0')).toBe('{"__proto__":2.0}')
})

test.each([
  ['not JSON', 'a', "Couldn't set a: the body isn't JSON."],
  [
    '{"amount":1}',
    'amuont',
    "Couldn't set amuont: field not found in the body. Did you mean amount?",
  ],
  ['{"a":1}', 'b.c', "Couldn't set b.c: field not found in the body. Check the path."],
  ['[1]', '5', "Couldn't set 5: field not found in the body. Check the path."],
  [
    '{"toString":1}',
    'valueOf',
    "Couldn't set valueOf: field not found in the body. Check the path.",
  ],
  ['{"a":1}', 'a', null],
])('in %s, setting %s says: %s', (text, path, message) => {
  expect(missingLiteral(text, path)).toBe(message)
})

test('nothing is set without the object that a path names', () => {
  for (const [text, path] of [
    ['not JSON', 'a'],
    ['{"a":1}', 'b.c'],
    ['[1]', '5'],
  ] as const)
    expect(withLiteral(text, path, '1')).toBe(null)
})

/** Lists the paths of a value and of all values inside it. */
function pathsIn(value: unknown, steps: readonly PathStep[] = []): PathStep[][] {
  const members: [PathStep, unknown][] = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item])
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : []
  return [[...steps], ...members.flatMap(([step, member]) => pathsIn(member, [...steps, step]))]
}

/** Returns a copy with the value at the path replaced. */
function replaced(within: unknown, [step, ...rest]: readonly PathStep[], by: unknown): unknown {
  if (step === undefined) return by
  const copy: object = Array.isArray(within)
    ? [...(within as unknown[])]
    : { ...(within as object) }
  const value = replaced(Reflect.get(copy, step), rest, by)
  return Object.defineProperty(copy, step, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

const MARK = '"✓ here"'

property.prop(
  [
    fc.jsonValue({ maxDepth: 4 }),
    fc.nat(),
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('', ' ', '\t'),
  ],
  {
    numRuns: times(30, 3_000),
  },
)(
  'setting a value replaces it in the parsed body and keeps every byte around it',
  (inner, place, value, space) => {
    const paths = pathsIn(inner)
    const path = paths[place % paths.length] ?? []
    // Parsing would lose its neighbors: a repeated name, number literals, escapes, spaces.
    const marked = JSON.stringify(replaced(inner, path, JSON.parse(MARK)), null, space)
    const [before = '', after = ''] =
      `{ "n":1e2,"n" : -0.00, "v":${marked}, "\\u00e9":"\\/" }`.split(MARK)
    const old = path.reduce<unknown>((within, step) => Reflect.get(within as object, step), inner)
    const text = before + JSON.stringify(old) + after
    const literal = JSON.stringify(value, null, space)
    const set = withLiteral(text, pathText(['v', ...path]), literal)
    expect(set).toBe(before + literal + after)
    expect(JSON.parse(set ?? '')).toEqual(
      replaced(JSON.parse(text), ['v', ...path], JSON.parse(literal)),
    )
  },
)

test('typed text is JSON, or a string without quotes', () => {
  expect(
    ['10.00', '-0', ' 1e3 ', 'Café', '{oops', '"7"', 'null', '01'].map(literalFromText),
  ).toEqual(['10.00', '-0', '1e3', '"Café"', '"{oops"', '"7"', 'null', '"01"'])
})

test('numbers that JavaScript would rewrite are found by path', () => {
  expect(literalsOf('{"a":10.00,"b":{"c":-0,"d":1},"list":[1,2.0],"e":"10.00"}')).toEqual({
    a: '10.00',
    'b.c': '-0',
    list: '[1,2.0]',
  })
  expect([literalsOf('1.0'), literalsOf('nothing')]).toEqual([{}, {}])
})

test('fields of an object inside a text are found by their full names', () => {
  const members = literalMembers('{"steps":[{"set":{"a.b":10.00,"c":1,"d":{"e":-0}}},{"set":7.0}]}')
  expect(members(['steps', '0', 'set'])).toEqual({ 'a.b': '10.00', d: '{"e":-0}' })
  for (const names of [['steps', '1', 'set'], ['steps', '2', 'set'], ['nothing']])
    expect(members(names)).toEqual({})
  expect(literalMembers('no JSON')(['steps'])).toEqual({})
})

property.prop([
  fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 }),
])('what JavaScript wrote has no literals, and is written as it was', (payload) => {
  const text = JSON.stringify(payload)
  expect(literalsOf(text)).toEqual({})
  expect(writeWithLiterals(payload, {})).toBe(text)
})
