import { describe, expect, test } from 'vitest'
import type {
  FlowActor,
  FlowArrived,
  FlowFacts,
  FlowResponse,
  FlowRun,
  FlowRunStep,
} from '../model/flow.ts'
import { diagramOf, type Diagram, type DiagramRow } from './diagram.ts'
import { drawMermaid } from './mermaid.ts'
import type { Part } from './parts.ts'
import { happenedIn, responseText, verdictOf } from './story.ts'
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

/** A part and all within it. */
const within = (part: Part): Part[] =>
  typeof part !== 'string' && part.kind === 'span' ? [part, ...part.inside.flatMap(within)] : [part]
const textOf = (part: Part) =>
  within(part)
    .filter((one) => typeof one === 'string')
    .join('')
/** The classes of a row's parts, without their places on the grid. */
const classesOf = ({ drawing }: Pick<DiagramRow, 'drawing'>) =>
  drawing
    .flatMap(within)
    .flatMap((part) => (typeof part === 'string' || part.kind === 'break' ? [] : [part.className]))
    .map((name) => name.replaceAll(/ (?:at|to)-\d+/g, ''))
/** The texts, line by line. */
const textsOf = ({ drawing }: Pick<DiagramRow, 'drawing'>) =>
  drawing
    .flatMap(within)
    .filter((part) => typeof part !== 'string' && part.kind === 'span')
    .filter(({ className }) => /^(?:text (?:title|response)|line|facts)/.test(className))
    .map(textOf)
const rowOf = (diagram: Diagram, index: number) => diagram.rows[index] ?? expect.unreachable()
/** The colors of the arrows of a style. */
const inksOf = (row: DiagramRow, style: string) =>
  classesOf(row).flatMap((name) => {
    const [, found, ink] = /^arrow (\S+) .*i-(\w+)/.exec(name) ?? []
    return found === style ? [ink] : []
  })
const iconsOf = (row: DiagramRow) =>
  classesOf(row).flatMap((name) => /^icon is-(\w+) i-(\w+)/.exec(name)?.slice(1).join(' ') ?? [])

describe('responses are drawn', () => {
  const diagram = diagramOf(abandoned)
  const [failed, timedOut, dropped] = [rowOf(diagram, 1), rowOf(diagram, 3), rowOf(diagram, 5)]

  test('a status returns in the color of its outcome, with its time', () => {
    expect(textsOf(failed)).toContain('500 in 12 ms')
    expect([inksOf(failed, 'back'), iconsOf(failed)]).toEqual([
      ['bad'],
      ['valid ok', 'invalid bad', 'check ok'],
    ])
    const accepted = rowOf(diagramOf(handlerFailed), 1)
    expect([inksOf(accepted, 'back'), textsOf(accepted)]).toEqual([
      ['ok'],
      ['transaction.auth', '36.90 EUR visa ····4242', '200 in 2 ms'],
    ])
  })

  test('a timeout ends in a clock, a dropped connection in slashes and a cross', () => {
    expect(textsOf(timedOut)).toContain('No response within 20 s')
    expect(iconsOf(timedOut)).toContain('timeout bad')
    expect(textsOf(dropped)).toContain('Connection dropped after 3 ms')
    expect([inksOf(dropped, 'back'), iconsOf(dropped)]).toEqual([
      ['bad'],
      ['valid ok', 'dropped bad', 'check ok'],
    ])
  })

  test('giving up is a terminal mark on the service, whose lifeline is dotted from there on', () => {
    const gaveUp = rowOf(diagram, 6)
    expect([gaveUp.kind, textsOf(gaveUp)]).toEqual([
      'gave-up',
      ['Gave up after attempt 3', 'Delivery abandoned. No more retries.'],
    ])
    const dotted = [...diagram.rows, { drawing: [diagram.feet] }].map(
      (row) => classesOf(row).filter((name) => name === 'life ended of-service').length,
    )
    expect(dotted).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 1])
    expect(
      diagram.rows.map(({ label }) => label).filter((label) => label.includes('retry')),
    ).toEqual(['1 min until retry', '2 min until last retry'])
    expect(rowOf(diagram, 7).label).toBe('24 h, nothing received')
  })

  test('any status that the service does not count is red, and a failed step also says what was expected', () => {
    for (const status of [204, 302, 404])
      expect(
        inksOf(
          rowOf(diagramOf(run([step(0, { arrived: arrived(), response: response(status) })])), 0),
          'back',
        ),
      ).toEqual(['bad'])
    const row = rowOf(diagramOf(handlerFailed), 6)
    expect([textsOf(row).at(-1), row.look]).toEqual(['500 in 44 ms, expected 200', 'fail'])
    const anyOf2xx = diagramOf(
      run([step(0, { arrived: arrived(), response: response(204, { acknowledged: true }) })]),
    )
    expect([inksOf(rowOf(anyOf2xx, 0), 'back'), anyOf2xx.marks]).toEqual([
      ['ok'],
      ['valid', 'acknowledged-2xx', 'as-expected'],
    ])
  })
})

describe('as expected and what happened are two things', () => {
  const diagram = diagramOf(forged)

  test('a forged delivery is red and comes from the attacker, our 200 to it is gray, and rejecting it is as expected', () => {
    expect(textOf(diagram.heads)).toContain('AttackerCountersignYour handler@local')
    const [received, rejected] = [rowOf(diagram, 0), rowOf(diagram, 1)]
    expect([inksOf(received, 'request'), inksOf(received, 'back'), received.look]).toEqual([
      ['bad'],
      ['subtle'],
      'pass',
    ])
    expect(textsOf(received)).toEqual([
      'transaction.auth',
      'Invalid: signed with another secret',
      '24.20 GBP mastercard ····4444',
      '200 in 2 ms, recorded only',
    ])
    expect([inksOf(rejected, 'request'), inksOf(rejected, 'back'), textsOf(rejected)]).toEqual([
      ['bad'],
      ['bad'],
      ['transaction.auth', '401 Unauthorized in 5 ms'],
    ])
    expect(iconsOf(rejected).at(-1)).toBe('check ok')
    expect(diagram.notes).toEqual(['Not in this flow: Cardholder, Service'])
  })

  test.each([
    [{ verdict: 'valid', freshness: 'fresh' }, 'ok'],
    [{ verdict: 'valid', freshness: 'stale' }, 'warn'],
    [{ verdict: 'invalid', freshness: 'fresh' }, 'bad'],
    [{ verdict: 'unsigned', freshness: 'missing' }, 'muted'],
  ] as const)('a delivery with %o is %s', (part, ink) => {
    expect(
      inksOf(rowOf(diagramOf(run([step(0, { arrived: arrived({}, part) })])), 0), 'request'),
    ).toEqual([ink])
  })

  test('nothing that failed is green: neither its verdict nor its arrow', () => {
    const missing = rowOf(
      diagramOf(run([step(0, { outcome: 'missing', message: 'Nothing arrived.' })])),
      0,
    )
    expect([inksOf(missing, 'planned'), iconsOf(missing)]).toEqual([
      ['bad'],
      ['unknown bad', 'cross bad'],
    ])
    expect(textsOf(missing)).toEqual(['card.linked', 'Not received', 'Nothing arrived.'])
    const stray = {
      deliveryId: 's',
      kind: 'duplicate',
      event: 'card.linked',
      at: iso(1),
      businessAt: iso(1),
      message: 'A duplicate.',
    } as const
    const row = rowOf(
      diagramOf(run([], { strays: [{ ...stray, arrived: null, response: null }] })),
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
  const content = (event: string, facts: Partial<FlowFacts>) =>
    rowOf(diagramOf(run([step(0, { event, arrived: arrived(facts) })])), 0)

  test('each event has the tint of the lifecycle, on its dot and name', () => {
    const tint = (event: string) =>
      classesOf(content(event, {})).flatMap((name) => /^(?:dot|bold) i-(\w+)/.exec(name)?.[1] ?? [])
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
      ['auth', 'auth'],
      ['clearing', 'clearing'],
      ['refund', 'refund'],
      ['card', 'card'],
      ['location', 'location'],
      ['muted', 'plain'],
    ])
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
    ).toEqual(['transaction.auth.qualified', 'Amount36.90 EURCashback1.85 EURFee0.37 EUR'])
    expect(
      textsOf(content('location.status', { scheme: 'visa', status: 'location.active' })),
    ).toContain('visa active')
    expect(textsOf(content('card.linked', card))).toContain('visa ····1111')
  })
})

describe('layout', () => {
  test('has a lane for each participant, and notes about omitted lanes and steps', () => {
    const diagram = diagramOf(abandoned)
    expect(diagram.lanes).toEqual(['cardholder', 'service', 'receiver'])
    // A delivery has more text than what a cardholder does.
    expect(diagram.columns).toBe(
      '136px minmax(60px,1fr) minmax(92px,3fr) minmax(150px,5fr) minmax(76px,1fr) 80px',
    )
    expect(diagram.notes).toEqual(['1 step skipped: no handler in this run'])
    expect(diagram.marks).toEqual([
      'valid',
      'refused',
      'timeout',
      'dropped',
      'gave-up',
      'as-expected',
    ])
  })

  test("draws a flow that hasn't run without times, and a waiting one with its progress", () => {
    const plan = diagramOf({
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
    const [band] = diagramOf(run([waiting], { clock, state: 'running', outcome: null })).rows
    expect([band?.label, band?.words]).toEqual([
      '12 h of at least 2 d',
      '12 h of at least 2 d, sandbox time until clearing',
    ])
    expect(band?.drawing).toContainEqual(
      expect.objectContaining({ className: 'passed', d: 'M0 0H0.25V1H0z' }),
    )
  })
})

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
})
