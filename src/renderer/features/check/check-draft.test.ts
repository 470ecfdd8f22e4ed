import { expect, test } from 'vitest'
import type { Environment } from '../../../shared/model/environment.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { beginningOf, missingOf } from './check-draft.ts'

const draft = { ...beginningOf(null, [], [], []), target: 'http://127.0.0.1:3000/' }
const fieldsOf = (more: Partial<typeof draft>) => missingOf({ ...draft, ...more }).map(({ field }) => field)

test('a missing secret and an invalid rate are reported', () => {
  expect(fieldsOf({})).toEqual(['secret'])
  expect(fieldsOf({ secret: 's' })).toEqual([])
  expect(fieldsOf({ hookId: 'h' })).toEqual([])
  expect(fieldsOf({ secret: 's', rate: '' })).toEqual([])
  for (const rate of ['0', '-1', 'ten']) expect(fieldsOf({ secret: 's', rate })).toEqual(['rate'])
})

test('the form starts with a test hook; live hooks must be selected', () => {
  const hook = (id: string, environment: string) => ({ id, environment }) as Hook
  const environment = (name: string, mode: 'test' | 'live') => ({ name, mode }) as Environment
  const environments = [environment('production', 'live'), environment('staging', 'test')]
  const live = hook('a', 'production')
  const begun = (hooks: readonly Hook[]) => beginningOf(null, hooks, environments, []).hookId
  expect(begun([live, hook('b', 'staging')])).toBe('b')
  expect(begun([live])).toBe('')
  expect(begun([live, hook('c', 'gone')])).toBe('')
})
