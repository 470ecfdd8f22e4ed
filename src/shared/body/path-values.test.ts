import { expect, test } from 'vitest'
import { textsAtPaths } from './path-values.ts'

const BODY =
  '{"amount":-12.50,"big":12345678901234567890.10,"card":{"lastNumbers":"4001"},"a b":{"c":null},"items":[{"id":"x"},{"id":"y"}],"list":[1,[2]],"twice":1,"twice":2,"note":"caf\\u00e9"}'

test.each([
  ['amount', '-12.50'],
  ['big', '12345678901234567890.10'],
  ['card.lastNumbers', '4001'],
  ['card', '{"lastNumbers":"4001"}'],
  ['$["a b"].c', 'null'],
  ['items[1].id', 'y'],
  ['items.0.id', 'x'],
  ['items[].id', 'x, y'],
  ['items.id', 'x, y'],
  ['list[1]', '[2]'],
  ['twice', '2'],
  ['note', 'café'],
  ['missing.path', null],
  ['amount.more', null],
])('%s is %s', (path, text) => {
  expect(textsAtPaths(BODY, [path], false)).toEqual([text])
})

test('a body that is cut has the values before the cut; other bodies have no values', () => {
  expect(textsAtPaths('{"a":1,"b":{"c":"d', ['a', 'b.e'], true)).toEqual(['1', null])
  expect(textsAtPaths('{"a":1,"b":{"c":"d', ['a'], false)).toEqual([null])
  expect(textsAtPaths('a=1', ['a'], false)).toEqual([null])
})
