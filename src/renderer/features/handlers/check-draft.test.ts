import { expect, test } from 'vitest'
import type { Environment } from '../../../shared/model/environment.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import type { CheckRun } from '../../../shared/model/check.ts'
import { beginningOf, checkInput, missingOf } from './check-draft.ts'

const draft = { ...beginningOf(null, [], [], [], []), target: 'http://127.0.0.1:3000/' }
const fieldsOf = (more: Partial<typeof draft>) =>
  missingOf({ ...draft, ...more }, false).map(({ field }) => field)

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
  const begun = (hooks: readonly Hook[]) => beginningOf(null, [], hooks, environments, []).hookId
  expect(begun([live, hook('b', 'staging')])).toBe('b')
  expect(begun([live])).toBe('')
  expect(begun([live, hook('c', 'gone')])).toBe('')
})

const local = {
  id: 'h',
  name: 'local',
  url: 'http://localhost:3000/in',
  hasSecret: true,
  current: true,
} as SavedHandler

test('a check begins with the current handler, or with the saved one that was checked last', () => {
  const staging = {
    ...local,
    id: 's',
    name: 'staging',
    url: 'https://staging.example/in',
    current: false,
  }
  const last = (target: string) =>
    ({
      target,
      registeredUrl: target,
      rate: 10,
      results: [],
      waiting: [],
    }) as Partial<CheckRun> as CheckRun
  const targetOf = (run: CheckRun | null) => beginningOf(run, [local, staging], [], [], []).target
  expect(targetOf(null)).toBe('@local')
  expect([targetOf(last(staging.url)), targetOf(last('http://127.0.0.1:9/'))]).toEqual([
    '@staging',
    'http://127.0.0.1:9/',
  ])
})

test("a saved handler's secret and registered URL aren't sent: the core adds them", () => {
  const typed = {
    ...draft,
    target: '@local',
    secret: 'typed before',
    registeredUrl: 'https://other.example/',
  }
  expect(checkInput(typed, local, null, [])).toMatchObject({
    target: '@local',
    registeredUrl: null,
  })
  expect(checkInput(typed, local, null, [])).not.toHaveProperty('secret')
  expect(checkInput(typed, { ...local, hasSecret: false }, null, [])).toMatchObject({
    secret: 'typed before',
  })
  expect(missingOf({ ...draft, target: '@local' }, true)).toEqual([])
})
