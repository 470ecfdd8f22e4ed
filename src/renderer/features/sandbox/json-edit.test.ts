import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { changesBetween, isSame, valueAt } from './json-edit.ts'

const made = { amount: 4.2, card: { id: 'c', scheme: 'visa' }, wallet: null, ids: [1, 2] }

describe('changes between two payloads', () => {
  test('use paths, with whole arrays and new fields', () => {
    const edited = {
      amount: 12.5,
      card: { id: 'c', scheme: 'visa', metadata: { tier: 'gold' } },
      wallet: 'apple',
      ids: [1],
    }
    expect(changesBetween(made, edited)).toEqual({
      set: { amount: 12.5, 'card.metadata': { tier: 'gold' }, wallet: 'apple', ids: [1] },
      unset: [],
      problems: [],
    })
  })

  test('a missing field is removed, an object as a whole', () => {
    expect(changesBetween(made, { amount: 4.2, card: { id: 'c' }, ids: [1, 2] })).toEqual({
      set: {},
      unset: ['wallet', 'card.scheme'],
      problems: [],
    })
    expect(changesBetween(made, { amount: 4.2, wallet: null, ids: [1, 2] }).unset).toEqual(['card'])
  })

  test('fields that have no path are reported', () => {
    const { set, unset, problems } = changesBetween(
      { ...made, 'c.d': 1 },
      { ...made, card: { ...made.card, 'a.b': 1 } },
    )
    expect([set, unset]).toEqual([{}, []])
    expect(problems.map(({ path }) => path)).toEqual(['c.d', 'card.a.b'])
    expect(problems[0]?.message).toContain('by path: names must')
  })

  test('a value that replaces an object is set at its path', () => {
    expect(changesBetween(made, { ...made, card: null }).set).toEqual({ card: null })
    expect(changesBetween(made, { ...made, wallet: { kind: 'apple' } }).set).toEqual({
      wallet: { kind: 'apple' },
    })
  })

  property.prop([fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.jsonValue())])(
    'nothing differs from itself',
    (data) => {
      expect(changesBetween(data, structuredClone(data))).toEqual({
        set: {},
        unset: [],
        problems: [],
      })
    },
  )

  property.prop([
    fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.jsonValue({ maxDepth: 3 })),
    fc.jsonValue({ maxDepth: 3 }),
  ])('each changed path has the value of the edited payload', (data, value) => {
    const edited = { ...structuredClone(data), added: value }
    const { set } = changesBetween(data, edited)
    for (const [path, literal] of Object.entries(set))
      expect(isSame(valueAt(edited, path), literal)).toBe(true)
  })
})

test('values are equal in any order of their members, and null is a value', () => {
  expect(isSame({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true)
  expect(isSame([1, 2], [2, 1])).toBe(false)
  expect(isSame(null, undefined)).toBe(false)
})
