import { expect, test } from 'vitest'
import type { FlowRun, FlowRunStep } from '../../shared/model/flow-run.ts'
import { lookOfChange } from '../../shared/model/outcomes.ts'
import { compareRuns } from './flows.ts'

const step: FlowRunStep = {
  ...{ index: 0, name: 'pay', kind: 'delivery', actor: 'service', from: 'service', to: 'receiver', title: 'Pay' },
  ...{ event: null, expected: null, lastsMs: null, afterMs: null, state: 'done', outcome: 'pass', at: null, businessAt: null },
  ...{
    ms: null,
    deliveryId: null,
    got: null,
    told: null,
    message: 'Card 4111…1111, 0 ms after its trigger.',
    fix: null,
    rule: null,
    arrived: null,
    response: null,
    checks: [],
    gaveUp: false,
  },
}

const run = (change: Partial<FlowRunStep>): FlowRun => ({
  ...{ id: 'r', flow: 'f', origin: null, title: 'F', environment: 'sandbox-test', mode: 'test', target: 'sandbox', speed: 'max' },
  ...{
    handler: null,
    handlerName: null,
    startedAt: '',
    endedAt: '',
    state: 'done',
    outcome: 'pass',
    summary: '',
    current: 0,
    businessStartedAt: '',
  },
  ...{ clock: null, ask: null, steps: [{ ...step, ...change }], strays: [] },
})

type Change = Partial<FlowRunStep>
const failed = (rule: string, message = 'It failed.'): Change => ({ outcome: 'fail', rule, message })

test.each<[string, Change, Change, string, string, string]>([
  ['two passing steps with other data', {}, { message: 'Card 5555…4444, 9 min after it.' }, 'same', 'still passing', 'neutral'],
  ['a failed step that passes', failed('answer'), {}, 'fixed', 'fixed', 'good'],
  ['a failed step that is skipped', failed('answer'), { outcome: 'skip' }, 'different', 'now skipped', 'neutral'],
  ['a passing step that is skipped', {}, { outcome: 'skip' }, 'different', 'now skipped', 'neutral'],
  ['two skipped steps', { outcome: 'skip' }, { outcome: 'skip', message: 'Other.' }, 'same', 'unchanged', 'neutral'],
  ['a skipped step that passes', { outcome: 'skip' }, {}, 'different', 'now passing', 'neutral'],
  ['a skipped step that fails', { outcome: 'skip' }, failed('answer'), 'broken', 'now failing', 'bad'],
  ['a passing step that fails', {}, failed('answer'), 'broken', 'regressed', 'bad'],
  [
    'the same rule failing on other data',
    failed('where amount', 'is 1'),
    failed('where amount', 'is 2'),
    'same',
    'still failing',
    'bad',
  ],
  ['another rule failing', failed('where amount'), failed('signature'), 'different', 'fails differently', 'bad'],
  ['a missing delivery that fails', { outcome: 'missing' }, failed('signature'), 'different', 'fails differently', 'bad'],
])('%s', (_name, before, after, change, word, tone) => {
  const [row] = compareRuns(run(before), run(after)).rows
  expect(row?.change).toBe(change)
  expect(lookOfChange(row!)).toMatchObject({ word, tone })
  if (change === 'same' && tone !== 'bad') expect(row?.message).toBe('')
})
