import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import {
  changesBetween,
  isSame,
  mergedEdit,
  pathsOf,
  typedValue,
  valueAt,
  type FieldEdit,
} from './json-edit.ts'

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
    for (const [path, told] of Object.entries(set))
      expect(isSame(valueAt(edited, path), told)).toBe(true)
  })
})

describe('a later edit', () => {
  const merged = (earlier: Partial<FieldEdit>, later: Partial<FieldEdit>) =>
    mergedEdit({ set: {}, unset: [], ...earlier }, { set: {}, unset: [], ...later }, made)

  test('is added to the earlier one, and restoring a value removes the change', () => {
    expect(merged({ set: { amount: 1, wallet: 'x' } }, { set: { amount: 2 } }).set).toEqual({
      amount: 2,
      wallet: 'x',
    })
    expect(
      merged({ set: { amount: 1, wallet: 'x' } }, { set: { amount: 4.2, wallet: null } }).set,
    ).toEqual({})
  })

  test('removes a field that was set before, and ignores one that never existed', () => {
    expect(
      merged({ set: { 'card.scheme': 'amex', extra: 1 } }, { unset: ['card', 'extra'] }),
    ).toEqual({
      set: {},
      unset: ['card'],
    })
    expect(merged({ unset: ['card.id'] }, { unset: ['card'] }).unset).toEqual(['card'])
  })

  test('restores a removed field', () => {
    expect(
      merged({ unset: ['card.scheme', 'amount'] }, { set: { 'card.scheme': 'visa' } }),
    ).toEqual({
      set: {},
      unset: ['amount'],
    })
    expect(merged({ unset: ['card'] }, { set: { card: { id: 'd' } } })).toEqual({
      set: { card: { id: 'd' } },
      unset: [],
    })
  })
})

test('paths cover every field that is not an object', () => {
  expect(pathsOf(made)).toEqual(['amount', 'card.id', 'card.scheme', 'wallet', 'ids'])
})

test('a typed value is JSON, or plain text', () => {
  expect(
    ['12.5', 'true', 'null', '"7"', '{"a":1}', 'Corner Café', '{oops'].map(typedValue),
  ).toEqual([12.5, true, null, '7', { a: 1 }, 'Corner Café', '{oops'])
})
