import { expect, test } from 'vitest'
import { checkExchange } from '../../../../test/support/check-handlers.ts'
import type { CheckResult } from '../../../shared/model/check.ts'
import {
  caseGroups,
  failuresFirst,
  foldSkipped,
  foldWords,
  isCertificateObstacle,
} from './check-cases.ts'

const SILENT = "Skipped: your handler didn't respond to the first delivery."
const sent = checkExchange({ status: null, errorKind: 'certificate', error: 'Why.' })

function result(name: string, overrides: Partial<CheckResult>): CheckResult {
  const words = { title: name, sends: '', expected: '', why: '', fix: '', section: '5' } as const
  const judged = {
    message: '',
    warning: null,
    exchanges: [],
    decisive: null,
  } as const
  return {
    name,
    group: 'valid',
    severity: 'major',
    outcome: 'pass',
    ...words,
    ...judged,
    exchanges: [],
    ...overrides,
  }
}

const entries = (results: readonly CheckResult[]) =>
  results.map((result) => ({ checkCase: result, result }))

test("cases skipped because the endpoint didn't respond share one line; other skipped cases stay separate", () => {
  const silent = ['b', 'c', 'd', 'e'].map((name) =>
    result(name, { outcome: 'skip', message: SILENT }),
  )
  const other = result('f', {
    outcome: 'skip',
    message: 'Skipped: this endpoint only receives transaction.auth.',
  })
  const { rest, folds } = foldSkipped([
    ...entries([result('a', { outcome: 'fail' }), ...silent, other]),
  ])
  expect(rest.map(({ checkCase }) => checkCase.name)).toEqual(['a', 'f'])
  expect(folds.map(foldWords)).toEqual([
    "4 cases skipped: your handler didn't respond to the first delivery.",
  ])
})

test('a few skipped cases, pending cases and inconclusive ones are not grouped', () => {
  const few = ['a', 'b', 'c'].map((name) => result(name, { outcome: 'skip', message: SILENT }))
  const proofless = ['d', 'e', 'f', 'g'].map((name) =>
    result(name, { outcome: 'skip', message: 'It was refused.', exchanges: [sent] }),
  )
  const waiting = ['h', 'i', 'j', 'k'].map((name) => ({
    checkCase: result(name, {}),
    result: null,
  }))
  const all = [...entries([...few, ...proofless]), ...waiting]
  expect(foldSkipped(all)).toEqual({ rest: all, folds: [] })
})

test('groups with failures come first, and so do failures in a group', () => {
  const all = entries([
    result('a', {}),
    result('b', { group: 'time' }),
    result('c', { group: 'time', outcome: 'fail' }),
  ])
  const names = caseGroups(failuresFirst(all)).flatMap(([, cases]) => cases)
  expect(names.map(({ checkCase }) => checkCase.name)).toEqual(['c', 'b', 'a'])
})

test('an invalid certificate differs from an unreachable endpoint', () => {
  const first = (errorKind: 'certificate' | 'refused') =>
    result('first-delivery', {
      outcome: 'fail',
      exchanges: [{ ...sent, got: { ...sent.got, errorKind } }],
    })
  expect(isCertificateObstacle({ results: [first('certificate')] })).toBe(true)
  expect(isCertificateObstacle({ results: [first('refused')] })).toBe(false)
  expect(isCertificateObstacle({ results: [] })).toBe(false)
})
