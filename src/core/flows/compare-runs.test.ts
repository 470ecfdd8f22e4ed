import { expect, test } from 'vitest'
import type { FlowChange, FlowRun, FlowRunStep } from '../../shared/model/flow-run.ts'
import { flowChanges } from '../../shared/model/outcomes.ts'
import { compareRuns } from './flows.ts'

const step: FlowRunStep = {
  ...{
    index: 0,
    name: 'pay',
    kind: 'delivery',
    actor: 'service',
    from: 'service',
    to: 'receiver',
    title: 'Pay',
  },
  ...{
    event: null,
    expected: null,
    lastsMs: null,
    afterMs: null,
    state: 'done',
    outcome: 'pass',
    at: null,
    businessAt: null,
  },
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
  ...{
    id: 'r',
    flow: 'f',
    origin: null,
    title: 'F',
    environment: 'sandbox-test',
    mode: 'test',
    target: 'sandbox',
    speed: 'max',
  },
  ...{
    handler: null,
    handlerName: null,
    set: {},
    startedAt: '2026-11-21T10:00:00.000Z',
    endedAt: '2026-11-21T10:00:01.000Z',
    state: 'done',
    outcome: 'pass',
    summary: '',
    current: 0,
    businessStartedAt: '2026-11-21T10:00:00.000Z',
  },
  ...{ clock: null, ask: null, steps: [{ ...step, ...change }], strays: [] },
})

type Change = Partial<FlowRunStep>
const failed = (rule: string, message = 'It failed.'): Change => ({
  outcome: 'fail',
  rule,
  message,
})

test.each<[string, Change, Change, FlowChange, string | RegExp, string]>([
  [
    'two passing steps with other data',
    {},
    { message: 'Card 5555…4444, 9 min after it.' },
    'unchanged',
    '',
    'neutral',
  ],
  ['a failed step that passes', failed('answer'), {}, 'fixed', 'Before: It failed.', 'good'],
  ['a passing step that fails', {}, failed('answer'), 'regressed', 'It failed.', 'bad'],
  [
    'the same rule failing on other data',
    failed('where amount', 'is 1'),
    failed('where amount', 'is 2'),
    'still-failing',
    'is 2',
    'bad',
  ],
  [
    'another rule failing',
    failed('where amount', 'is 1'),
    failed('signature', 'invalid'),
    'still-failing',
    'Before: is 1 Now: invalid',
    'bad',
  ],
  [
    'a missing delivery that fails',
    { outcome: 'missing' },
    failed('signature'),
    'still-failing',
    /^Before: .* Now: /,
    'bad',
  ],
  [
    'a failed step that is skipped',
    failed('answer'),
    { outcome: 'skip' },
    'skipped',
    /^Before: /,
    'neutral',
  ],
  ['a passing step that is skipped', {}, { outcome: 'skip' }, 'skipped', /^Before: /, 'neutral'],
  [
    'two skipped steps',
    { outcome: 'skip' },
    { outcome: 'skip', message: 'Other.' },
    'skipped',
    '',
    'neutral',
  ],
  ['a skipped step that passes', { outcome: 'skip' }, {}, 'skipped', /^Before: /, 'neutral'],
  [
    'a skipped step that fails',
    { outcome: 'skip' },
    failed('answer'),
    'skipped',
    /^Before: /,
    'neutral',
  ],
  [
    'a failed step that the later run did not reach',
    failed('answer'),
    { outcome: null },
    'skipped',
    /^Before: /,
    'neutral',
  ],
])('%s', (_name, before, after, change, message, tone) => {
  const [row] = compareRuns(run(before), run(after)).rows
  expect(row?.change).toBe(change)
  expect(flowChanges[change].tone).toBe(tone)
  if (typeof message === 'string') expect(row?.message).toBe(message)
  else expect(row?.message).toMatch(message)
})
