import { expect, test } from 'vitest'
import { neededWords } from './shrink.ts'

test('only a search that came to its end says which fields are needed', () => {
  expect([neededWords('smallest', 'value'), neededWords('smallest', 'presence')]).toEqual(['needs this value', 'has to be there'])
  for (const outcome of ['cancelled', 'limit', null] as const) expect(neededWords(outcome, 'value')).toBe('still there')
})
