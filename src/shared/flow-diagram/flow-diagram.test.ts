import { fc, test as lawTest } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import type { FlowActor } from '../model/flow.ts'
import type {
  FlowArrived,
  FlowFacts,
  FlowResponse,
  FlowRun,
  FlowRunStep,
} from '../model/flow-run.ts'
import { FILE_WIDTH, HEAD_HEIGHT, headShapes, layoutDiagram, type DiagramLayout } from './layout.ts'
import { VERDICT_WIDTH } from './rows.ts'
import { drawMermaid } from './mermaid.ts'
import type { Shape } from './shapes.ts'
import { happenedIn, responseText, verdictOf } from './story.ts'
import { drawSvg } from './svg.ts'
import { partsWidth } from './text-width.ts'
import { momentWords, timeWords } from './words.ts'

const START = Date.UTC(2026, 10, 21, 10)
const iso = (ms: number) => new Date(START + ms).toISOString()
const MINUTE = 60_000
const HOUR = 60 * MINUTE

function step(index: number, part: Partial<FlowRunStep>): FlowRunStep {
  return {
    index,
    name: `step-${index}`,
    kind: 'delivery',
    actor: 'service',
    from: 'service',
    to: 'receiver',
    title: part.event ?? 'card.linked',
    event: part.kind === undefined || part.kind === 'delivery' ? 'card.linked' : null,
    expected: null,
    lastsMs: null,
    afterMs: null,
    state: 'done',
    outcome: 'pass',
    at: iso(index * 100),
    businessAt: iso(0),
    ms: 1,
    deliveryId: null,
    rule: null,
    arrived: null,
    response: null,
    checks: [],
    gaveUp: false,
    got: null,
    told: null,
    message: 'Valid and fresh.',
    fix: null,
    ...part,
  }
}

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

function run(steps: readonly FlowRunStep[], part: Partial<FlowRun> = {}): FlowRun {
  return {
    id: 'run',
    flow: 'flow',
    origin: null,
    title: 'A flow',
    environment: 'sandbox-test',
    mode: 'test',
    target: 'sandbox',
    speed: 'max',
    handler: null,
    handlerName: null,
    set: {},
    startedAt: iso(0),
    endedAt: iso(900),
    state: 'done',
    outcome: steps.some(({ outcome }) => outcome === 'fail' || outcome === 'missing')
      ? 'fail'
      : 'pass',
    summary: '',
    happened: '',
    current: steps.length,
    businessStartedAt: iso(0),
    clock: null,
    ask: null,
    steps: [...steps],
    strays: [],
    ...part,
  }
}

/** Three failures: 500, timeout, dropped. */
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
/** A forged delivery, rejected by the handler. */
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
/** A purchase whose clearing the handler fails. */
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

/** All text of a row, as drawn. */
const textsOf = ({ shapes }: { readonly shapes: readonly Shape[] }) =>
  shapes.flatMap((shape) =>
    shape.kind === 'text' ? [shape.parts.map(({ text }) => text).join(' ')] : [],
  )
const rowOf = (layout: DiagramLayout, index: number) => layout.rows[index] ?? expect.unreachable()
const inksOf = ({ shapes }: { readonly shapes: readonly Shape[] }, as: string) =>
  shapes.flatMap((shape) =>
    'as' in shape && shape.as === as && shape.ink !== undefined ? [shape.ink] : [],
  )
const iconsOf = ({ shapes }: { readonly shapes: readonly Shape[] }) =>
  shapes.flatMap((shape) => (shape.kind === 'icon' ? [`${shape.icon} ${shape.ink}`] : []))

describe('responses are drawn', () => {
  const layout = layoutDiagram(abandoned)
  const [failed, timedOut, dropped] = [rowOf(layout, 1), rowOf(layout, 3), rowOf(layout, 5)]

  test('a status returns in the color of its outcome, with its time', () => {
    expect(textsOf(failed)).toContain('500 in 12 ms')
    expect([inksOf(failed, 'return'), iconsOf(failed)]).toEqual([
      ['bad'],
      ['valid ok', 'invalid bad', 'check ok'],
    ])
    const accepted = rowOf(layoutDiagram(handlerFailed), 1)
    expect([inksOf(accepted, 'return'), textsOf(accepted)]).toEqual([
      ['ok'],
      ['36.90 EUR visa ····4242', '200 in 2 ms', 'transaction.auth'],
    ])
  })

  test('a timeout ends in a clock, a dropped connection in slashes and a cross', () => {
    expect(textsOf(timedOut)).toContain('No response within 20 s')
    expect(iconsOf(timedOut)).toContain('clock bad')
    expect(textsOf(dropped)).toContain('Connection dropped after 3 ms')
    expect([inksOf(dropped, 'slashes'), iconsOf(dropped)]).toEqual([
      ['bad'],
      ['valid ok', 'cross bad', 'check ok'],
    ])
  })

  test('giving up is a terminal mark on the service, whose lifeline is dotted from there on', () => {
    const gaveUp = rowOf(layout, 6)
    expect([gaveUp.kind, textsOf(gaveUp)]).toEqual([
      'gave-up',
      ['Gave up after attempt 3', 'Delivery abandoned. No more retries.'],
    ])
    const dotted = layout.rows.map(
      ({ lives }) => lives.filter((shape) => shape.kind === 'path' && shape.as === 'ended').length,
    )
    expect(dotted).toEqual([0, 0, 0, 0, 0, 0, 0, 1])
    expect(
      layout.rows.map(({ label }) => label).filter((label) => label.includes('retry')),
    ).toEqual(['1 min until retry', '2 min until last retry'])
    expect(rowOf(layout, 7).label).toBe('24 h, nothing received')
  })

  test('any status that the service does not count is red, and a failed step also says what was expected', () => {
    for (const status of [204, 302, 404])
      expect(
        inksOf(
          rowOf(
            layoutDiagram(run([step(0, { arrived: arrived(), response: response(status) })])),
            0,
          ),
          'return',
        ),
      ).toEqual(['bad'])
    const row = rowOf(layoutDiagram(handlerFailed), 6)
    expect([textsOf(row).slice(0, 1), row.look]).toEqual([['500 in 44 ms, expected 200'], 'fail'])
    const anyOf2xx = layoutDiagram(
      run([step(0, { arrived: arrived(), response: response(204, { acknowledged: true }) })]),
    )
    expect([inksOf(rowOf(anyOf2xx, 0), 'return'), anyOf2xx.marks]).toEqual([
      ['ok'],
      ['valid', 'acknowledged-2xx', 'as-expected'],
    ])
  })
})

describe('as expected and what happened are two things', () => {
  const layout = layoutDiagram(forged)

  test('a forged delivery is red and comes from the attacker, our 200 to it is gray, and rejecting it is as expected', () => {
    expect(layout.lanes.map(({ label, name }) => [label, name])).toEqual([
      ['Attacker', null],
      ['Countersign', null],
      ['Your handler', 'local'],
    ])
    const [received, rejected] = [rowOf(layout, 0), rowOf(layout, 1)]
    expect([inksOf(received, 'arrow'), inksOf(received, 'return'), received.look]).toEqual([
      ['bad'],
      ['subtle'],
      'pass',
    ])
    expect(textsOf(received)).toEqual([
      'Invalid: signed with another secret',
      '24.20 GBP mastercard ····4444',
      '200 in 2 ms, recorded only',
      'transaction.auth',
    ])
    expect([inksOf(rejected, 'arrow'), inksOf(rejected, 'return'), textsOf(rejected)]).toEqual([
      ['bad'],
      ['bad'],
      ['401 Unauthorized in 5 ms', 'transaction.auth'],
    ])
    expect(iconsOf(rejected).at(-1)).toBe('check ok')
    expect(layout.notes).toEqual(['Not in this flow: Cardholder, Service'])
  })

  test.each([
    [{ verdict: 'valid', freshness: 'fresh' }, 'ok'],
    [{ verdict: 'valid', freshness: 'stale' }, 'warn'],
    [{ verdict: 'invalid', freshness: 'fresh' }, 'bad'],
    [{ verdict: 'unsigned', freshness: 'missing' }, 'muted'],
  ] as const)('a delivery with %o is %s', (part, ink) => {
    expect(
      inksOf(rowOf(layoutDiagram(run([step(0, { arrived: arrived({}, part) })])), 0), 'arrow'),
    ).toEqual([ink])
  })

  test('nothing that failed is green: neither its verdict nor its arrow', () => {
    const missing = rowOf(
      layoutDiagram(run([step(0, { outcome: 'missing', message: 'Nothing arrived.' })])),
      0,
    )
    expect([inksOf(missing, 'planned'), iconsOf(missing)]).toEqual([
      ['bad'],
      ['unknown bad', 'cross bad'],
    ])
    expect(textsOf(missing)).toEqual(['Not received', 'Nothing arrived.', 'card.linked', 'Failed'])
    const stray = {
      deliveryId: 's',
      kind: 'duplicate',
      event: 'card.linked',
      at: iso(1),
      businessAt: iso(1),
      message: 'A duplicate.',
    } as const
    const row = rowOf(
      layoutDiagram(run([], { strays: [{ ...stray, arrived: null, response: null }] })),
      0,
    )
    expect([row.look, iconsOf(row), row.words]).toEqual([
      'stray',
      ['cross bad'],
      expect.stringMatching(/^Duplicate: Duplicate card\.linked, A duplicate\./),
    ])
  })

  test('the header says both: it passed, and the delivery was abandoned', () => {
    expect(verdictOf(abandoned)).toEqual({
      tone: 'good',
      head: 'Passed: as expected',
      rest: '5 steps, 1 skipped',
    })
    expect(happenedIn(abandoned)).toEqual({
      tone: 'bad',
      head: 'Delivery abandoned',
      rest: '500, timeout, dropped',
    })
    expect(happenedIn(forged)).toEqual({
      tone: 'bad',
      head: '1 forged delivery',
      rest: 'handler rejected it with 401',
    })
    expect(verdictOf(handlerFailed)).toEqual({
      tone: 'bad',
      head: 'Failed at step 6',
      rest: '5 steps passed',
    })
    expect(happenedIn(handlerFailed)).toEqual({
      tone: 'bad',
      head: 'Your handler returned 500',
      rest: 'to transaction.clearing.qualified',
    })
    const passed = run(handlerFailed.steps.slice(0, 4))
    expect(happenedIn(passed)).toEqual({
      tone: 'good',
      head: 'Purchase qualified',
      rest: '1.85 EUR cashback, cleared 2 d 8 h later',
    })
    expect(happenedIn(run([step(0, { outcome: 'missing' })]))).toMatchObject({
      tone: 'bad',
      head: 'card.linked not received',
    })
    expect(happenedIn(run([]))).toMatchObject({ tone: 'neutral', head: 'Nothing received' })
  })
})

describe('events and their content', () => {
  const content = (event: string, facts: Partial<FlowFacts>, width = FILE_WIDTH) =>
    rowOf(layoutDiagram(run([step(0, { event, arrived: arrived(facts) })]), { width }), 0)

  test('each event has the tint of the lifecycle, on its dot and name', () => {
    const tint = (event: string) => {
      const { shapes } = content(event, {})
      const dot = shapes.find(({ kind }) => kind === 'dot')
      const name = shapes
        .flatMap((shape) => (shape.kind === 'text' ? shape.parts : []))
        .find(({ text }) => text.startsWith(event.slice(0, 8)))
      expect(name?.tone).toBe(dot?.kind === 'dot' && dot.ink !== 'muted' ? dot.ink : 'plain')
      return name?.tone
    }
    expect(
      [
        'transaction.auth',
        'transaction.clearing.qualified',
        'transaction.refund',
        'card.linked',
        'location.status',
        'brand.consent',
      ].map(tint),
    ).toEqual(['auth', 'clearing', 'refund', 'card', 'location', 'plain'])
  })

  test("amounts have their currency's minor units; offers cashback and fee; locations scheme and status", () => {
    expect(textsOf(content('transaction.auth', { amount: 36.9, currency: 'GBP' }))).toContain(
      '36.90 GBP',
    )
    expect(textsOf(content('transaction.auth', { amount: 1838, currency: 'JPY' }))).toContain(
      '1,838 JPY',
    )
    expect(textsOf(content('transaction.refund', { amount: -5, currency: 'EUR' }))).toContain(
      '−5.00 EUR',
    )
    expect(
      textsOf(
        content('transaction.auth.qualified', {
          amount: 36.9,
          cashback: 1.85,
          fee: 0.37,
          currency: 'EUR',
        }),
      ),
    ).toEqual(
      [
        'Amount 36.90 EUR',
        'Cashback 1.85 EUR',
        'Fee 0.37 EUR',
        'transaction.auth.qualified',
        '',
      ].filter(Boolean),
    )
    expect(
      textsOf(content('location.status', { scheme: 'visa', status: 'location.active' })),
    ).toContain('visa active')
    expect(textsOf(content('card.linked', card))).toContain('visa ····1111')
  })

  test('without room, the scheme is left out first', () => {
    const many = (width: number) => layoutDiagram(handlerFailed, { width })
    expect(textsOf(rowOf(many(940), 1))[0]).toBe('36.90 EUR visa ····4242')
    expect(textsOf(rowOf(many(808), 1))[0]).toBe('36.90 EUR ····4242')
  })
})

describe('layout', () => {
  test('five lanes and their verdicts fit into a narrow window', () => {
    const steps = [
      step(0, { kind: 'trigger', ...ends('cardholder', 'service'), title: 'Card payment' }),
      step(1, { kind: 'change', ...ends('brand', 'service'), title: 'Offer ends' }),
      step(2, { event: 'transaction.auth', arrived: arrived(payment), deliveryId: 'one' }),
      step(3, { kind: 'answer', ...ends('receiver', 'handler'), title: 'Your handler accepts it' }),
    ]
    const layout = layoutDiagram(
      run(steps, { handler: 'http://localhost', handlerName: 'local' }),
      { width: 808 },
    )
    expect([layout.lanes.length, layout.width]).toEqual([5, 808])
    expect(textsOf({ shapes: headShapes(layout) })).toContain('Cardholder')
  })

  test('cashback keeps its name if its amount needs a separate line', () => {
    const steps = (['cardholder', 'brand', 'network'] as const).map((actor, index) =>
      step(index, { kind: 'change', ...ends(actor, 'service'), title: 'Offer ends' }),
    )
    const facts = { amount: -25.09, cashback: -0.75, fee: -0.25, currency: 'USD' }
    const refund = step(3, {
      event: 'transaction.refund.qualified',
      arrived: arrived(facts),
      deliveryId: 'one',
    })
    const texts = textsOf(rowOf(layoutDiagram(run([...steps, refund]), { width: 500 }), 3))
    const at = texts.indexOf('Cashback')
    expect(texts.slice(at, at + 2)).toEqual(['Cashback', '−0.75 USD'])
  })

  test('has a lane for each participant, and notes about omitted lanes and steps', () => {
    const layout = layoutDiagram(abandoned)
    expect(layout.lanes.map(({ label, x }) => [label, x])).toEqual([
      ['Cardholder', 228],
      ['Service', 502],
      ['Countersign', 776],
    ])
    expect(layout.notes).toEqual(['1 step skipped: no handler in this run'])
    expect(layout.marks).toEqual([
      'valid',
      'refused',
      'timeout',
      'dropped',
      'gave-up',
      'as-expected',
    ])
  })

  test("draws a flow that hasn't run without times, and a waiting one with its progress", () => {
    const plan = layoutDiagram({
      title: 'Plan',
      steps: abandoned.steps.map(({ state: _, ...planned }) => planned),
    })
    expect(
      plan.rows.every(({ look, businessTime }) => look === 'planned' && businessTime === null),
    ).toBe(true)
    const waiting = step(1, {
      state: 'running',
      outcome: null,
      businessAt: null,
      at: null,
      afterMs: 48 * HOUR,
      event: 'transaction.clearing',
    })
    const clock = { at: iso(10), businessAt: iso(12 * HOUR) }
    const [band] = layoutDiagram(run([waiting], { clock, state: 'running', outcome: null })).rows
    expect([band?.label, band?.words]).toEqual([
      '12 h of at least 2 d',
      '12 h of at least 2 d, sandbox time until clearing',
    ])
    expect(
      band?.shapes.find((shape) => shape.kind === 'box' && shape.as === 'passed'),
    ).toMatchObject({ width: FILE_WIDTH / 4 })
  })

  test('a run stored before the details were recorded keeps its words, and claims nothing', () => {
    const old = run(
      [
        step(0, { event: 'transaction.auth', told: '12.50 EUR', deliveryId: 'd' }),
        step(1, {
          kind: 'answer',
          ...ends('receiver', 'handler'),
          title: 'Your handler accepts',
          got: '500 after 44 ms',
          outcome: 'fail',
          deliveryId: 'd',
        }),
      ],
      { handler: 'http://localhost:3000' },
    )
    const layout = layoutDiagram(old)
    expect([textsOf(rowOf(layout, 0)), inksOf(rowOf(layout, 0), 'arrow')]).toEqual([
      ['12.50 EUR', 'transaction.auth'],
      ['muted'],
    ])
    expect(rowOf(layout, 1).response).toBe('500 Internal Server Error in 44 ms')
    expect(happenedIn(old)).toMatchObject({ tone: 'bad' })
    expect(layout.marks).toEqual(['refused', 'as-expected', 'failed'])
  })
})

// Laws: whatever a run contains, and however wide the drawing is.

const actors: readonly FlowActor[] = [
  'cardholder',
  'brand',
  'network',
  'service',
  'attacker',
  'receiver',
  'handler',
]
const anyFacts = fc.record({
  amount: fc.option(fc.double({ noNaN: true, min: -1e7, max: 1e7 })),
  cashback: fc.option(fc.double({ noNaN: true, min: 0, max: 1e5 })),
  fee: fc.option(fc.double({ noNaN: true, min: 0, max: 1e5 })),
  currency: fc.option(fc.constantFrom('EUR', 'JPY', 'oops', 'KWD')),
  scheme: fc.option(fc.constantFrom('visa', 'mastercard', 'a very long scheme of cards')),
  lastNumbers: fc.option(fc.constantFrom('4242', '123456')),
  status: fc.option(fc.constantFrom('location.active', 'location.failed', 'approved')),
})
const anyArrived = fc.record({
  verdict: fc.constantFrom('valid', 'invalid', 'unsigned', 'unknown-hook'),
  freshness: fc.constantFrom('fresh', 'stale', 'future', 'missing'),
  cause: fc.option(
    fc.constantFrom(
      'signed with another secret',
      'signed over the URL with a trailing slash and a different port',
    ),
  ),
  attempt: fc.integer({ min: 1, max: 3 }),
  duplicateOf: fc.option(fc.constant('x')),
  facts: fc.option(anyFacts),
} as const)
const anyResponse = fc.record({
  by: fc.constantFrom('receiver', 'handler'),
  kind: fc.constantFrom('status', 'timeout', 'dropped', 'unreachable'),
  status: fc.constantFrom(200, 204, 302, 401, 422, 500),
  ms: fc.option(fc.integer({ min: 0, max: 100_000 })),
  error: fc.option(fc.string()),
  acknowledged: fc.boolean(),
  sendId: fc.constant(null),
} as const)
const anyStep = fc
  .record({
    kind: fc.constantFrom('trigger', 'make', 'wait', 'delivery', 'answer', 'check'),
    pair: fc.tuple(fc.constantFrom(...actors), fc.constantFrom(...actors)),
    title: fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
      fc.constantFrom('Links a Visa card', '`${clearing.updated}` is a time', 'no program.status'),
    ),
    event: fc.constantFrom(
      'transaction.clearing.qualified',
      'card.linked',
      'location.status',
      null,
    ),
    outcome: fc.constantFrom('pass', 'fail', 'missing', 'skip', null),
    arrived: fc.option(anyArrived),
    response: fc.option(anyResponse),
    gaveUp: fc.boolean(),
    gap: fc.constantFrom(0, 30_000, MINUTE, 50 * HOUR),
    message: fc.lorem({ maxCount: 12 }),
    lastsMs: fc.constantFrom(null, HOUR, 24 * HOUR),
  })
  .map(({ pair: [one, other], kind, gap, event, ...part }) => {
    const isDelivery = kind === 'delivery' || kind === 'answer'
    const [from, to] =
      kind === 'delivery'
        ? ([one === 'attacker' ? 'attacker' : 'service', 'receiver'] as const)
        : kind === 'answer'
          ? (['receiver', 'handler'] as const)
          : kind === 'wait'
            ? (['service', 'service'] as const)
            : ([one, other] as const)
    const gaveUp = part.gaveUp && kind === 'delivery'
    return {
      gap,
      part: { ...part, gaveUp, kind, actor: from, from, to, event: isDelivery ? event : null },
    }
  })
const anyRun = fc.array(anyStep, { minLength: 1, maxLength: 14 }).map((all) => {
  let at = 0
  return run(
    all.map(({ gap, part }, index) =>
      step(index, { ...part, businessAt: iso((at += gap)), deliveryId: `d${index}` }),
    ),
    { handler: 'http://localhost', handlerName: 'a-rather-long-name' },
  )
})

interface Area {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** The areas of the texts of some shapes. */
function areasOf(shapes: readonly Shape[]): Area[] {
  return shapes.flatMap((shape): Area[] => {
    if (shape.kind !== 'text' || shape.parts.length === 0) return []
    const width = partsWidth(shape.parts)
    const left = shape.anchor === 'middle' ? shape.x - width / 2 : shape.x
    return [{ left, right: left + width, top: shape.y - 9, bottom: shape.y + 2 }]
  })
}

lawTest.prop([anyRun, fc.integer({ min: 480, max: 1600 })])(
  'no label crosses a lifeline or another label, and rows contain their content',
  (drawn, width) => {
    const layout = layoutDiagram(drawn, { width })
    const xs = layout.lanes.map(({ x }) => x)
    for (const row of layout.rows) {
      const boxes = row.shapes.flatMap((shape) =>
        shape.kind === 'box' && shape.as === 'note' ? [shape] : [],
      )
      const areas = areasOf([...row.times, ...row.shapes])
      for (const [index, area] of areas.entries()) {
        // A box covers the lifeline behind its text.
        const isBoxed = boxes.some(
          ({ x, y, width: w, height: h }) =>
            area.left >= x && area.right <= x + w && area.top >= y && area.bottom <= y + h,
        )
        if (!isBoxed) expect(xs.filter((x) => x > area.left - 4 && x < area.right + 4)).toEqual([])
        expect(area.left).toBeGreaterThanOrEqual(0)
        expect(area.right).toBeLessThanOrEqual(layout.width)
        expect(area.top).toBeGreaterThanOrEqual(0)
        expect(area.bottom).toBeLessThanOrEqual(row.height)
        const over = areas
          .slice(index + 1)
          .filter(
            (o) =>
              o.left < area.right &&
              o.right > area.left &&
              o.top < area.bottom &&
              o.bottom > area.top,
          )
        expect(over).toEqual([])
      }
    }
    const heads = headShapes(layout).flatMap((shape) => (shape.kind === 'box' ? [shape] : []))
    for (const [index, head] of heads.entries()) {
      expect(head.x + head.width).toBeLessThanOrEqual(
        heads[index + 1]?.x ?? layout.width - VERDICT_WIDTH + 4,
      )
      expect(head.x).toBeGreaterThanOrEqual(136)
    }
    expect(layout.rows.reduce((sum, { height }) => sum + height, 0)).toBe(layout.height)
    if (width > 1000 + 100 * layout.lanes.length) expect(layout.width).toBe(width)
  },
)

const HOSTILE = '<script>alert(1)</script>; # "quoted" & \u2028\u0000 %% end'
const hostile = run(
  [
    step(0, { kind: 'trigger', ...ends('cardholder', 'service'), title: 'Card payment' }),
    step(1, {
      event: 'transaction.auth',
      arrived: arrived(payment),
      response: response(500),
      deliveryId: 'one',
    }),
    step(2, {
      event: 'transaction.clearing',
      businessAt: iso(49.5 * HOUR),
      outcome: 'fail',
      message: HOSTILE,
      deliveryId: 'two',
    }),
    step(3, {
      kind: 'wait',
      ...ends('service', 'service'),
      title: 'Wait 24h',
      businessAt: iso(73.5 * HOUR),
      lastsMs: 24 * HOUR,
    }),
    step(4, {
      event: 'transaction.refund',
      outcome: 'missing',
      businessAt: iso(73.6 * HOUR),
      message: 'It did not come.',
    }),
  ],
  { title: `A purchase; ${HOSTILE}`, handlerName: null },
)

/**
 * The Mermaid syntax used here, line by line: keyword, title, participants, messages with one of its arrows, notes. Text after a
 * colon ends at the end of the line or a semicolon, and `#` starts an entity.
 */
const TEXT = String.raw`(?:[^#;\n]|#\d+;)+`
const ACTOR = '[a-z]+'
const mermaidLines = [
  /^sequenceDiagram$/,
  new RegExp(`^  title ${TEXT}$`),
  new RegExp(`^  participant ${ACTOR} as [A-Za-z @-]+$`),
  new RegExp(`^  ${ACTOR}(->>|-->>|--x)${ACTOR}: ${TEXT}$`),
  new RegExp(`^  Note over ${ACTOR}(,${ACTOR})?: ${TEXT}$`),
]

describe('files', () => {
  test('the Mermaid text is valid, whatever its labels contain, and says verdict and outcomes in words', () => {
    const text = drawMermaid(hostile)
    const lines = text.trimEnd().split('\n')
    expect(lines.filter((line) => !mermaidLines.some((grammar) => grammar.test(line)))).toEqual([])
    const declared = lines.flatMap((line) => /participant (\w+)/.exec(line)?.[1] ?? [])
    const used = lines.flatMap(
      (line) => /^ {2}(?:Note over )?([a-z]+)(?:-|,|:)/.exec(line)?.[1] ?? [],
    )
    expect(used.filter((actor) => !declared.includes(actor))).toEqual([])
    expect(text).toContain(
      '  Note over cardholder,receiver: Verdict: Failed at step 3, 3 steps passed\n',
    )
    expect(text).toContain(
      '  Note over cardholder,receiver: What happened: transaction.clearing differs',
    )
    expect(text).toContain(
      '  service->>receiver: ✓ transaction.auth, attempt 1 of 3, valid, 36.90 EUR visa ····4242\n',
    )
    expect(text).toContain('  receiver-->>service: 500 in 12 ms\n')
    expect(text).toContain(
      '  Note over cardholder,receiver: 2 d 1 h until clearing, in 100 ms of real time\n',
    )
    expect(text).not.toContain('<')
    expect(drawMermaid(abandoned)).toContain(
      '  Note over service: Gave up after attempt 3, Delivery abandoned. No more retries.\n',
    )
  })

  test("the SVG is light and well formed, has no scripts or requests, and doesn't depend on colors", () => {
    const svg = drawSvg(hostile)
    const open: string[] = []
    for (const [, end, name = '', self] of svg.matchAll(/<(\/?)([a-z]+)(?:\s[^<>]*?)?(\/?)>/gi)) {
      if (end === '/') expect(open.pop()).toBe(name)
      else if (self !== '/') open.push(name)
    }
    expect(open).toEqual([])
    expect(svg).not.toMatch(/<script|href|url\(|@import| on[a-z]+=|prefers-color-scheme/i)
    expect(svg).not.toContain('http')
    expect(svg.includes('\u0000')).toBe(false)
    expect(svg).toContain('&lt;script&gt;')
    expect(svg).toContain('Not received')
    expect(drawSvg({ ...hostile, title: 'A gift \u{1f381}\ud83c\uffff' })).toContain(
      '<title>A gift \u{1f381}</title>',
    )
  })

  test('the SVG carries its title, sandbox and real times, and a legend', () => {
    const texts = [...drawSvg(abandoned).matchAll(/<tspan[^>]*>([^<]*)</g)].map(
      ([, value]) => value,
    )
    for (const text of [
      '21 Nov 10:00:00',
      '+100 ms',
      'Gave up',
      '1 step skipped: no handler in this run',
    ])
      expect(texts).toContain(text)
    expect(drawSvg(abandoned)).toContain('<title>Three failures: delivery abandoned</title>')
  })
})

test('a response has the same words everywhere', () => {
  const received = { event: 'card.linked', arrived: arrived() }
  expect(responseText({ ...received, response: response(500) })).toBe('500 in 12 ms')
  expect(responseText({ ...received, response: response(422, { by: 'handler' }) })).toBe(
    '422 Unprocessable Content in 12 ms',
  )
  expect(responseText({ ...received, response: response(500, { by: 'handler' }) }, '200')).toBe(
    '500 in 12 ms, expected 200',
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
  expect(HEAD_HEIGHT).toBe(52)
})
