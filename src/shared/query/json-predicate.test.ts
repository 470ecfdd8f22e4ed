import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { compareDecimals } from './decimal.ts'
import { compileJsonPredicate, type JsonPredicate } from './json-predicate.ts'
import { readQuery } from './parse.ts'

const asks = (query: string, body: string | Uint8Array) =>
  compileJsonPredicate(readQuery(query, { now: 0, hooks: [] }) as JsonPredicate)(Buffer.from(body))

describe('values at a path', () => {
  test.each([
    ['a:1', '{"a":1}', true],
    ['a:1', '{"a":1.0}', true],
    ['a:1', '{"a":10e-1}', true],
    ['a:1', '{"a":"1"}', true],
    ['a:"1"', '{"a":"1"}', true],
    ['a:"1"', '{"a":1}', false],
    ['a:visa', '{"a":"VISA"}', true],
    ['a:"visa"', '{"a":"VISA"}', false],
    ['a:v*a', '{"a":"Visa"}', true],
    ['a:é', '{"a":"\\u00e9"}', true],
    ['a:true', '{"a":true}', true],
    ['a:true', '{"a":"true"}', true],
    ['a:null', '{"a":null}', true],
    ['a:null', '{}', false],
    ['a:*', '{"a":null}', true],
    ['a:*', '{"a":{}}', true],
    ['a:*', '{"a":[]}', true],
    ['a:*', '{"b":1}', false],
    ['a:12*', '{"a":1250}', true],
    ['a:<0', '{"a":-1}', true],
    ['a:<0', '{"a":"-0.5"}', true],
    ['a:<0', '{"a":0}', false],
    ['a:<0', '{"a":null}', false],
    ['a:1..2', '{"a":2}', true],
    ['a:1..', '{"a":0.99}', false],
    ['a:>=2026-11-20', '{"a":"2026-11-20T10:00:00Z"}', true],
    ['a:2026-11-19..2026-11-20', '{"a":"2026-11-20T10:00:00Z"}', true],
    ['a:>2026-11-20', '{"a":"2026-11-20T10:00:00Z"}', false],
    ['a:<b', '{"a":1}', false],
    ['a.b:1', '{"a":[{"b":0},[{"b":1}]]}', true],
    ['a[0].b:1', '{"a":[{"b":0},{"b":1}]}', false],
    ['a[1].b:1', '{"a":[{"b":0},{"b":1}]}', true],
    ['a:1', '{"a":[[1]]}', true],
    ['$:1', '[1]', true],
    ['$["a b"]:1', '{"a b":1}', true],
    ['$.0:1', '{"0":1}', true],
    ['a:2', '{"a":1,"a":2}', true],
    ['a:1', '{"a":1,"a":2}', false],
    ['$.toString:*', '{}', false],
    ['$.__proto__:1', '{"__proto__":1}', true],
    ['a:1', '{"a":1', false],
    ['a:1', '\ufeff{"a":1}', false],
    ['long:9007199254740993', '{"long":9007199254740993}', true],
    ['long:9007199254740993', '{"long":9007199254740992}', false],
    ['long:>9007199254740992', '{"long":9007199254740993}', true],
    ['long:0.1000000000000000055511151231257827', '{"long":0.1}', false],
  ])('%s of %s: %s', (query, body, expected) => {
    expect(asks(query, body)).toBe(expected)
  })

  test("a body that isn't UTF-8 matches nothing", () => {
    expect(
      asks('a:*', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')])),
    ).toBe(false)
  })

  test('deep nesting is supported; a body too deep to parse as JSON matches nothing', () => {
    const nested = (levels: number, inner: string) =>
      '['.repeat(levels) + inner + ']'.repeat(levels)
    expect(asks('a:7', nested(9_000, '{"a":7}'))).toBe(true)
    // A long number is parsed differently.
    expect(asks('a:7', nested(9_000, '{"a":7,"b":12345678901234567890}'))).toBe(true)
    expect(asks('a:7', nested(1_000_000, '{"a":7}'))).toBe(false)
  })
})

describe('a pasted object', () => {
  test.each([
    ['{"a":1}', '{"a":1,"b":2}', true],
    ['{"a":{"b":1}}', '{"a":{"b":1.0,"c":2}}', true],
    ['{"a":[1]}', '{"a":[2,1]}', true],
    ['{"a":[1,2]}', '{"a":[2]}', false],
    ['{"a":1}', '{"a":[0,1]}', true],
    ['{"a":{"b":1}}', '{"a":[{"b":0},{"b":1}]}', true],
    ['{"a":"x"}', '{"a":"X"}', false],
    ['{"a":null}', '{"a":null}', true],
    ['{"a":null}', '{}', false],
    ['{"a":1}', '{"a":"1"}', false],
    ['{}', '[]', false],
    ['{}', '{"a":1}', true],
    ['{"a":9007199254740993}', '{"a":9007199254740992}', false],
  ])('%s is contained in %s: %s', (query, body, expected) => {
    expect(asks(query, body)).toBe(expected)
  })

  property.prop([fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })])(
    'every object contains itself and each of its members',
    (object) => {
      const body = JSON.stringify(object)
      expect(asks(body, body)).toBe(true)
      for (const [key, value] of Object.entries(object))
        expect(asks(`{${JSON.stringify(key)}:${JSON.stringify(value)}}`, body)).toBe(true)
    },
  )
})

property.prop([
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
  fc.nat(5),
])(
  'decimals are ordered as the numbers that they are, with zeros behind the point and with exponents',
  (first, second, zeros) => {
    const order = first < second ? -1 : first > second ? 1 : 0
    expect(Math.sign(compareDecimals(String(first), `${second}.${'0'.repeat(zeros + 1)}`))).toBe(
      order,
    )
    expect(Math.sign(compareDecimals(`${first}${'0'.repeat(zeros)}`, `${second}e${zeros}`))).toBe(
      order,
    )
  },
)

test('equal negative numbers are neither less nor greater, and comparing them never gives negative zero', () => {
  expect(compareDecimals('-25.0000000000000000', '-25e0')).toBe(0)
})
