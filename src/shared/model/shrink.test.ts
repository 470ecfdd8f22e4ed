import { expect, test } from 'vitest'
import { neededWords } from './shrink.ts'

test('required fields are known only after a complete search', () => {
  const words = (['value', 'presence', 'schema'] as const).map((needed) =>
    neededWords('smallest', needed),
  )
  expect(words).toEqual(['needs this value', 'must be present', 'must be present, valid'])
  for (const outcome of ['cancelled', 'limit', null] as const)
    expect(neededWords(outcome, 'value')).toBe('remaining')
})
