import { expect, test } from 'vitest'
import { answerTone } from './verdict.tsx'

const answered = (status: number | null, ms: number | null = 3) => ({ status, ms })

test('a response that acknowledges in its environment is quiet; any other 2xx is a warning', () => {
  expect([200, 202, 204].map((status) => answerTone(answered(status), '200'))).toEqual(['quiet', 'warn', 'warn'])
  expect([200, 202, 204].map((status) => answerTone(answered(status), '2xx'))).toEqual(['quiet', 'quiet', 'quiet'])
})

test('a response that fails by every rule is bad; an open one is quiet', () => {
  for (const rule of ['200', '2xx'] as const) {
    expect([answered(302), answered(500), answered(null)].map((answer) => answerTone(answer, rule))).toEqual([
      'bad',
      'bad',
      'bad',
    ])
    expect(answerTone(answered(null, null), rule)).toBe('quiet')
  }
})
