/** Groups of runs: all built-in flows as one, compared, repeated, cancelled and reported. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  rightAnswer,
  startFlowFixture,
  startHandler,
  type FlowFixture,
  withSecret,
} from '../../../test/support/flow-fixture.ts'
import { flowCommands } from '../../shared/contract/nouns/flows.ts'
import type { InputOf } from '../../shared/contract/contract.ts'
import type { AppError } from '../../shared/contract/errors.ts'
import type { FlowGroup } from '../../shared/model/flow-run.ts'
import {
  flowChangeWords,
  groupChanges,
  groupWords,
  lookOfGroup,
} from '../../shared/model/outcomes.ts'
import { builtInFlows } from './built-in/index.ts'
import { reportGroup } from './reports.ts'

let fixture: FlowFixture
beforeAll(async () => {
  fixture = await startFlowFixture()
})
afterAll(() => {
  expect(fixture.bugs).toEqual([])
})

function begin(input: InputOf<'flows.runAll'>): Promise<FlowGroup> {
  return fixture.flows.groups.runAll(withSecret(flowCommands['flows.runAll'].input.parse(input)))
}

async function ended({ id }: FlowGroup): Promise<FlowGroup> {
  await expect
    .poll(() => fixture.groups.findLast((group) => group.id === id)?.state, { timeout: 60_000 })
    .not.toBe('running')
  return fixture.flows.groups.get(id)
}

const rowOf = ({ rows }: FlowGroup, name: string) => rows.find(({ flow }) => flow === name)

test('a group has a row for every flow, and its report has a suite for each', async () => {
  const group = await ended(await begin({ names: ['stale', 'card-failed'] }))
  expect(group.rows.map(({ flow }) => flow)).toEqual(builtInFlows().map(({ flow }) => flow.name))
  expect(groupWords(group.rows)).toBe('0 failed, 2 passed, 0 skipped, 24 not run')
  // Without a handler, its steps are skipped and never count as passed.
  expect(rowOf(group, 'stale')?.counts).toEqual({ passed: 4, failed: 0, skipped: 2 })
  const runs = await Promise.all(
    group.rows.flatMap(({ runId }) => (runId === null ? [] : [fixture.flows.run(runId)])),
  )
  const junit = reportGroup(group, runs, 'junit', '1')
  expect([...junit.matchAll(/<testsuite name="([^"]*)"/g)].map(([, name]) => name)).toEqual(
    group.rows.map(({ flow }) => flow),
  )
  expect(junit).toContain('<skipped message="Not run."/>')
  expect(reportGroup(group, runs, 'html', '1')).toContain(
    '0 failed, 2 passed, 0 skipped, 24 not run',
  )
  expect((await fixture.flows.groups.list(1))[0]).toEqual(group)
  // A live flow that is named needs a confirmation.
  expect(
    await begin({ names: ['card-linked', 'brand-consent-live'] }).catch(
      (error: unknown) => (error as AppError).code,
    ),
  ).toBe('CONFIRMATION_REQUIRED')
  const live = await ended(await begin({ names: ['brand-consent-live'], live: true }))
  expect(rowOf(live, 'brand-consent-live')?.outcome).toBe('pass')
})

test('the failed flows run again, the others keep their results, and both groups are compared by outcome', async () => {
  let status = 200
  const handler = await startHandler('whsec', (delivery) =>
    rightAnswer(delivery) === 200 ? status : 401,
  )
  const names = ['card-linked', 'card-failed']
  const at = { url: handler.url, secret: 'whsec' }
  const passing = await ended(await begin({ names, handler: at }))
  status = 500
  const failing = await ended(await begin({ names, handler: at }))
  expect(failing.number).toBe(passing.number + 1)
  expect(rowOf(failing, 'card-linked')).toMatchObject({
    outcome: 'fail',
    happened: 'Your handler returned 500 to card.linked',
    counts: { failed: 1, skipped: 0 },
    isUnreachable: false,
  })
  expect(rowOf(failing, 'card-linked')?.rules).toEqual(['answer-4: acknowledged'])
  expect(rowOf(failing, 'stale')).toMatchObject({ isKept: true, outcome: 'pass' })
  expect(flowChangeWords([...groupChanges(passing, failing).values()])).toBe('2 regressed')
  const again = await ended(await begin({ names, handler: at }))
  expect(flowChangeWords([...groupChanges(failing, again).values()])).toBe('2 still failing')
  status = 200
  const fixed = await ended(await begin({ names: ['card-linked'], handler: at }))
  expect([...groupChanges(again, fixed)]).toEqual([['card-linked', 'fixed']])
  expect(rowOf(fixed, 'card-failed')).toMatchObject({ outcome: 'fail', isKept: true })
  await handler.close()
  const down = await ended(await begin({ names: ['card-linked'], handler: at }))
  expect(rowOf(down, 'card-linked')).toMatchObject({
    outcome: 'fail',
    happened: expect.stringContaining("Couldn't reach your handler") as string,
    isUnreachable: true,
  })
  // No secret is stored.
  expect(JSON.stringify(await fixture.flows.groups.list(30))).not.toContain('whsec')
})

test('a cancelled group keeps its results, and a second one waits for the first', async () => {
  const names = ['card-linked', 'purchase-visa', 'stale']
  // In real time, the second flow waits two days for its clearing.
  const group = await begin({ names, speed: 1 })
  expect(await begin({}).catch((error: unknown) => (error as AppError).code)).toBe(
    'ALREADY_RUNNING',
  )
  await expect
    .poll(() => rowOf(fixture.groups.at(-1) ?? group, 'purchase-visa')?.state, { timeout: 20_000 })
    .toBe('running')
  const cancelled = await fixture.flows.groups.cancel(group.id)
  expect(names.map((name) => rowOf(cancelled, name)?.outcome)).toEqual(['pass', null, null])
  expect(
    lookOfGroup({ ...cancelled, rows: cancelled.rows.filter(({ flow }) => names.includes(flow)) })
      .word,
  ).toBe('cancelled')
  expect(await fixture.flows.groups.get(group.id)).toEqual(cancelled)
  expect((await fixture.flows.runs({ flow: 'purchase-visa', limit: 1 }))[0]?.state).toBe(
    'cancelled',
  )
  // Neither passed nor failed.
  expect(groupChanges(cancelled, { ...cancelled, id: 'next' }).has('purchase-visa')).toBe(false)
})

test('without confirmation, all flows run except those in live mode, with the reason', async () => {
  const group = await begin({ speed: 1 })
  const cancelled = await fixture.flows.groups.cancel(group.id)
  expect(rowOf(cancelled, 'program-sync-live')).toMatchObject({
    outcome: 'skip',
    happened: 'Live-mode payloads not allowed.',
    runId: null,
    counts: { passed: 0, failed: 0, skipped: 8 },
  })
  expect(
    cancelled.rows.filter(({ mode }) => mode === 'live').map(({ outcome }) => outcome),
  ).toEqual(['skip', 'skip', 'skip'])
})

test('a group that cannot start is not stored', async () => {
  const before = await fixture.flows.groups.list(30)
  const refused = (input: InputOf<'flows.runAll'>) =>
    begin(input).catch((error: unknown) => (error as AppError).code)
  expect(await refused({ handler: { url: 'http://192.0.2.1/webhooks', secret: 's' } })).toBe(
    'TARGET_NOT_ALLOWED',
  )
  expect(await refused({ names: ['mine'] })).toBe('NOT_FOUND')
  expect(await refused({ literals: { 'no.such': '1' } })).toBe('INVALID_INPUT')
  expect(await fixture.flows.groups.list(30)).toEqual(before)
})

test('a group whose process is gone is interrupted', async () => {
  const [last] = await fixture.flows.groups.list(1)
  const open: FlowGroup = {
    ...last!,
    id: `${last!.id}x`,
    number: last!.number + 1,
    state: 'running',
    rows: last!.rows.map((row) => ({ ...row, state: 'waiting' })),
  }
  await fixture.store.write('putFlowGroup', { run: open, owner: 2 ** 22 + 1 })
  const read = await fixture.flows.groups.get(open.id)
  expect([read.state, read.rows.every(({ outcome }) => outcome === null)]).toEqual([
    'interrupted',
    true,
  ])
})
