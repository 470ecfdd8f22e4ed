import { expect, test } from 'vitest'
import type { CheckResult } from '../../../shared/model/check.ts'
import type { HandlerPage, HandlerProbe } from '../../../shared/model/handler.ts'
import {
  failureName,
  failureReasonOf,
  flowResults,
  groupResults,
  groupWords,
  hasFailures,
  isAutoProbed,
  reachabilityOf,
  skippedWords,
} from './handler-facts.ts'
import { linePath, scaleOf } from './chart-scale.ts'

const probe = (overrides: Partial<HandlerProbe>): HandlerProbe => ({
  reachable: true,
  at: '2026-11-23T14:00:00.000Z',
  ms: 3,
  errorKind: null,
  error: null,
  ...overrides,
})

test('an untested handler is neither reachable nor unreachable', () => {
  expect(reachabilityOf(probe({}))).toEqual({ tone: 'good', word: 'Reachable' })
  expect(reachabilityOf(probe({ reachable: false, errorKind: 'refused' }))).toEqual({
    tone: 'bad',
    word: 'Connection refused',
  })
  expect(reachabilityOf(null)).toEqual({ tone: 'neutral', word: 'Not tested' })
})

test('only handlers on this computer are probed without being asked', () => {
  const urls = [
    'http://localhost:3000/',
    'https://127.0.0.1:8443/x',
    'http://[::1]:1/',
    'http://192.168.1.2/',
    'https://a.example/',
  ]
  expect(urls.map((url) => isAutoProbed({ url }))).toEqual([true, true, true, false, false])
})

test('failures are named by status, or by what happened instead of a response', () => {
  expect(failureName({ status: 500, errorKind: null })).toBe('500')
  expect(failureName({ status: null, errorKind: 'timeout' })).toBe('Timeout')
  expect(failureName({ status: null, errorKind: null })).toBe('No response')
  expect(failureReasonOf({ status: 500, excerpt: 'card is null' })).toBe('card is null')
  expect(failureReasonOf({ status: 500, excerpt: '' })).toBe('Empty response')
  const refused = 'Connection refused at 127.0.0.1:9. Start your handler, or correct the port.'
  expect(failureReasonOf({ status: null, excerpt: refused })).toBe(
    'Connection refused at 127.0.0.1:9',
  )
  expect(failureReasonOf({ status: 200, excerpt: '' })).toBe('Accepted without a valid signature')
})

test('failures are in the last check, a flow or a delivery', () => {
  const page = (part: object) => ({ checks: [], flows: [], latest: [], ...part }) as never
  const failed = { failed: 1 }
  expect(
    [
      { checks: [failed] },
      { flows: [{ outcome: 'fail' }] },
      { latest: [{}] },
      { checks: [failed, { failed: 0 }] },
      { flows: [{ outcome: 'pass' }] },
    ].map((part) => hasFailures(page(part))),
  ).toEqual([true, true, true, false, false])
})

test('flows are given by outcome and title', () => {
  const flow = (title: string, outcome: 'pass' | 'fail') =>
    ({ title, outcome }) as HandlerPage['flows'][number]
  const { failed, passed } = flowResults([flow('c', 'pass'), flow('b', 'fail'), flow('a', 'fail')])
  expect([failed, passed].map((flows) => flows.map(({ title }) => title))).toEqual([
    ['a', 'b'],
    ['c'],
  ])
})

test('the axis of the chart ends at a round number above the highest value', () => {
  expect([154, 43, 0, 1, 0.4, 20_000].map((most) => scaleOf(most))).toEqual([
    { top: 200, step: 50 },
    { top: 60, step: 20 },
    { top: 1, step: 0.5 },
    { top: 1, step: 0.5 },
    { top: 1, step: 0.5 },
    { top: 20_000, step: 5_000 },
  ])
})

test('a line breaks at minutes without responses, and a single minute is a dot', () => {
  const path = linePath(
    [1, 2, null, 3],
    (index) => index * 10,
    (value) => value,
  )
  expect(path).toBe('M0.0 1.0L10.0 2.0M30.0 3.0h0')
})

test('the groups of a check with failures come first, and skipped cases count for nothing', () => {
  const results = [
    { group: 'time', outcome: 'pass' },
    { group: 'forged', outcome: 'pass' },
    { group: 'forged', outcome: 'fail' },
    { group: 'speed', outcome: 'skip' },
  ] as const
  expect(groupResults(results)).toEqual([
    { group: 'forged', cases: [results[1], results[2]], failed: [results[2]] },
    { group: 'time', cases: [results[0]], failed: [] },
  ])
})

test('inconclusive cases are counted apart from skipped ones', () => {
  const inconclusive = { outcome: 'skip', warning: null, exchanges: [{}] } as CheckResult
  const skipped = { ...inconclusive, exchanges: [] }
  expect(skippedWords({ results: [inconclusive, skipped, skipped], skipped: 3 })).toBe(
    '2 skipped, 1 inconclusive',
  )
  expect(skippedWords({ results: [], skipped: 0 })).toBe('0 skipped')
  expect([groupWords(3, 7), groupWords(0, 7)]).toEqual(['3 failed of 7', '7 passed'])
})
