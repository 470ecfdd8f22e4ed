import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { literalMembers, literalsOf, typedLiteral, withLiteral, writeWithLiterals } from './json-literals.ts'

const odd = ['10.00', '1e3', '-0', '12345678901234567890', '1E400', '0.10', '1e-7', '100000000000000000000.000']

test.each(odd)('%s is kept as typed', (literal) => {
  const payload = { amount: JSON.parse(literal) as unknown, card: { id: 'c' } }
  expect(writeWithLiterals(payload, { amount: literal })).toBe(`{"amount":${literal},"card":{"id":"c"}}`)
})

test('objects and arrays keep the notation of their content', () => {
  const literal = '{ "n": 1.0, "list": [1.50, -0] }'
  expect(writeWithLiterals({ card: { metadata: JSON.parse(literal) as unknown } }, { 'card.metadata': literal })).toBe(
    `{"card":{"metadata":${literal}}}`,
  )
})

test("a literal that doesn't equal the payload's value is left out", () => {
  expect(writeWithLiterals({ amount: 12 }, { amount: '10.00', 'card.id': '1.0' })).toBe('{"amount":12}')
})

test('the rest of a text stays unchanged', () => {
  const text = '{ "a" : 1e2,\n "b": {"c":"\\u00e9"} }'
  expect(withLiteral(text, 'b.c', '1.0')).toBe('{ "a" : 1e2,\n "b": {"c":1.0} }')
  expect(withLiteral(text, 'b.d', '10.00')).toBe('{ "a" : 1e2,\n "b": {"c":"\\u00e9","d":10.00} }')
  expect(withLiteral('{}', 'a', '-0')).toBe('{"a":-0}')
  expect(withLiteral('[{"a":1}]', '0.a', '1.0')).toBe('[{"a":1.0}]')
  expect(withLiteral('{"__proto__":1}', '__proto__', '2.0')).toBe('{"__proto__":2.0}')
  for (const [not, path] of [
    ['not JSON', 'a'],
    ['{"a":1}', 'b.c'],
    ['[1]', '5'],
  ] as const)
    expect(withLiteral(not, path, '1')).toBe(null)
})

test('typed text is JSON, or a string without quotes', () => {
  expect(['10.00', '-0', ' 1e3 ', 'Café', '{oops', '"7"', 'null', '01'].map(typedLiteral)).toEqual([
    '10.00',
    '-0',
    '1e3',
    '"Café"',
    '"{oops"',
    '"7"',
    'null',
    '"01"',
  ])
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
  for (const names of [['steps', '1', 'set'], ['steps', '2', 'set'], ['nothing']]) expect(members(names)).toEqual({})
  expect(literalMembers('no JSON')(['steps'])).toEqual({})
})

property.prop([fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 })])(
  'what JavaScript wrote has no literals, and is written as it was',
  (payload) => {
    const text = JSON.stringify(payload)
    expect(literalsOf(text)).toEqual({})
    expect(writeWithLiterals(payload, {})).toBe(text)
  },
)
