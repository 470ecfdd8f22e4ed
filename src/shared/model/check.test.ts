import { expect, test } from 'vitest'
import { fixOf, isExplained } from './check.ts'

const failed = {
  name: 'first-delivery',
  outcome: 'fail',
  warning: null,
  fix: 'Check the secret.',
} as const
const conclusions = [
  { cases: ['stale'], fix: 'Look at the time.' },
  { cases: ['first-delivery'], fix: 'Look at its log.' },
]

test('the first delivery takes its fix from the conclusion; other cases have their own', () => {
  expect(fixOf(failed, conclusions)).toBe('Look at its log.')
  expect(fixOf(failed, [])).toBe('Check the secret.')
  expect(fixOf({ ...failed, name: 'stale', fix: 'Refuse what is old.' }, conclusions)).toBe(
    'Refuse what is old.',
  )
})

test('a passed or inconclusive case has no fix; a slow one does', () => {
  expect(fixOf({ ...failed, outcome: 'pass' }, conclusions)).toBeNull()
  expect(fixOf({ ...failed, outcome: 'skip' }, conclusions)).toBeNull()
  expect(
    fixOf({ ...failed, name: 'in-time', outcome: 'pass', warning: 'Slow.' }, conclusions),
  ).toBe('Check the secret.')
})

test('a missing response is explained by a conclusion about its case with the same reason', () => {
  const error = 'Connection refused at 127.0.0.1:9. Start the endpoint, or correct the port.'
  const missing = (status: number | null, name = 'first-delivery') => ({
    name,
    decisive: 0,
    exchanges: [{ got: { status, error } }],
  })
  const reasons = [{ cases: ['first-delivery'], fix: error }]
  expect(isExplained(missing(null), reasons)).toBe(true)
  expect(isExplained(missing(200), reasons)).toBe(false)
  expect(isExplained(missing(null, 'stale'), reasons)).toBe(false)
  expect(isExplained(missing(null), conclusions)).toBe(false)
})
