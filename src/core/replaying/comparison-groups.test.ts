import { expect, test } from 'vitest'
import { comparisonTotals, groupTitle } from '../../shared/text/comparison-words.ts'
import { ComparisonGroups } from './comparison-groups.ts'

const side = (points: number) => ({
  send: null,
  ms: 1,
  response: { status: 200, acknowledged: true, body: { points } },
})

function titleOf(...pairs: readonly (readonly [number, number])[]): string | undefined {
  const groups = new ComparisonGroups()
  for (const [before, after] of pairs)
    groups.add({
      ...{ deliveryId: 'one', event: 'transaction.auth', reason: '' },
      ...{ before: side(before), after: side(after) },
    })
  return groups.done().groups.map(groupTitle)[0]
}

test.each<[string, ...(readonly [number, number])[]]>([
  ['120 → 240 or 75 → 150', [75, 150], [120, 240], [75, 150]],
  ['1 → 9 or 2 → 5', [1, 9], [2, 5]],
  ['1 → 5 or 1 → 9 or 2 → 5', [1, 9], [1, 5], [2, 5]],
  ['1 → 5 or 9', [1, 9], [1, 5]],
  ['1 or 2 → 9', [2, 9], [1, 9]],
])('a title tells which value became which: %s', (shown, ...pairs) => {
  expect(titleOf(...pairs)).toBe(`${pairs.length} × transaction.auth: 200, body "points": ${shown}`)
})

test('of too many groups, the most severe are shown and the rest is counted', () => {
  const groups = new ComparisonGroups()
  const add = (message: string, status: number, times: number) => {
    const after = { status, acknowledged: status === 200, body: { message } }
    for (let at = 0; at < times; at++)
      groups.add({
        ...{ deliveryId: message, event: message, reason: '', before: side(1) },
        after: { send: null, ms: 1, response: after },
      })
  }
  for (let at = 0; at < 200; at++) add(`changed ${at}`, 200, 2)
  add('regressed', 500, 1)
  add('most', 200, 3)
  const comparison = groups.done()
  expect(comparison.groups).toHaveLength(200)
  expect(comparison.groups[0]).toMatchObject({ event: 'most', count: 3 })
  expect(comparison.groups.at(-1)).toMatchObject({ event: 'regressed', count: 1 })
  expect(comparisonTotals({ ...comparison, notSelected: 0 })).toBe(
    "404 deliveries: 1 regressed, 403 changed. 2 more groups aren't shown.",
  )
})

test('a title lists no values if there are too many', () => {
  const pairs = [1, 2].flatMap((before) => [3, 4].map((after) => [before, after] as const))
  expect(titleOf(...pairs)).toBe('4 × transaction.auth: 200, body "points" differs')
})
