import { describe, expect, test } from 'vitest'
import { flowRunOf, flowRunStepOf } from '../../../test/support/model-values.ts'
import type { FlowActor } from '../model/flow.ts'
import type {
  FlowArrived,
  FlowFacts,
  FlowResponse,
  FlowRun,
  FlowRunStep,
} from '../model/flow-run.ts'
import { diagramOf, type Diagram } from './diagram.ts'
import type { DiagramRow } from './diagram-row.ts'
import { diagramRules, drawHeads, drawRow, laneClass, type Part } from './drawing.ts'
import { responseText } from './received-words.ts'
import { summarizeRun, verdictOf } from './run-summary.ts'
import { momentWords, timeWords } from './words.ts'

const START = Date.UTC(2026, 10, 21, 10)
const iso = (ms: number) => new Date(START + ms).toISOString()
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const step = (index: number, part: Partial<FlowRunStep>) =>
  flowRunStepOf({
    index,
    name: `step-${index}`,
    to: 'receiver',
    title: part.event ?? 'card.linked',
    event: part.kind === undefined || part.kind === 'delivery' ? 'card.linked' : null,
    at: iso(index * 100),
    businessAt: iso(0),
    ms: 1,
    message: 'Valid and fresh.',
    ...part,
  })

const noFacts: FlowFacts = {
  amount: null,
  cashback: null,
  fee: null,
  currency: null,
  scheme: null,
  lastNumbers: null,
  status: null,
}
const arrived = (facts: Partial<FlowFacts> = {}, part: Partial<FlowArrived> = {}): FlowArrived => ({
  verdict: 'valid',
  freshness: 'fresh',
  cause: null,
  attempt: 1,
  duplicateOf: null,
  facts: { ...noFacts, ...facts },
  ...part,
})
const response = (status: number | null, part: Partial<FlowResponse> = {}): FlowResponse => ({
  by: 'receiver',
  kind: status === null ? 'timeout' : 'status',
  status,
  ms: 12,
  error: null,
  acknowledged: status === 200,
  sendId: null,
  ...part,
})
const card = { scheme: 'visa', lastNumbers: '1111' }
const ends = (from: FlowActor, to: FlowActor) => ({ actor: from, from, to })

const run = (steps: readonly FlowRunStep[], part: Partial<FlowRun> = {}) =>
  flowRunOf({
    startedAt: iso(0),
    endedAt: iso(900),
    outcome: steps.some(({ outcome }) => outcome === 'fail' || outcome === 'missing')
      ? 'fail'
      : 'pass',
    current: steps.length,
    businessStartedAt: iso(0),
    steps: [...steps],
    ...part,
  })

const abandoned = run(
  [
    step(0, { kind: 'trigger', ...ends('cardholder', 'service'), title: 'Links a card' }),
    step(1, { arrived: arrived(card), response: response(500), deliveryId: 'd1' }),
    step(2, {
      arrived: arrived(card, { attempt: 2 }),
      response: response(null, { ms: 20_000 }),
      businessAt: iso(MINUTE),
      deliveryId: 'd2',
    }),
    step(3, {
      arrived: arrived(card, { attempt: 3 }),
      response: response(null, { kind: 'dropped', ms: 3 }),
      businessAt: iso(3 * MINUTE + 20_000),
      deliveryId: 'd3',
      gaveUp: true,
    }),
    step(4, {
      kind: 'wait',
      ...ends('service', 'service'),
      title: 'No delivery for a day',
      lastsMs: 24 * HOUR,
      businessAt: iso(24 * HOUR + 3 * MINUTE + 20_000),
    }),
    step(5, {
      kind: 'answer',
      ...ends('receiver', 'handler'),
      title: 'Your handler accepts the delivery',
      outcome: 'skip',
    }),
  ],
  { title: 'Three failures: delivery abandoned' },
)

const forgedFacts = { amount: 24.2, currency: 'GBP', scheme: 'mastercard', lastNumbers: '4444' }
const forged = run(
  [
    step(0, {
      kind: 'trigger',
      ...ends('attacker', 'service'),
      title: 'Card payment, signed with the wrong secret',
    }),
    step(1, {
      ...ends('attacker', 'receiver'),
      event: 'transaction.auth',
      arrived: arrived(forgedFacts, { verdict: 'invalid', cause: 'signed with another secret' }),
      response: response(200, { ms: 2 }),
      deliveryId: 'd1',
    }),
    step(2, {
      kind: 'answer',
      ...ends('receiver', 'handler'),
      title: 'Your handler rejects the delivery',
      arrived: arrived(forgedFacts, { verdict: 'invalid', cause: 'signed with another secret' }),
      response: response(401, { by: 'handler', ms: 5 }),
      deliveryId: 'd1',
    }),
  ],
  { handler: 'http://localhost:3000', handlerName: 'local' },
)

const payment = { amount: 36.9, currency: 'EUR', scheme: 'visa', lastNumbers: '4242' }
const handlerFailed = run(
  [
    step(0, { kind: 'make', ...ends('cardholder', 'service'), title: 'Links a Visa card' }),
    step(1, {
      event: 'transaction.auth',
      arrived: arrived(payment),
      response: response(200, { ms: 2 }),
      deliveryId: 'd1',
    }),
    step(2, {
      kind: 'answer',
      ...ends('receiver', 'handler'),
      title: 'Your handler accepts the delivery',
      arrived: arrived(payment),
      response: response(200, { by: 'handler', ms: 6 }),
      deliveryId: 'd1',
    }),
    step(3, {
      event: 'transaction.clearing.qualified',
      arrived: arrived({ ...payment, cashback: 1.85, fee: 0.37 }),
      response: response(200),
      businessAt: iso(56 * HOUR),
      deliveryId: 'd2',
    }),
    step(4, {
      kind: 'check',
      ...ends('receiver', 'receiver'),
      title: '`${clearing.updated}` settled on a clearing hour',
      businessAt: iso(56 * HOUR),
    }),
    step(5, {
      kind: 'answer',
      ...ends('receiver', 'handler'),
      title: 'Your handler accepts the delivery',
      outcome: 'fail',
      expected: '200 within 20 s',
      arrived: arrived(payment),
      response: response(500, { by: 'handler', ms: 44 }),
      checks: [
        {
          field: 'Status',
          path: null,
          expected: '200',
          operator: '≠',
          actual: '500',
          passed: false,
        },
      ],
      businessAt: iso(56 * HOUR),
      deliveryId: 'd2',
      message: 'Your handler returned 500.',
    }),
  ],
  { handler: 'http://localhost:3000', handlerName: 'local' },
)

const rowOf = (diagram: Diagram, index: number) => diagram.rows[index] ?? expect.unreachable()
const textsOf = ({ title, lines, response }: DiagramRow) => [
  title,
  ...lines.map(({ text }) => text),
  ...(response === null ? [] : [response.text]),
]
const answeredWith = (part: FlowResponse, more: Partial<FlowRunStep> = {}) =>
  rowOf(diagramOf(run([step(0, { arrived: arrived(), response: part, ...more })])), 0)

describe('responses are drawn', () => {
  const diagram = diagramOf(abandoned)
  const [failed, timedOut, dropped] = [rowOf(diagram, 1), rowOf(diagram, 3), rowOf(diagram, 5)]

  test('a status returns in the color of its outcome, with its time', () => {
    expect([failed.response, failed.extra]).toEqual([
      { text: '500 in 12 ms', ink: 'bad', glyph: '✕', isCut: false },
      'attempt 1 of 3',
    ])
    const accepted = rowOf(diagramOf(handlerFailed), 1)
    expect([accepted.response?.ink, textsOf(accepted)]).toEqual([
      'ok',
      ['transaction.auth', '36.90 EUR · visa ····4242', '200 in 2 ms'],
    ])
  })

  test('a timeout and a dropped connection are cut off', () => {
    expect([timedOut.response, dropped.response]).toEqual([
      { text: 'No response within 20 s', ink: 'bad', glyph: '✕', isCut: true },
      { text: 'Connection dropped after 3 ms', ink: 'bad', glyph: '✕', isCut: true },
    ])
  })

  test('giving up has its own row, after the waits for the retries', () => {
    const gaveUp = rowOf(diagram, 6)
    expect([gaveUp.kind, gaveUp.outcome, textsOf(gaveUp)]).toEqual([
      'gave-up',
      null,
      ['Gave up after attempt 3', 'Delivery abandoned. No more retries.'],
    ])
    expect(diagram.rows.filter(({ kind }) => kind === 'wait').map(({ title }) => title)).toEqual([
      '1 min until retry',
      '2 min until last retry',
      '24 h pass',
    ])
  })

  test('any status that the service does not count is red, its request is neutral, and a failed step also says what was expected', () => {
    for (const status of [204, 302, 404])
      expect(answeredWith(response(status)).response?.ink).toBe('bad')
    const row = rowOf(diagramOf(handlerFailed), 6)
    expect([textsOf(row).at(-1), row.outcome?.word]).toEqual([
      '500 in 44 ms, expected 200',
      'failed',
    ])
    expect(row.arrow).toEqual({ ink: 'text-muted', glyph: '', isPlanned: false })
    expect(answeredWith(response(204, { acknowledged: true })).response?.ink).toBe('ok')
  })
})

describe('green needs a judge', () => {
  const [received, rejected] = diagramOf(forged).rows
  const answered = (part: Partial<FlowRunStep>) =>
    diagramOf({
      ...forged,
      steps: forged.steps.map((one) => (one.kind === 'answer' ? { ...one, ...part } : one)),
    }).rows[1]

  test('a forged delivery is red and comes from the attacker, and our 200 to it is gray', () => {
    expect(diagramOf(forged).lanes).toEqual(['attacker', 'receiver', 'handler'])
    expect([received?.arrow?.ink, received?.response, received?.lines]).toEqual([
      'bad',
      { text: '200 in 2 ms, recorded only', ink: 'text-subtle', glyph: '', isCut: false },
      [
        { text: 'Invalid: signed with another secret', ink: 'bad' },
        { text: '24.20 GBP · mastercard ····4444', ink: 'text' },
      ],
    ])
  })

  test("a handler's 200 to a forged or stale delivery is red, and its 401 green", () => {
    expect(rejected?.response).toMatchObject({ text: '401 Unauthorized in 5 ms', ink: 'ok' })
    const accepts = { outcome: 'fail', response: response(200, { by: 'handler' }) } as const
    expect(answered(accepts)?.response).toMatchObject({
      text: '200 in 12 ms, expected 4xx',
      ink: 'bad',
      glyph: '✕',
    })
    const stale = arrived({}, { freshness: 'stale', cause: 'signed 10 minutes before receipt' })
    expect(answered({ ...accepts, arrived: stale })?.response?.ink).toBe('bad')
  })

  test.each([
    [{ verdict: 'valid', freshness: 'fresh' }, 'ok'],
    [{ verdict: 'valid', freshness: 'stale' }, 'warn'],
    [{ verdict: 'invalid', freshness: 'fresh' }, 'bad'],
    [{ verdict: 'unsigned', freshness: 'missing' }, 'text-muted'],
  ] as const)('a delivery with %o is %s', (part, ink) => {
    const row = rowOf(diagramOf(run([step(0, { arrived: arrived({}, part) })])), 0)
    expect(row.arrow?.ink).toBe(ink)
  })

  test('nothing that failed is green: neither its verdict nor its arrow', () => {
    const missing = rowOf(
      diagramOf(run([step(0, { outcome: 'missing', message: 'Nothing arrived.' })])),
      0,
    )
    expect([missing.arrow?.ink, missing.outcome?.tone, textsOf(missing)]).toEqual([
      'bad',
      'bad',
      ['card.linked', 'Nothing arrived.'],
    ])
    const unexpected = {
      deliveryId: 's',
      kind: 'duplicate',
      event: 'card.linked',
      at: iso(1),
      businessAt: iso(1),
      message: 'A duplicate.',
      arrived: null,
      response: null,
    } as const
    const row = rowOf(diagramOf(run([], { strays: [unexpected] })), 0)
    expect([row.outcome?.tone, row.place, row.words]).toEqual([
      'bad',
      's',
      expect.stringMatching(/^Duplicate: card\.linked, A duplicate\./),
    ])
  })

  test('the verdict is neutral without a handler, and says how many steps failed with one', () => {
    expect(verdictOf(abandoned)).toMatchObject({
      tone: 'neutral',
      word: 'not checked: no handler',
    })
    expect(verdictOf(forged)).toMatchObject({ tone: 'good', word: '3 steps passed' })
    expect(verdictOf(handlerFailed)).toMatchObject({
      tone: 'bad',
      word: '1 of 6 steps failed',
    })
    expect(verdictOf(run(forged.steps, { outcome: 'fail', strays: [] })).word).toBe('failed')
    expect(verdictOf({ ...forged, state: 'paused', outcome: null, current: 1 }).word).toBe(
      'paused, step 2 of 3',
    )
  })

  test('a run says what happened, whatever was expected', () => {
    expect(summarizeRun(abandoned)).toBe('Delivery abandoned: 500, timeout, dropped')
    expect(summarizeRun(forged)).toBe('1 forged delivery: handler rejected it with 401')
    expect(summarizeRun(handlerFailed)).toBe(
      'Your handler returned 500 to transaction.clearing.qualified',
    )
    expect(summarizeRun(run(handlerFailed.steps.slice(0, 4)))).toBe(
      'Purchase qualified: 1.85 EUR cashback, cleared 2 d 8 h later',
    )
    expect(summarizeRun(run([step(0, { outcome: 'missing' })]))).toBe('card.linked not received')
    expect(summarizeRun(run([]))).toBe('Nothing received')
  })
})

describe('events and their content', () => {
  const content = (event: string, facts: Partial<FlowFacts>) =>
    rowOf(diagramOf(run([step(0, { event, arrived: arrived(facts) })])), 0)

  test('each event has the tint of the lifecycle', () => {
    const tint = (event: string) => content(event, {}).ink
    expect(
      [
        'transaction.auth',
        'transaction.clearing.qualified',
        'transaction.refund',
        'card.linked',
        'location.status',
        'brand.consent',
      ].map(tint),
    ).toEqual([
      'event-auth',
      'event-clearing',
      'event-refund',
      'event-card',
      'event-location',
      'text',
    ])
  })

  test.each([
    ['transaction.auth', { amount: 36.9, currency: 'GBP' }, '36.90 GBP'],
    ['transaction.auth', { amount: 1838, currency: 'JPY' }, '1,838 JPY'],
    ['transaction.refund', { amount: -5, currency: 'EUR' }, '−5.00 EUR'],
    [
      'transaction.auth.qualified',
      { amount: 36.9, cashback: 1.85, fee: 0.37, currency: 'EUR' },
      '36.90 EUR · 1.85 EUR cashback · 0.37 EUR fee',
    ],
    ['location.status', { scheme: 'visa', status: 'location.active' }, 'visa active'],
    ['card.linked', card, 'visa ····1111'],
  ] as const)('%s with %o says %s', (event, facts, words) => {
    expect(textsOf(content(event, facts))).toContain(words)
  })
})

describe('layout', () => {
  test('has a lane for each participant, and leaves out what a run without a handler skips', () => {
    const diagram = diagramOf(abandoned)
    expect(diagram.lanes).toEqual(['cardholder', 'service', 'receiver'])
    expect(diagram.rows.some(({ title }) => title.includes('Your handler'))).toBe(false)
  })

  test('every part is on a line of the grid that has its columns', () => {
    const classes = (part: Part): string[] =>
      typeof part === 'string' ? [] : [part.className, ...part.inside.flatMap(classes)]
    for (const drawn of [abandoned, forged, handlerFailed]) {
      const diagram = diagramOf(drawn)
      const all = [
        drawHeads(diagram),
        ...diagram.rows.flatMap((row) => drawRow(row, diagram)),
      ].flatMap(classes)
      const used = all.flatMap((name) =>
        [...name.matchAll(/(?:at|to)-(\d+)/g)].map(([, at]) => Number(at)),
      )
      expect(Math.min(...used)).toBe(3)
      expect(Math.max(...used)).toBeLessThanOrEqual(3 + diagram.lanes.length)
      expect(diagramRules).toContain(`.${laneClass(diagram).split(' ')[1] ?? ''}{`)
    }
  })

  test("draws a flow that hasn't run without times, and a waiting one with its progress", () => {
    const plan = diagramOf({
      title: 'Plan',
      steps: abandoned.steps.map(({ state: _, ...planned }) => planned),
    })
    expect(plan.rows.map(({ businessTime }) => businessTime)).toEqual(plan.rows.map(() => null))
    const waiting = step(1, {
      state: 'running',
      outcome: null,
      businessAt: null,
      at: null,
      afterMs: 48 * HOUR,
      event: 'transaction.clearing',
    })
    const clock = { at: iso(10), businessAt: iso(12 * HOUR) }
    const [band] = diagramOf(
      run([waiting], { clock, state: 'running', outcome: null, speed: 3_600 }),
    ).rows
    expect([band?.words, band?.progress]).toEqual([
      'At least 2 d until clearing',
      { share: 0.25, restMs: 36_000 },
    ])
  })
})

test('a response has the same words everywhere', () => {
  const received = { arrived: arrived() }
  expect(responseText({ ...received, response: response(500) })).toBe('500 in 12 ms')
  expect(responseText({ ...received, response: response(422, { by: 'handler' }) })).toBe(
    '422 Unprocessable Content in 12 ms',
  )
  expect(
    responseText({ ...received, response: response(null, { kind: 'unreachable', ms: null }) }),
  ).toBe("Couldn't connect")
  expect(responseText({ ...received, response: null })).toBeNull()
})

test('times use their two largest units, or as many as asked for', () => {
  expect(
    [350, 1_000, 80_000, 3_600_000, 172_800_000, 178_200_000].map((ms) => timeWords(ms)),
  ).toEqual(['350 ms', '1 s', '1 min 20 s', '1 h', '2 d', '2 d 1 h'])
  expect(timeWords(24 * HOUR + 200_000, 4)).toBe('1 d 3 min 20 s')
  expect(momentWords('2026-01-05T04:03:02.001Z')).toBe('5 Jan 04:03:02')
})
