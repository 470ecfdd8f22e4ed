import { expect, test } from 'vitest'
import { neededWords } from './shrink.ts'

test('required fields are known only after a complete search', () => {
  expect([neededWords('smallest', 'value'), neededWords('smallest', 'presence')]).toEqual([
    'needs this value',
    'must be present',
  ])
  for (const outcome of ['cancelled', 'limit', null] as const)
    expect(neededWords(outcome, 'value')).toBe('remaining')
})
