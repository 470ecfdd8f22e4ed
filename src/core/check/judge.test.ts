import { expect, test } from 'vitest'
import type { CheckAnswer, CheckResult } from '../../shared/model/check.ts'
import { checkCases } from './cases.ts'
import { conclude } from './judge.ts'
import { wordsOf } from './run-cases.ts'

/** All cases with these responses: the named ones failed, the others passed. */
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
    const sent = {
      label: 'delivery',
      method: 'POST',
      url: '',
      signedUrl: '',
      headers: [],
      body: '',
      bodySize: 0,
    }
    const outcome = got === undefined ? 'pass' : 'fail'
    const exchanges = [{ sent, got: answer }]
    return {
      ...wordsOf(one),
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

test("an untrusted certificate is distinguished from an endpoint that doesn't respond", () => {
  const none = { status: null, error: 'Why.' }
  expect(
    conclude(results({ 'first-delivery': { ...none, errorKind: 'refused' } }), '200'),
  ).toMatchObject([
    {
      cause: 'unreachable',
      message: expect.stringContaining("Couldn't connect") as string,
      fix: 'Why.',
    },
  ])
  expect(
    conclude(results({ 'first-delivery': { ...none, errorKind: 'certificate' } }), '200'),
  ).toMatchObject([
    {
      cause: 'unreachable',
      message: expect.stringContaining("certificate isn't trusted") as string,
    },
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

test("an unreadable response isn't reported as no response", () => {
  for (const errorKind of ['not-http', 'dropped'] as const)
    expect(
      conclude(results({ 'first-delivery': { status: null, error: 'Why.', errorKind } }), '200'),
    ).toMatchObject([
      {
        cause: 'unreadable',
        message: expect.stringContaining("response can't be read") as string,
        fix: 'Why.',
      },
    ])
})
