import { expect, test } from 'vitest'
import type { FlowRule } from '../../shared/model/flow.ts'
import { departureOf, ruleWords } from './rules.ts'

const remembered = new Map<string, unknown>([['purchase', { id: 'a1', amount: 4.5 }]])

test.each<[FlowRule, string]>([
  ['${purchase.id}', '${purchase.id}'],
  ['about ${purchase.id}', '"about ${purchase.id}"'],
  [{ negativeOf: '${purchase.amount}' }, 'minus ${purchase.amount}'],
  [{ not: '${purchase.id}' }, 'not ${purchase.id}'],
  [{ gt: 1, lte: 9 }, 'greater than 1, at most 9'],
  [null, 'null'],
])('%j is described with its references unresolved', (rule, words) => {
  expect(ruleWords(rule)).toBe(words)
})

test('mismatches are described with resolved values', () => {
  expect(departureOf('amount', 4.5, { negativeOf: '${purchase.amount}' }, remembered)).toEqual({
    path: 'amount',
    expected: '-4.5',
    got: '4.5',
  })
  expect(departureOf('amount', -4.5, { negativeOf: '${purchase.amount}' }, remembered)).toBeNull()
})
