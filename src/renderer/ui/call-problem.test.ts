import { expect, test } from 'vitest'
import { AppError } from '../../shared/contract/errors.ts'
import { settleCall, problemOf } from './call-problem.ts'

test('findings about a rejected hook keep field, rule and section', () => {
  const finding = { rule: 'url-https', section: '2.1', field: 'url', message: 'Only HTTPS.' }
  expect(
    problemOf(new AppError('INVALID_HOOK', 'One thing.', { details: [finding, 'noise', null] }))
      .findings,
  ).toEqual([finding])
})

test('invalid input becomes a finding at each field in its details', () => {
  const details = [{ field: 'name', message: 'Letters, digits: no more' }]
  const { findings } = problemOf(
    new AppError('INVALID_INPUT', 'The name does not fit.', { details }),
  )
  expect(findings).toEqual([
    { field: 'name', message: 'Letters, digits: no more', rule: '', section: '' },
  ])
})

test("the service's response and the request are kept unchanged", () => {
  const sent = {
    method: 'POST',
    url: 'https://api.test/v1/hooks',
    headers: [['a', 'b'], 'noise'],
    body: { event: 'x' },
  }
  const refused = new AppError('SERVICE_REFUSED', 'Refused.', {
    details: { status: 422, body: '{"no":1}', sent },
  })
  expect(problemOf(refused).exchange).toEqual({
    status: 422,
    body: '{"no":1}',
    sent: { ...sent, headers: [['a', 'b']] },
  })
  const silent = new AppError('SERVICE_TIMEOUT', 'Silence.', { details: { kind: 'timeout', sent } })
  expect(problemOf(silent).exchange).toMatchObject({ status: null, body: null })
})

test('any other error is a message only', async () => {
  expect(await settleCall(Promise.reject(new AppError('NOT_FOUND', 'There is none.')))).toEqual({
    ok: false,
    problem: { code: 'NOT_FOUND', message: 'There is none.', findings: [], exchange: null },
  })
  expect(await settleCall(Promise.resolve(3))).toEqual({ ok: true, value: 3 })
})

test('an error may name the field it concerns', () => {
  const taken = new AppError('INVALID_ENVIRONMENT', 'There is one already.', {
    details: { field: 'name' },
  })
  expect(problemOf(taken).findings).toEqual([
    { field: 'name', message: 'There is one already.', rule: '', section: '' },
  ])
})
