import { describe, expect, test } from 'vitest'
import { fieldPaths, pathText } from './json-path.ts'

describe('a path', () => {
  test('with plain names is written without quotes', () => {
    expect(pathText(['card', 'lastNumbers'])).toBe('card.lastNumbers')
    expect(pathText(['items', 0, 'id'])).toBe('items[0].id')
    expect(pathText(['amount'])).toBe('amount')
  })

  test('quotes other names, and begins at the root if needed', () => {
    expect(pathText(['a', 'b c'])).toBe('$.a["b c"]')
    expect(pathText(['a', '', '"\n'])).toBe(String.raw`$.a[""]["\"\n"]`)
    expect(pathText([0, 'id'])).toBe('$[0].id')
    expect(pathText([])).toBe('$')
  })
})

describe('the fields of a payload', () => {
  test('are listed once; those of items together', () => {
    const payload = {
      id: 1,
      card: { metadata: { 'b c': 1 } },
      items: [{ id: 1 }, { id: 2, more: [] }],
    }
    expect(fieldPaths(payload).toSorted()).toEqual(
      [
        'id',
        'card',
        'card.metadata',
        '$.card.metadata["b c"]',
        'items',
        'items[].id',
        'items[].more',
      ].toSorted(),
    )
  })

  test('are limited in number and depth', () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = [{ deep }]
    expect(fieldPaths(deep).length).toBeLessThan(20)
    expect(
      fieldPaths(
        Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, index])),
      ),
    ).toHaveLength(500)
    expect(fieldPaths('text')).toEqual([])
  })
})
