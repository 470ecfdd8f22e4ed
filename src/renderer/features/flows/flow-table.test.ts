import { expect, test } from 'vitest'
import { flowPlanOf, flowRunOf } from '../../../../test/support/model-values.ts'
import type { FlowRunSummary, FlowSummary } from '../../../shared/model/flow-run.ts'
import { flowTable, groupRows, isRunOf, resultWords, searchFlows } from './flow-table.ts'

const flow = (name: string, mode: 'test' | 'live' = 'test'): FlowSummary => ({
  ...flowPlanOf({ name, title: name, mode }),
  steps: 1,
})

const flows = ['stale', 'refund-partial', 'forged', 'purchase-visa'].map((name) => flow(name))

const local = { name: 'local', url: 'http://a' }
const withLocal = { series: null, handler: local }
const withNone = { series: null, handler: null }

/** Returns a run with the handler `local`. */
const run = (name: string, id: string, part: Partial<FlowRunSummary> = {}) =>
  flowRunOf({ id, flow: name, happened: `${name} ${id}`, handler: local.url, ...part })

test('a search matches every word, in any order', () => {
  expect(searchFlows(flows, 'visa  Purchase').map(({ name }) => name)).toEqual(['purchase-visa'])
  expect(searchFlows(flows, 'visa refund')).toEqual([])
})

test('failed flows come first, then passed, and those not run yet; each says what changed', () => {
  const runs = [
    run('stale', '6', { outcome: null, state: 'cancelled' }),
    run('stale', '5', { outcome: 'fail' }),
    run('refund-partial', '4', { outcome: 'fail' }),
    run('forged', '3'),
    run('forged', '2', { outcome: 'fail' }),
    run('stale', '1'),
  ]
  const rows = flowTable(flows, runs, withLocal)
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
    ['purchase-visa', 'not run', null, ''],
  ])
  expect(resultWords(rows, local)).toMatch(
    /^@local, .+: 2 of 3 flows failed, 1 regressed and 1 fixed since the last run\.$/,
  )
  expect(groupRows(rows).map((group) => [group.title, group.rows.length])).toEqual([
    ['Failed', 2],
    ['Passed', 1],
    ['Not run', 1],
  ])
})

test('live flows that were not run are named', () => {
  const rows = flowTable([flow('forged'), flow('sync', 'live')], [run('forged', '1')], withLocal)
  expect(groupRows(rows)[0]?.title).toBe('Not run, live mode')
  expect(resultWords(rows, local)).toMatch(/ passed\. 1 live flow not run\.$/)
})

test('results belong to a handler, by its name, or by its URL for a run of the command line', () => {
  const books = { name: 'books', url: 'http://b' }
  const runs = [
    run('stale', '3', { handlerName: 'local', outcome: 'fail' }),
    run('forged', '2', { outcome: 'fail' }),
    run('purchase-visa', '1', { handler: null }),
  ]
  const ran = (handler: typeof books | null) =>
    flowTable(flows, runs, { series: null, handler }).flatMap(({ runId }) => runId ?? [])
  expect([ran(local), ran(books), ran(null)]).toEqual([['3', '2'], [], ['1']])
  expect(resultWords(flowTable(flows, runs, { series: null, handler: books }), books)).toBe(
    'Not run with @books.',
  )
})

test('a run without a handler is not checked, never passed', () => {
  const rows = flowTable([flow('stale')], [run('stale', '1', { handler: null })], withNone)
  expect(rows[0]?.outcome.tone).toBe('neutral')
  expect(resultWords(rows, null)).toMatch(/^1 flow run, .+\. Not checked: no handler\.$/)
  expect(resultWords(flowTable(flows, [], withNone), null)).toBe('Not run.')
  const failed = [run('stale', '1', { handler: null, outcome: 'fail' })]
  expect(resultWords(flowTable(flows, failed, withNone), null)).toMatch(/: 1 of 1 flows failed\.$/)
})

test('a run is compared with the last one with the same handler, of the same flow and file', () => {
  const change = (...runs: readonly FlowRunSummary[]) =>
    flowTable([flow('stale')], runs, withLocal)[0]?.change
  const now = run('stale', '3', { outcome: 'fail' })
  expect(change(now, run('stale', '2', { handler: null }))).toBe(null)
  expect(change(now, run('stale', '2', { origin: 'stale.json' }))).toBe(null)
  expect(change(now, run('stale', '2', { handler: null }), run('stale', '1'))).toBe('regressed')
  expect(change(now, run('stale', '2', { outcome: 'fail' }))).toBe('still-failing')
  expect(change(run('stale', '2'), run('stale', '1'))).toBe('unchanged')
  // Without a handler, nobody says that a failure is fixed.
  const unchecked = [
    run('stale', '2', { handler: null }),
    run('stale', '1', { handler: null, outcome: 'fail' }),
  ]
  expect(flowTable([flow('stale')], unchecked, withNone)[0]?.change).toBe(null)
})

test('flows being run one after the other are in progress until they are over', () => {
  const series = { names: ['stale', 'forged', 'purchase-visa'], done: 1, isCancelled: false }
  const rows = flowTable(flows, [run('stale', '1')], { series, handler: local })
  expect(rows.map(({ flow: { name }, outcome }) => [name, outcome.word])).toEqual([
    ['forged', 'running'],
    ['purchase-visa', 'pending'],
    ['stale', 'passed'],
    ['refund-partial', 'not run'],
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
