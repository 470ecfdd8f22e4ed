import { expect, test } from 'vitest'
import type { HandlerPage, HandlerProbe } from '../../../shared/model/handler.ts'
import {
  failureName,
  flowResults,
  groupResults,
  isProbedAlone,
  reachabilityOf,
  shareOf,
  someNames,
} from './handler-facts.ts'
import { endLabels, linePath, scaleOf, singleMinutes } from './response-chart.tsx'

const NOW = Date.parse('2026-11-23T14:00:12.000Z')
const probe = (more: Partial<HandlerProbe>): HandlerProbe => ({
  reachable: true,
  at: '2026-11-23T14:00:00.000Z',
  ms: 3,
  errorKind: null,
  error: null,
  ...more,
})

test('a connection test is given with its age, and an untested handler is neither reachable nor unreachable', () => {
  expect(reachabilityOf(probe({}), NOW)).toEqual({
    tone: 'good',
    word: 'Reachable',
    note: 'Connected in 3.0 ms, 12 s ago',
  })
  expect(reachabilityOf(probe({ reachable: false, errorKind: 'refused' }), NOW)).toEqual({
    tone: 'bad',
    word: 'Connection refused',
    note: 'Tested 12 s ago',
  })
  expect(reachabilityOf(null, NOW)).toEqual({ tone: 'neutral', word: 'Not tested', note: '' })
})

test('only handlers on this computer are probed without being asked', () => {
  const urls = [
    'http://localhost:3000/',
    'https://127.0.0.1:8443/x',
    'http://[::1]:1/',
    'http://192.168.1.2/',
    'https://a.example/',
  ]
  expect(urls.map((url) => isProbedAlone({ url }))).toEqual([true, true, true, false, false])
})

test('failures are named by status, or by what happened instead of a response', () => {
  expect(failureName({ status: 500, errorKind: null })).toBe('500')
  expect(failureName({ status: null, errorKind: 'timeout' })).toBe('Timeout')
  expect(failureName({ status: null, errorKind: null })).toBe('No response')
})

test('a share of failures never rounds to none or all', () => {
  expect([shareOf(9, 1_284), shareOf(1, 100_000), shareOf(99_999, 100_000), shareOf(4, 4)]).toEqual(
    ['0.7%', '0.1%', '99.9%', '100%'],
  )
})

test('failed flows come first, by title', () => {
  const flow = (title: string, outcome: 'pass' | 'fail') =>
    ({ title, outcome }) as HandlerPage['flows'][number]
  const { failed, passed } = flowResults([flow('c', 'pass'), flow('b', 'fail'), flow('a', 'fail')])
  expect([failed, passed].map((flows) => flows.map(({ title }) => title))).toEqual([
    ['a', 'b'],
    ['c'],
  ])
  expect([someNames(['a', 'b'], 2), someNames(['a', 'b', 'c', 'd'], 2)]).toEqual([
    'a and b',
    'a, b, and 2 more',
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
  expect(path).toBe('M0.0 1.0L10.0 2.0M30.0 3.0')
  expect(singleMinutes([1, 2, null, 3])).toEqual([3])
})

test('the labels at the end of the lines never touch', () => {
  expect(endLabels([20, 100])).toEqual([20, 100])
  expect(endLabels([100, 104])).toEqual([94, 110])
  expect(endLabels([186, 187])).toEqual([172, 188])
  expect(endLabels([null, 50])).toEqual([null, 50])
})

test('the groups of a check count the passed and the failed cases, not the skipped ones', () => {
  const results = [
    { group: 'forged', outcome: 'pass' },
    { group: 'forged', outcome: 'fail' },
    { group: 'time', outcome: 'pass' },
    { group: 'speed', outcome: 'skip' },
  ] as const
  expect(groupResults(results)).toEqual([
    { group: 'forged', passed: 1, failed: 1 },
    { group: 'time', passed: 1, failed: 0 },
  ])
})
