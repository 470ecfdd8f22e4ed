import { expect, test } from 'vitest'
import { listed } from './english.ts'

test('a list of two has a conjunction, and a longer one commas too', () => {
  const words = ['a', 'b', 'c']
  expect([1, 2, 3].map((count) => listed(words.slice(0, count), 'and'))).toEqual([
    'a',
    'a and b',
    'a, b, and c',
  ])
  expect([1, 2, 3].map((count) => listed(words.slice(0, count), 'or'))).toEqual([
    'a',
    'a or b',
    'a, b, or c',
  ])
})
