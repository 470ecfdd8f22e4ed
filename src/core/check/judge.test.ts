import { expect, test } from 'vitest'
import { checkExchange } from '../../../test/support/check-handlers.ts'
import type { CheckAnswer, CheckResult } from '../../shared/model/check.ts'
import { checkCases } from './cases.ts'
import { conclude } from './conclusions.ts'
import { caseTexts } from './run-cases.ts'

/** Returns results of all cases: the named ones failed with these responses, the others passed. */
function results(failed: Readonly<Record<string, Partial<CheckAnswer>>>): CheckResult[] {
  return checkCases.map((one) => {
    const got = failed[one.name]
    const answer = { status: one.expectedResponse === 'refuse' ? 401 : 200, ...got }
    const outcome = got === undefined ? 'pass' : 'fail'
    const exchanges = [checkExchange(answer)]
    return {
      ...caseTexts(one),
      outcome,
      message: '',
      warning: null,
      exchanges,
      decisive: 0,
    }
  })
}

const causes = (failed: Parameters<typeof results>[0]) =>
  conclude(results(failed), '200').map(({ cause }) => cause)

test("a handler that rejects the delivery sent in two halves didn't respond too early", () => {
  expect(causes({ 'answers-after-reading': { status: 401 } })).toEqual([])
  expect(causes({ 'answers-after-reading': { status: 401, early: true } })).toEqual([])
  expect(causes({ 'answers-after-reading': { status: 200, early: true } })).toEqual([
    'answers-first',
  ])
})

test("a handler that parses the timestamp but ignores its age doesn't check the timestamp", () => {
  const taken = { status: 200 }
  expect(causes({ stale: taken, future: taken, seconds: taken })).toEqual(['no-time'])
  expect(causes({ stale: taken, future: taken, seconds: taken, 'no-number': taken })).toEqual([
    'no-time',
  ])
  expect(causes({ future: taken, 'no-number': taken })).toEqual([])
})

test.each([
  ['refused', 'unreachable', "Couldn't connect"],
  ['certificate', 'unreachable', "certificate isn't trusted"],
  ['not-http', 'unreadable', "response can't be read"],
  ['dropped', 'unreadable', "response can't be read"],
] as const)('without a response, the failure %s makes the target %s', (errorKind, cause, says) => {
  const silent = { status: null, error: 'Why.', errorKind }
  expect(conclude(results({ 'first-delivery': silent }), '200')).toMatchObject([
    { cause, message: expect.stringContaining(says), fix: 'Why.' },
  ])
})

test("a handler that returns 500 for invalid or old signatures isn't said to accept them", () => {
  const everyOf = (group: string, status: number) =>
    Object.fromEntries(
      checkCases.flatMap((one) => (one.group === group ? [[one.name, { status }]] : [])),
    )
  expect(causes(everyOf('forged', 200))).toEqual(['no-check'])
  expect(causes(everyOf('forged', 500))).toEqual([])
  expect(causes(everyOf('time', 200))).toEqual(['no-time'])
  expect(causes(everyOf('time', 500))).toEqual([])
})

test("a handler that accepts forged deliveries or rejects plain ones isn't said to re-serialize the body or ignore the timestamp", () => {
  const [refused, taken] = [{ status: 401 }, { status: 200 }]
  const byBytes = { escapes: refused, numbers: refused, layout: refused }
  const byTime = { stale: taken, future: taken, seconds: taken }
  expect(causes({ ...byBytes, ...byTime })).toEqual(['no-time', 'reserialised'])
  expect(causes({ ...byBytes, ...byTime, 'altered-body': taken })).toEqual([])
  expect(causes({ ...byBytes, ...byTime, 'in-time': refused })).toEqual(['unsteady'])
})
