import { expect, test } from 'vitest'
import { beginningOf, missingOf } from './check-draft.ts'

const draft = { ...beginningOf(null, [], []), target: 'http://127.0.0.1:3000/' }
const fieldsOf = (more: Partial<typeof draft>) => missingOf({ ...draft, ...more }).map(({ field }) => field)

test('a secret that is neither typed in nor of a hook is missing, and so is a rate that is none', () => {
  expect(fieldsOf({})).toEqual(['secret'])
  expect(fieldsOf({ secret: 's' })).toEqual([])
  expect(fieldsOf({ hookId: 'h' })).toEqual([])
  expect(fieldsOf({ secret: 's', rate: '' })).toEqual([])
  for (const rate of ['0', '-1', 'ten']) expect(fieldsOf({ secret: 's', rate })).toEqual(['rate'])
})
