import { expect, test } from 'vitest'
import { acknowledgementRule, isAcknowledged } from './acknowledgement.ts'

test('200 alone acknowledges, or any 2xx where the environment says so', () => {
  const answers = [199, 200, 202, 299, 300, 500].map((status) => ({ status, ms: 1 }))
  expect(answers.map((answer) => isAcknowledged(answer, '200'))).toEqual([false, true, false, false, false, false])
  expect(answers.map((answer) => isAcknowledged(answer, '2xx'))).toEqual([false, true, true, true, false, false])
})

test('a dropped connection does not acknowledge, an open one has not ended', () => {
  expect(isAcknowledged({ status: null, ms: 12 }, '2xx')).toBe(false)
  expect(isAcknowledged({ status: null, ms: null }, '200')).toBeNull()
})

test('the rule is that of the named environment, and the interface’s own where there is none of the name', () => {
  const environments = [
    { name: 'strict', ack: '200' },
    { name: 'any', ack: '2xx' },
  ] as const
  expect(['strict', 'any', 'gone', null].map((name) => acknowledgementRule(environments, name))).toEqual([
    '200',
    '2xx',
    '200',
    '200',
  ])
})
