import { expect, test } from 'vitest'
import { acknowledgementRule, isAcknowledged } from './environments.ts'

test('200 acknowledges; any 2xx does if the environment allows it', () => {
  const answers = [199, 200, 202, 299, 300, 500].map((status) => ({ status, ms: 1 }))
  expect(answers.map((answer) => isAcknowledged(answer, '200'))).toEqual([
    false,
    true,
    false,
    false,
    false,
    false,
  ])
  expect(answers.map((answer) => isAcknowledged(answer, '2xx'))).toEqual([
    false,
    true,
    true,
    true,
    false,
    false,
  ])
})

test("uses the rule of the named environment, or the spec's rule if it is unknown", () => {
  const environments = [
    { name: 'strict', ack: '200' },
    { name: 'any', ack: '2xx' },
  ] as const
  expect(
    ['strict', 'any', 'gone', null].map((name) => acknowledgementRule(environments, name)),
  ).toEqual(['200', '2xx', '200', '200'])
})
