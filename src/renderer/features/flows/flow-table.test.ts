import { expect, test } from 'vitest'
import { flowPlanOf, flowRunOf } from '../../../../test/support/model-values.ts'
import type { FlowRunSummary, FlowSummary } from '../../../shared/model/flow-run.ts'
import { flowTable, isRunOf, resultWords, searchFlows } from './flow-table.ts'

const flow = (name: string, mode: 'test' | 'live' = 'test'): FlowSummary => ({
  ...flowPlanOf({ name, title: name, mode }),
  steps: 1,
})

const flows = ['stale', 'refund-partial', 'forged', 'purchase-visa'].map((name) => flow(name))

const run = (name: string, id: string, part: Partial<FlowRunSummary> = {}) =>
  flowRunOf({ id, flow: name, happened: `${name} ${id}`, ...part })

test('a search matches every word, in any order', () => {
  expect(searchFlows(flows, 'visa  Purchase').map(({ name }) => name)).toEqual(['purchase-visa'])
  expect(searchFlows(flows, 'visa refund')).toEqual([])
})

test('failed flows come first, then passed, and those not run yet; each says what changed', () => {
  const runs = [
    run('stale', '6', { outcome: null, state: 'cancelled' }),
    run('stale', '5', { outcome: 'fail' }),
    run('refund-partial', '4', { outcome: 'fail' }),
    run('forged', '3', { handler: 'http://a' }),
    run('forged', '2', { handler: 'http://a', outcome: 'fail' }),
    run('stale', '1'),
  ]
  const rows = flowTable(flows, runs, null)
  expect(
    rows.map(({ flow: { name }, outcome, change, happened }) => [
      name,
      outcome.word,
      change,
      happened,
    ]),
  ).toEqual([
    ['stale', 'failed', 'regressed', 'stale 5'],
    ['refund-partial', 'failed', null, 'refund-partial 4'],
    ['forged', 'passed', 'fixed', 'forged 3'],
    ['purchase-visa', 'not run yet', null, ''],
  ])
  expect(resultWords(rows)).toBe('2 of 3 flows failed, 1 regressed and 1 fixed since the last run.')
})

test('a run without a handler is not checked, never passed', () => {
  const rows = flowTable([flow('stale')], [run('stale', '1', { handler: null })], null)
  expect([rows[0]?.outcome.tone, resultWords(rows)]).toEqual([
    'neutral',
    'Not checked: no handler.',
  ])
  expect(resultWords(flowTable(flows, [], null))).toBe('Not run yet.')
})

test('a run is compared with the last one against the same handler, of the same flow and file', () => {
  const at = (handler: string | null) => ({ handler })
  const change = (...runs: readonly FlowRunSummary[]) =>
    flowTable([flow('stale')], runs, null)[0]?.change
  const now = run('stale', '3', { ...at('http://a'), outcome: 'fail' })
  expect(change(now, run('stale', '2', at(null)))).toBe(null)
  expect(change(now, run('stale', '2', { ...at('http://a'), origin: 'stale.json' }))).toBe(null)
  expect(change(now, run('stale', '2', at(null)), run('stale', '1', at('http://a')))).toBe(
    'regressed',
  )
  expect(change(now, run('stale', '2', { ...at('http://a'), outcome: 'fail' }))).toBe(
    'still-failing',
  )
  expect(change(run('stale', '2'), run('stale', '1'))).toBe('unchanged')
  // Without a handler, nobody says that a failure is fixed.
  const unchecked = run('stale', '1', { ...at(null), outcome: 'fail' })
  expect(change(run('stale', '2', at(null)), unchecked)).toBe(null)
})

test('flows being run one after the other are in progress until they are over', () => {
  const series = { names: ['stale', 'forged', 'purchase-visa'], done: 1, isCancelled: false }
  const rows = flowTable(flows, [run('stale', '1', { handler: 'http://a' })], series)
  expect(rows.map(({ flow: { name }, outcome }) => [name, outcome.word])).toEqual([
    ['forged', 'running'],
    ['purchase-visa', 'pending'],
    ['stale', 'passed'],
    ['refund-partial', 'not run yet'],
  ])
})

const runFrom = (origin: string | null) => ({ flow: 'purchase-visa', origin })

test('a file named like a built-in flow has its own runs, wherever they were started', () => {
  const builtIn = { name: 'purchase-visa', origin: null }
  const own = { name: 'purchase-visa', origin: 'mine.json' }
  expect([isRunOf(builtIn, runFrom(null)), isRunOf(builtIn, runFrom('/work/mine.json'))]).toEqual([
    true,
    false,
  ])
  expect([
    isRunOf(own, runFrom('/work/mine.json')),
    isRunOf(own, runFrom('C:\\work\\mine.json')),
    isRunOf(own, runFrom('mine.json')),
  ]).toEqual([true, true, true])
  expect([isRunOf(own, runFrom(null)), isRunOf(own, runFrom('/work/other.json'))]).toEqual([
    false,
    false,
  ])
  expect(isRunOf({ name: 'other', origin: 'mine.json' }, runFrom('mine.json'))).toBe(false)
})
