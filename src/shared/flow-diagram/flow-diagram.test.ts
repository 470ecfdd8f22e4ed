import { describe, expect, test } from 'vitest'
import type { FlowRun, FlowRunStep } from '../model/flow-run.ts'
import { layoutDiagram } from './layout.ts'
import { drawMermaid } from './mermaid.ts'
import { drawSvg } from './svg.ts'
import { momentWords, timeWords } from './words.ts'

const START = Date.UTC(2026, 10, 21, 10)
const iso = (ms: number) => new Date(START + ms).toISOString()
const HOUR = 3_600_000

function step(index: number, part: Partial<FlowRunStep>): FlowRunStep {
  return {
    index,
    name: `step-${index}`,
    kind: 'delivery',
    actor: 'service',
    from: 'service',
    to: 'receiver',
    title: 'card.linked',
    event: 'card.linked',
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

const HOSTILE = '<script>alert(1)</script>; # "quoted" & \u2028\u0000 %% end'

const run: Pick<FlowRun, 'title' | 'steps' | 'strays' | 'speed' | 'startedAt' | 'businessStartedAt' | 'clock'> = {
  title: `A purchase; ${HOSTILE}`,
  speed: 'max',
  startedAt: iso(0),
  businessStartedAt: iso(0),
  clock: null,
  steps: [
    step(0, { kind: 'trigger', from: 'cardholder', actor: 'cardholder', to: 'service', title: 'Card payment' }),
    step(1, { title: 'transaction.auth', deliveryId: 'one' }),
    step(2, {
      title: 'transaction.clearing',
      businessAt: iso(49.5 * HOUR),
      outcome: 'fail',
      message: HOSTILE,
      deliveryId: 'two',
    }),
    step(3, {
      kind: 'answer',
      actor: 'handler',
      from: 'receiver',
      to: 'handler',
      title: 'Your handler accepts the delivery',
      outcome: 'skip',
      businessAt: iso(49.5 * HOUR),
    }),
    step(4, { kind: 'wait', from: 'service', to: 'service', title: '24h pass', businessAt: iso(73.5 * HOUR) }),
    step(5, {
      kind: 'check',
      actor: 'receiver',
      from: 'receiver',
      to: 'receiver',
      title: 'amount is 12.5',
      businessAt: iso(73.5 * HOUR),
    }),
    step(6, { title: 'transaction.refund', outcome: 'missing', businessAt: iso(73.6 * HOUR), message: 'It did not come.' }),
    step(7, { state: 'waiting', outcome: null, at: null, businessAt: null, message: '' }),
  ],
  strays: [
    {
      deliveryId: 'three',
      kind: 'duplicate',
      event: 'card.linked',
      at: iso(900),
      businessAt: iso(73.6 * HOUR),
      message: 'A duplicate.',
      arrived: null,
      response: null,
    },
  ],
}

describe('layout', () => {
  const layout = layoutDiagram(run)

  test('has a lifeline per participant, from causes to handlers', () => {
    expect(layout.lifelines.map(({ label }) => label)).toEqual(['Cardholder', 'Service', 'Countersign', 'Your handler'])
    const [first, ...others] = layout.lifelines.map(({ x }) => x)
    expect(others.every((x, index) => x > ([first, ...others][index] ?? 0))).toBe(true)
  })

  test('draws waits and long pauses between steps as gaps', () => {
    expect(layout.rows.map(({ kind, label, look }) => [kind, label, look])).toEqual([
      ['arrow', 'Card payment', 'pass'],
      ['arrow', 'transaction.auth', 'pass'],
      ['gap', '2 d 1 h of sandbox time', 'pass'],
      ['arrow', 'transaction.clearing', 'fail'],
      ['arrow', 'Your handler accepts the delivery', 'skip'],
      ['gap', '24h pass', 'pass'],
      ['note', 'amount is 12.5', 'pass'],
      ['gap', '6 min of sandbox time', 'pass'],
      ['arrow', 'transaction.refund', 'missing'],
      ['arrow', 'card.linked', 'planned'],
      ['arrow', 'card.linked (duplicate)', 'stray'],
    ])
  })

  test('gives each arrow both times and its delivery, and each row its own position', () => {
    expect(layout.rows[3]).toMatchObject({ businessTime: '23 Nov 11:30:00', realTime: '+200 ms', step: 2, deliveryId: 'two' })
    expect(layout.rows[9]).toMatchObject({ businessTime: null, realTime: null, step: 7 })
    for (const [index, { y }] of layout.rows.entries()) expect(y).toBeGreaterThan(layout.rows[index - 1]?.y ?? layout.top)
    expect(layout.height).toBeGreaterThan(layout.rows.at(-1)?.y ?? 0)
  })

  test("draws a flow that hasn't run without times", () => {
    const plan = layoutDiagram({ title: 'Plan', steps: run.steps.map(({ state: _, ...planned }) => planned) })
    expect(plan.rows.every(({ look, businessTime }) => look === 'planned' && businessTime === null)).toBe(true)
  })
})

/**
 * The Mermaid syntax used here, line by line: keyword, title, participants, messages with one of its arrows, notes. Text after a
 * colon ends at the end of the line or a semicolon, and `#` starts an entity.
 */
const TEXT = String.raw`(?:[^#;\n]|#\d+;)+`
const ACTOR = '[a-z]+'
const mermaidLines = [
  /^sequenceDiagram$/,
  new RegExp(`^  title ${TEXT}$`),
  new RegExp(`^  participant ${ACTOR} as [A-Za-z ]+$`),
  new RegExp(`^  ${ACTOR}(->>|-->>|-x|--x)${ACTOR}: ${TEXT}$`),
  new RegExp(`^  Note over ${ACTOR}(,${ACTOR})?: ${TEXT}$`),
]

test('the Mermaid text is valid, whatever its labels contain, and declares each participant first', () => {
  const text = drawMermaid(layoutDiagram(run))
  const lines = text.trimEnd().split('\n')
  expect(lines.filter((line) => !mermaidLines.some((grammar) => grammar.test(line)))).toEqual([])
  const declared = lines.flatMap((line) => /participant (\w+)/.exec(line)?.[1] ?? [])
  const used = lines.flatMap((line) => /^ {2}(?:Note over )?([a-z]+)(?:-|,|:)/.exec(line)?.[1] ?? [])
  expect(used.filter((actor) => !declared.includes(actor))).toEqual([])
  expect(text).toContain('  service-xreceiver: ✕ transaction.clearing\n')
  expect(text).toContain('  service--xreceiver: ? (missing) transaction.refund\n')
  expect(text).toContain('  Note over cardholder,handler: 2 d 1 h of sandbox time, in 100 ms of real time\n')
  expect(text).not.toContain('<')
})

test("the SVG is well formed, has no scripts or requests, and doesn't depend on colors", () => {
  const svg = drawSvg(layoutDiagram(run))
  const open: string[] = []
  for (const [, end, name = '', self] of svg.matchAll(/<(\/?)([a-z]+)(?:\s[^<>]*?)?(\/?)>/gi)) {
    if (end === '/') expect(open.pop()).toBe(name)
    else if (self !== '/') open.push(name)
  }
  expect(open).toEqual([])
  expect(svg).not.toMatch(/<script|href|url\(|@import| on[a-z]+=/i)
  // XML namespace names are not requests.
  expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toContain('http')
  expect(svg.includes('\u0000')).toBe(false)
  expect(svg).toContain('&lt;script&gt;')
  for (const glyph of ['✓', '✕', '⊘', '?', '!']) expect(svg).toContain(`<tspan class="mark">${glyph} </tspan>`)
  expect(svg).toContain('23 Nov 11:30:00')
  expect(drawSvg(layoutDiagram(run), { embedded: true })).not.toContain('<style')
  expect(drawSvg(layoutDiagram({ ...run, title: 'A gift \u{1f381}\ud83c\uffff' }))).toContain('<title>A gift \u{1f381}</title>')
})

test('times use their two largest units', () => {
  expect([350, 1_000, 80_000, 3_600_000, 172_800_000, 178_200_000].map(timeWords)).toEqual([
    '350 ms',
    '1 s',
    '1 min 20 s',
    '1 h',
    '2 d',
    '2 d 1 h',
  ])
  expect(momentWords('2026-01-05T04:03:02.001Z')).toBe('5 Jan 04:03:02')
})
