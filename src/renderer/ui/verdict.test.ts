import { expect, test } from 'vitest'
import { answerTone } from './verdict.tsx'

const answered = (status: number | null, ms: number | null = 3) => ({ status, ms })

test('an answer that acknowledges by the rule of its environment is quiet, and a success that does not is a warning', () => {
  expect([200, 202, 204].map((status) => answerTone(answered(status), '200'))).toEqual(['quiet', 'warn', 'warn'])
  expect([200, 202, 204].map((status) => answerTone(answered(status), '2xx'))).toEqual(['quiet', 'quiet', 'quiet'])
})

test('what fails under every rule is bad, and what is still open is quiet', () => {
  for (const rule of ['200', '2xx'] as const) {
    expect([answered(302), answered(500), answered(null)].map((answer) => answerTone(answer, rule))).toEqual([
      'bad',
      'bad',
      'bad',
    ])
    expect(answerTone(answered(null, null), rule)).toBe('quiet')
  }
})
