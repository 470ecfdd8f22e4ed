import { expect, test } from 'vitest'
import { AppError, type ErrorCode } from '../../shared/contract/errors.ts'
import { questionOf } from './consent-question.ts'

const asked = (code: ErrorCode, details: unknown) =>
  questionOf(new AppError(code, 'no', { details }))

test("a host is confirmed by name, and one that doesn't resolve says so", () => {
  const host = { about: 'host', host: 'a.example', requests: null }
  expect(asked('TARGET_NOT_ALLOWED', { host: 'a.example' })).toEqual({ ...host, hasAddress: true })
  expect(asked('TARGET_NOT_ALLOWED', { host: 'a.example', hasAddress: false })).toEqual({
    ...host,
    hasAddress: false,
  })
  expect(asked('TARGET_NOT_ALLOWED', { host: 'a.example', requests: 80 })).toMatchObject({
    requests: 80,
  })
})

test('several live environments are confirmed by all their names', () => {
  const environments = ['production', 'sandbox-live', 'staging']
  expect(asked('CONFIRMATION_REQUIRED', { environment: 'all', environments })).toEqual({
    about: 'live',
    environments,
  })
  expect(asked('CONFIRMATION_REQUIRED', { environment: 'production' })).toEqual({
    about: 'live',
    environments: ['production'],
  })
})

test('other errors ask no question', () => {
  expect(asked('TARGET_NOT_ALLOWED', null)).toBeNull()
  expect(asked('CONFIRMATION_REQUIRED', {})).toBeNull()
  expect(questionOf(new Error('no'))).toBeNull()
})
