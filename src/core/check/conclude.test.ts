import { expect, test } from 'vitest'
import type { CheckAnswer, CheckResult } from '../../shared/model/check.ts'
import { checkCases } from './cases/all.ts'
import { conclude } from './conclude.ts'
import { wordsOf } from './run-check.ts'

/** All cases as they came: those that are named failed with that answer, the others passed. */
function results(failed: Readonly<Record<string, Partial<CheckAnswer>>>): CheckResult[] {
  return checkCases.map((one) => {
    const got = failed[one.name]
    const answer = {
      status: one.wanted === 'refuse' ? 401 : 200,
      ms: 3,
      errorKind: null,
      error: null,
      headers: [],
      body: '',
      early: false,
      ...got,
    }
    const sent = { label: 'delivery', method: 'POST', url: '', signedUrl: '', headers: [], body: '', bodySize: 0 }
    const outcome = got === undefined ? 'pass' : 'fail'
    const exchanges = [{ sent, got: answer }]
    return { ...wordsOf(one), outcome, message: '', warning: null, finding: null, crash: null, exchanges, decisive: 0 }
  })
}

const causes = (failed: Parameters<typeof results>[0]) => conclude(results(failed)).map(({ cause }) => cause)

test('who refuses the delivery that came in two halves did not answer it too early', () => {
  expect(causes({ 'answers-after-reading': { status: 401 } })).toEqual([])
  expect(causes({ 'answers-after-reading': { status: 401, early: true } })).toEqual([])
  expect(causes({ 'answers-after-reading': { status: 200, early: true } })).toEqual(['answers-first'])
})

test('who parses the timestamp, and does not look at its age, does not look at the time', () => {
  const taken = { status: 200 }
  expect(causes({ stale: taken, future: taken, seconds: taken })).toEqual(['no-time'])
  expect(causes({ stale: taken, future: taken, seconds: taken, 'no-number': taken })).toEqual(['no-time'])
  expect(causes({ future: taken, 'no-number': taken })).toEqual([])
})

test('a certificate that does not verify is told from an endpoint that does not answer', () => {
  const none = { status: null, error: 'Why.' }
  expect(conclude(results({ 'first-delivery': { ...none, errorKind: 'refused' } }))).toMatchObject([
    { cause: 'unreachable', message: expect.stringContaining("Couldn't connect") as string, fix: 'Why.' },
  ])
  expect(conclude(results({ 'first-delivery': { ...none, errorKind: 'certificate' } }))).toMatchObject([
    { cause: 'unreachable', message: expect.stringContaining("certificate isn't trusted") as string },
  ])
})

test('who answers 500 where a signature is wrong, or old, is not said to accept it', () => {
  const everyOf = (group: string, status: number) =>
    Object.fromEntries(checkCases.flatMap((one) => (one.group === group ? [[one.name, { status }]] : [])))
  expect(causes(everyOf('forged', 200))).toEqual(['no-check'])
  expect(causes(everyOf('forged', 500))).toEqual([])
  expect(causes(everyOf('time', 200))).toEqual(['no-time'])
  expect(causes(everyOf('time', 500))).toEqual([])
})

test('who takes what is forged, or refuses what is plain, is not said to write the body again, nor to ignore the time', () => {
  const [refused, taken] = [{ status: 401 }, { status: 200 }]
  const byBytes = { escapes: refused, layout: refused }
  const byTime = { stale: taken, future: taken, seconds: taken }
  expect(causes({ ...byBytes, ...byTime })).toEqual(['no-time', 'reserialised'])
  expect(causes({ ...byBytes, ...byTime, 'altered-body': taken })).toEqual([])
  expect(causes({ ...byBytes, ...byTime, 'in-time': refused })).toEqual([])
})

test('a target whose answer cannot be read is not said to have answered nothing', () => {
  for (const errorKind of ['not-http', 'dropped'] as const)
    expect(conclude(results({ 'first-delivery': { status: null, error: 'Why.', errorKind } }))).toMatchObject([
      { cause: 'unreadable', message: expect.stringContaining("response can't be read") as string, fix: 'Why.' },
    ])
})
