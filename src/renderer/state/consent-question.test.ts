import { expect, test } from 'vitest'
import { AppError, type ErrorCode } from '../../shared/contract/errors.ts'
import { questionOf } from './consent-question.ts'

const asked = (code: ErrorCode, details: unknown) => questionOf(new AppError(code, 'no', { details }))

test('a host is asked for by its name, and a name that leads nowhere as what it is', () => {
  const host = { about: 'host', host: 'a.example', requests: null }
  expect(asked('TARGET_NOT_ALLOWED', { host: 'a.example' })).toEqual({ ...host, hasAddress: true })
  expect(asked('TARGET_NOT_ALLOWED', { host: 'a.example', hasAddress: false })).toEqual({ ...host, hasAddress: false })
  expect(asked('TARGET_NOT_ALLOWED', { host: 'a.example', requests: 80 })).toMatchObject({ requests: 80 })
})

test('a refusal that asks nothing is no question', () => {
  expect(asked('TARGET_NOT_ALLOWED', null)).toBeNull()
  expect(asked('CONFIRMATION_REQUIRED', {})).toBeNull()
  expect(questionOf(new Error('no'))).toBeNull()
})
