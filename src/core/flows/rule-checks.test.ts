import { expect, test } from 'vitest'
import type { FlowRule } from '../../shared/model/flow.ts'
import { checksOfPayload, ruleWords } from './rule-checks.ts'

const remembered = new Map<string, unknown>([['purchase', { id: 'a1', amount: 4.5 }]])

test.each<[FlowRule, string]>([
  ['${purchase.id}', 'purchase.id'],
  ['about ${purchase.id}', '"about purchase.id"'],
  [{ negativeOf: '${purchase.amount}' }, 'minus purchase.amount'],
  [{ not: '${purchase.id}' }, 'not purchase.id'],
  [{ gt: 1, lte: 9 }, 'greater than 1, at most 9'],
  [null, 'null'],
])('%j is described with its references by their names', (rule, words) => {
  expect(ruleWords(rule)).toBe(words)
})

test('mismatches are described with resolved values', () => {
  const rules = { amount: { negativeOf: '${purchase.amount}' } }
  const mismatches = (amount: number) =>
    checksOfPayload({ amount }, rules, remembered).map(({ mismatch }) => mismatch)
  expect(mismatches(4.5)).toEqual(['`amount` is 4.5, expected -4.5'])
  expect(mismatches(-4.5)).toEqual([null])
})

test('each comparison is a line: the expected value, an operator, and the actual value', () => {
  const payload = {
    id: 'a1',
    amount: -4.5,
    currency: 'EUR',
    scheme: 'visa',
    message: '',
    count: '5',
  }
  const lines = (path: string, rule: FlowRule) =>
    checksOfPayload(payload, { [path]: rule }, remembered).map(
      ({ check: { expected, operator, actual, passed } }) =>
        `${passed ? 'passed' : 'failed'}: ${expected} ${operator} ${actual}`,
    )
  expect(lines('id', '${purchase.id}')).toEqual(['passed: a1 = a1'])
  expect(lines('amount', { negativeOf: '${purchase.amount}' })).toEqual(['passed: −4.50 = −4.50'])
  expect(lines('amount', { gt: 0, lte: 9 })).toEqual([
    'failed: 0.00 ≥ −4.50',
    'passed: 9.00 ≥ −4.50',
  ])
  expect(lines('amount', { not: -4.5 })).toEqual(['failed: −4.50 = −4.50'])
  expect(lines('scheme', { oneOf: ['visa', 'amex'] })).toEqual(['passed: one of visa, amex = visa'])
  expect(lines('scheme', { lt: 3 })).toEqual(['failed: 3 ≠ visa'])
  expect(lines('message', { matches: '.+' })).toEqual(["failed: .+ doesn't match empty"])
  expect(lines('nothing', { exists: false })).toEqual(['passed: absent = absent'])
  expect(lines('nothing', 1)).toEqual(['failed: 1 ≠ missing'])
  expect(lines('count', 5)).toEqual(['failed: 5 ≠ "5"'])
})

test('a pattern that takes forever is an error after a second', () => {
  const rules = { name: { matches: '^(a+)+$' } }
  const checks = (name: string) => checksOfPayload({ name }, rules, remembered)
  expect(checks('aa')).toMatchObject([{ mismatch: null }])
  expect(() => checks(`${'a'.repeat(60)}b`)).toThrow(
    'Testing the pattern ^(a+)+$ takes more than a second. Simplify it, or use "is".',
  )
})
