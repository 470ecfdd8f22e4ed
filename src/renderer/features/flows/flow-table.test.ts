import { expect, test } from 'vitest'
import type {
  FlowGroup,
  FlowGroupRow,
  FlowRunSummary,
  FlowSummary,
} from '../../../shared/model/flow-run.ts'
import { flowSections, flowTable, searchFlows } from './flow-table.ts'

function flow(name: string): FlowSummary {
  return {
    name,
    title: name,
    about: null,
    sections: [],
    mode: 'test',
    steps: 1,
    sandboxOnly: null,
    builtIn: true,
    inputs: [],
  }
}

const flows = [flow('stale'), flow('refund-partial'), flow('forged'), flow('purchase-visa')]

function row(name: string, change: Partial<FlowGroupRow>): FlowGroupRow {
  return {
    ...{
      flow: name,
      title: name,
      mode: 'test',
      state: 'done',
      outcome: 'pass',
      runId: `run-${name}`,
      happened: '',
      rules: [],
    },
    ...{ counts: { passed: 1, failed: 0, skipped: 0 }, ms: 5, isUnreachable: false, isKept: false },
    ...change,
  }
}

function group(
  number: number,
  rows: readonly FlowGroupRow[],
  change: Partial<FlowGroup> = {},
): FlowGroup {
  return {
    ...{
      id: `group-${number}`,
      number,
      startedAt: `2026-11-2${number}T10:00:00.000Z`,
      endedAt: `2026-11-2${number}T10:01:00.000Z`,
    },
    ...{ state: 'done', speed: 'max', handler: null, handlerName: null, set: {}, rows: [...rows] },
    ...change,
  }
}

const run = (name: string, startedAt: string): FlowRunSummary => ({
  ...{
    id: 'own',
    flow: name,
    origin: null,
    title: name,
    environment: 'sandbox-test',
    mode: 'test',
    target: 'sandbox',
  },
  ...{
    speed: 'max',
    handler: null,
    handlerName: null,
    set: {},
    startedAt,
    endedAt: startedAt,
    state: 'done',
    outcome: 'pass',
  },
  summary: '1 step passed.',
})

test('a search matches every word, in any order', () => {
  expect(searchFlows(flows, 'visa  Purchase').map(({ name }) => name)).toEqual(['purchase-visa'])
  expect(searchFlows(flows, 'visa refund')).toEqual([])
})

test('failed flows come first, then skipped, passed, and those not run yet; each says what changed', () => {
  const before = group(1, [
    row('stale', {}),
    row('refund-partial', { outcome: 'skip' }),
    row('forged', { outcome: 'fail' }),
  ])
  const after = group(2, [
    row('stale', { outcome: 'fail' }),
    row('refund-partial', { outcome: 'fail' }),
    row('forged', {}),
    row('purchase-visa', { outcome: null, runId: null }),
  ])
  const sections = flowSections(flowTable(flows, [after, before], before, []))
  expect(
    sections.map(({ title, rows }) => [
      title,
      rows.map(({ flow: { name }, change }) => [name, change]),
    ]),
  ).toEqual([
    [
      'Failed',
      [
        ['stale', 'regressed'],
        ['refund-partial', 'skipped'],
      ],
    ],
    ['Passed', [['forged', 'fixed']]],
    ['Not run yet', [['purchase-visa', null]]],
  ])
})

test('while a group runs, its flows are in progress and show no earlier counts', () => {
  const running = group(
    1,
    [
      row('stale', { state: 'running', outcome: null }),
      row('forged', { state: 'waiting', outcome: null }),
    ],
    {
      state: 'running',
      endedAt: null,
    },
  )
  const rows = flowTable([flow('stale'), flow('forged')], [running], undefined, [])
  expect(rows.map(({ status, counts }) => [status, counts])).toEqual([
    ['running', null],
    ['pending', null],
  ])
  expect(flowSections(rows).map(({ title }) => title)).toEqual(['In progress'])
})

test("a flow's own run replaces its result only if it is newer than the group", () => {
  const last = group(2, [row('stale', { outcome: 'fail' })])
  const status = (startedAt: string) =>
    flowTable([flow('stale')], [last], undefined, [run('stale', startedAt)])[0]?.status
  expect(status('2026-11-22T09:00:00.000Z')).toBe('fail')
  expect(status('2026-11-22T10:02:00.000Z')).toBe('pass')
  // Without any group, the last run counts.
  expect(
    flowTable([flow('stale')], [], undefined, [run('stale', '2026-11-20T10:00:00.000Z')])[0]
      ?.status,
  ).toBe('pass')
})
