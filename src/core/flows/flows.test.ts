import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  rightAnswer,
  startFlowFixture,
  startFlowHandler,
  type FlowFixture,
} from '../../../test/support/flow-fixture.ts'
import { createDeliverer, signedHeaders } from '../../../test/support/deliver.ts'
import { accountOf } from '../../../test/support/model-values.ts'
import type { AppError } from '../../shared/contract/errors.ts'
import type { FlowRun } from '../../shared/model/flow-run.ts'
import { reportFlow } from './reports.ts'

let fixture: FlowFixture
beforeAll(async () => {
  fixture = await startFlowFixture()
})
afterAll(async () => {
  expect(fixture.bugs).toEqual([])
})

const outcomes = ({ steps }: FlowRun) => steps.map(({ outcome }) => outcome)

async function until(runId: string, holds: (run: FlowRun) => boolean): Promise<FlowRun> {
  for (;;) {
    const run = await fixture.flows.run(runId)
    if (holds(run)) return run
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const refusal = (input: Parameters<FlowFixture['start']>[0]) =>
  fixture.start(input).then(
    () => null,
    (error: unknown) => error as AppError,
  )

const source = (flow: object) => ({
  text: JSON.stringify({ flow: 1, name: 'mine', title: 'Mine', ...flow }),
  file: 'mine.json',
})

test('72 hours of sandbox time pass in seconds, and a step says in words what arrived', async () => {
  const run = await fixture.run({ name: 'purchase-amex' })
  expect(run).toMatchObject({ target: 'sandbox', environment: 'sandbox-test' })
  const waited = await fixture.run({ source: source({ steps: [{ kind: 'wait', for: '72h' }] }) })
  expect(Date.parse(waited.steps[0]?.businessAt ?? '') - Date.parse(waited.businessStartedAt)).toBe(
    72 * 3_600_000,
  )
  // The limit is two seconds on an idle machine.
  expect(Date.parse(waited.endedAt ?? '') - Date.parse(waited.startedAt)).toBeLessThan(10_000)
  expect(run.steps.find(({ name }) => name === 'clearing')?.told).toMatch(
    /^(?:\d{1,3}(?:,\d{3})* JPY|\d{1,3}(?:,\d{3})*\.\d\d [A-Z]{3}) · amex …\d{4}$/,
  )
})

test('stepping passes steps that do nothing, and pauses before the next one that does', async () => {
  const { id } = await fixture.start({ name: 'purchase-visa', paused: true })
  const steppedTo = async (index: number) => {
    await fixture.flows.step(id)
    return outcomes(
      await until(id, ({ state, current }) => state === 'paused' && current === index),
    )
  }
  await until(id, ({ state }) => state === 'paused')
  await steppedTo(1)
  await steppedTo(2)
  // The purchase, and your handler's response to it: no handler is set.
  expect(await steppedTo(4)).toEqual(['pass', 'pass', 'pass', 'skip', null, null, null])
  await steppedTo(5)
  // Nothing is left to do after the last check.
  await fixture.flows.step(id)
  expect(outcomes(await fixture.ended(id))).toEqual([
    'pass',
    'pass',
    'pass',
    'skip',
    'pass',
    'pass',
    'skip',
  ])

  const missing = await fixture.start({
    source: source({
      steps: [
        { kind: 'delivery', event: 'transaction.auth', as: 'purchase' },
        { kind: 'trigger', event: 'transaction.refund', of: '${purchase.id}' },
        { kind: 'wait', for: '1h' },
      ],
    }),
    paused: true,
  })
  await until(missing.id, ({ state }) => state === 'paused')
  await fixture.flows.step(missing.id)
  const paused = await until(
    missing.id,
    ({ state, current }) => state === 'paused' && current === 2,
  )
  expect(outcomes(paused)).toEqual(['missing', 'skip', null])
  await fixture.flows.cancel(missing.id)
})

test('a run from a step pauses before it, or before the next that does something', async () => {
  const skipped = await fixture.start({ name: 'purchase-visa', from: 3 })
  const before = await until(skipped.id, ({ state }) => state === 'paused')
  expect([before.current, outcomes(before)]).toEqual([
    4,
    ['pass', 'pass', 'pass', 'skip', null, null, null],
  ])
  await fixture.flows.cancel(skipped.id)
})

test("cancelling a run doesn't wait for a handler that hangs", async () => {
  // Longer than a test may take.
  fixture.limitHandler(3_600_000)
  let asked = 0
  const handler = await startFlowHandler('whsec_of_the_handler', () => {
    asked++
    return null
  })
  const { id } = await fixture.start({
    name: 'purchase-visa',
    handler: { url: handler.url, secret: 'whsec_of_the_handler' },
  })
  await expect.poll(() => asked).toBe(1)
  expect(await fixture.flows.cancel(id)).toMatchObject({
    state: 'cancelled',
    outcome: null,
    summary: 'Cancelled.',
  })
  await handler.close()
  fixture.limitHandler(null)
  // Queued deliveries are no longer sent.
  expect(asked).toBe(1)
})

test('if the sandbox is reset, runs in it end and say so, and keep what happened', async () => {
  const { id } = await fixture.start({ name: 'purchase-visa', speed: 1 })
  await until(id, ({ current }) => current === 4)
  fixture.flows.sandboxReset()
  const ended = await fixture.ended(id)
  expect(ended).toMatchObject({
    ...{
      state: 'cancelled',
      outcome: null,
      summary: 'The sandbox was reset during the run. Run the flow again.',
    },
  })
  expect(ended.steps[2]).toMatchObject({
    outcome: 'pass',
    arrived: { verdict: 'valid' },
    response: { status: 200 },
  })
  expect(ended.steps[2]?.checks.length).toBeGreaterThan(3)
  expect(ended.steps[4]).toMatchObject({ outcome: 'skip', message: 'Run cancelled.' })
})

test("a handler that is down is unreachable, one that drops the connection isn't, and the step says so", async () => {
  const handler = await startFlowHandler('whsec', rightAnswer)
  await handler.close()
  const at = { secret: 'whsec' }
  const down = await fixture.run({ name: 'card-linked', handler: { url: handler.url, ...at } })
  const failing = ({ steps }: FlowRun) => steps.find(({ outcome }) => outcome === 'fail')
  expect(failing(down)).toMatchObject({
    message: expect.stringMatching(/^Couldn't reach your handler: .*\.$/),
    response: { by: 'handler', kind: 'unreachable', status: null, acknowledged: false },
    checks: [
      { field: 'Status', expected: '200', operator: '≠', actual: 'unreachable', passed: false },
    ],
  })
  const rude = createServer((socket) => {
    socket.once('data', () => socket.destroy())
  })
  rude.listen(0, '127.0.0.1')
  await once(rude, 'listening')
  const { port } = rude.address() as AddressInfo
  const dropped = await fixture.run({
    name: 'card-linked',
    handler: { url: `http://127.0.0.1:${port}/`, ...at },
  })
  rude.close()
  expect(failing(dropped)).toMatchObject({
    message: expect.stringMatching(/^Your handler closed the connection without a response: /),
    response: { kind: 'dropped', status: null },
    checks: [{ field: 'Status', actual: 'connection dropped' }],
  })
})

test('a handler that is silent for as long as the service waits is a timeout', async () => {
  fixture.limitHandler(1_000)
  const handler = await startFlowHandler('whsec', () => null)
  const run = await fixture.run({
    name: 'card-linked',
    handler: { url: handler.url, secret: 'whsec' },
  })
  fixture.limitHandler(null)
  await handler.close()
  const failed = run.steps.find(({ outcome }) => outcome === 'fail')
  expect(failed).toMatchObject({
    kind: 'answer',
    message: expect.stringMatching(/^Your handler didn't respond: .*within/),
    response: { by: 'handler', kind: 'timeout', status: null, acknowledged: false },
  })
  expect(failed?.checks[0]).toMatchObject({
    field: 'Status',
    expected: '200',
    operator: '≠',
    actual: 'no response',
    passed: false,
  })
})

test('hooks are reused by the next run, and concurrent runs have their own hooks', async () => {
  const of = () => fixture.hooks.list().filter(({ event }) => event === 'card.failed')
  await fixture.run({ name: 'card-failed' })
  const before = of().map(({ id }) => id)
  await fixture.run({ name: 'card-failed' })
  expect(of().map(({ id }) => id)).toEqual(before)
  const both = await Promise.all([
    fixture.start({ name: 'card-failed' }),
    fixture.start({ name: 'card-failed' }),
  ])
  const ended = await Promise.all(both.map(({ id }) => fixture.ended(id)))
  expect(ended.map(({ outcome, strays }) => [outcome, strays])).toEqual([
    ['pass', []],
    ['pass', []],
  ])
  expect(of().length).toBe(before.length + 1)
  // The state a killed process leaves.
  const url = `${fixture.receiver}/h/flow-sandbox-test-card-linked-left`
  const left = {
    kind: 'program',
    event: 'card.linked',
    url,
    programId: null,
    offerId: null,
    headers: {},
    remoteId: 'flow',
  } as const
  await fixture.hooks.record({
    ...left,
    environment: 'sandbox-test',
    status: 'active',
    record: null,
    secret: 'whsec_left',
  })
  await fixture.run({ name: 'brand-consent-test' })
  expect(fixture.hooks.list().filter(({ status }) => status === 'active')).toEqual([])
})

test('unexpected deliveries and duplicates fail a run; a delivery that arrives too early is out of order', async () => {
  const duplicated = await fixture.run({
    source: source({
      steps: [
        { kind: 'trigger', event: 'card.linked', fault: 'duplicate' },
        { kind: 'delivery', event: 'card.linked', as: 'card' },
      ],
    }),
  })
  expect([
    duplicated.outcome,
    outcomes(duplicated),
    duplicated.strays.map(({ kind }) => kind),
  ]).toEqual(['fail', ['pass', 'pass'], ['duplicate']])
  expect(duplicated.summary).toMatch(
    /^card\.linked \S+ is a duplicate of \S+, which was already acknowledged\.$/,
  )

  const hooks = [{ id: 'twin', event: 'transaction.auth.qualified' }]
  const steps = [
    { kind: 'trigger', event: 'transaction.auth' },
    { kind: 'delivery', event: 'transaction.auth' },
  ]
  const unexpected = await fixture.run({ source: source({ hooks, steps }) })
  expect([unexpected.outcome, unexpected.strays.map(({ kind, event }) => [kind, event])]).toEqual([
    'fail',
    [['unexpected', 'transaction.auth.qualified']],
  ])
  expect(unexpected.strays[0]).toMatchObject({
    arrived: { verdict: 'valid' },
    response: { by: 'receiver', status: 200 },
  })
  // Every delivery of a run is marked with its step.
  const markOf = async (id: string | null | undefined) =>
    (await fixture.store.read('get', id ?? '')).flowRun
  const mark = { flow: 'mine', run: unexpected.id }
  await expect
    .poll(() => markOf(unexpected.steps[1]?.deliveryId))
    .toMatchObject({ ...mark, step: 'delivery-2' })
  await expect
    .poll(() => markOf(unexpected.strays[0]?.deliveryId))
    .toMatchObject({ ...mark, step: null })

  const early = await fixture.run({
    source: source({
      steps: [
        { kind: 'trigger', event: 'transaction.auth', fault: 'out-of-order' },
        { kind: 'delivery', event: 'transaction.auth', as: 'auth' },
        { kind: 'delivery', event: 'transaction.clearing' },
      ],
    }),
  })
  expect(outcomes(early)).toEqual(['pass', 'pass', 'fail'])
  expect(early.steps[2]?.message).toMatch(
    /^Arrived before transaction\.auth \(\S+\), which it should follow\.$/,
  )
  expect(early.steps[2]?.fix).toContain('"order": "any"')
})

test('steps that need a missing delivery are skipped; if the sandbox refuses a request, its message is the reason', async () => {
  const run = await fixture.run({
    source: source({
      hooks: [{ id: 'card', event: 'card.linked' }],
      steps: [
        { kind: 'delivery', event: 'transaction.auth', as: 'purchase' },
        { kind: 'trigger', event: 'transaction.refund', of: '${purchase.id}' },
        { kind: 'trigger', event: 'transaction.clearing', of: 'nobody' },
        { kind: 'trigger', event: 'card.linked', as: 'it' },
        { kind: 'delivery', event: 'card.linked', as: 'linked' },
        { kind: 'check', value: '${linked.nothing}', rule: 1 },
        { kind: 'check', value: 'card ${it.card}', rule: { is: 'card ${linked.id}' } },
      ],
    }),
  })
  expect(outcomes(run)).toEqual(['missing', 'skip', 'fail', 'pass', 'pass', 'fail', 'pass'])
  expect(run.steps.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      'No transaction.auth within 30s of sandbox time. No other deliveries arrived.',
      "purchase.id isn't available: the step that saves purchase didn't pass.",
      expect.stringContaining('Transaction nobody not found in sandbox-test.'),
      "linked.nothing isn't available: linked has no field nothing.",
    ]),
  )
  // Before it ran, a check without a title names its value; then it says what the value is.
  expect(fixture.reported.find(({ id }) => id === run.id)?.steps[6]?.title).toBe(
    'card it.card is "card linked.id"',
  )
  expect(run.steps[6]?.title).toMatch(/^card it\.card is "card \S{36}"$/)
  expect(run.steps[0]?.checks).toEqual([
    {
      field: 'Within',
      path: null,
      expected: '30 s',
      operator: '≠',
      actual: 'not received',
      passed: false,
    },
  ])
})

test('runs are stored, listed newest first, and each says what happened', async () => {
  const handler = await startFlowHandler('whsec', rightAnswer)
  const at = { url: handler.url, secret: 'whsec' }
  const good = await fixture.run({ name: 'stale', handler: at })
  // Each delivery has its own connection, so none meets one that the handler has just closed.
  expect(handler.connections()).toBe(handler.seen.length)
  const bad = await fixture.run({ name: 'stale', handler: { ...at, secret: 'whsec_other' } })
  await handler.close()
  const { flows } = fixture
  expect(
    (await flows.runs({ flow: 'stale', limit: 10 })).map(({ id, outcome }) => [id, outcome]),
  ).toEqual([
    [bad.id, 'fail'],
    [good.id, 'pass'],
  ])
  expect(await flows.run(good.id)).toEqual(good)
  expect([good.happened, bad.happened]).toEqual([
    '1 stale delivery: handler rejected it with 401',
    'Your handler returned 401 to transaction.auth',
  ])
  expect([good.reason, bad.reason]).toEqual(['', 'Auth: returned 401, expected 200'])
  const other = await fixture.run({ name: 'card-linked' })
  const { source } = flows.get({ name: 'card-linked' })
  const own = await fixture.run({
    source: { text: source, file: 'mine.json', path: '/work/mine.json' },
  })
  expect([own.flow, own.origin, other.origin]).toEqual(['card-linked', '/work/mine.json', null])
})

test("what a run sends to a handler is a send of its delivery, with the response's headers and body", async () => {
  const handler = await startFlowHandler('whsec', (delivery, number) =>
    number === 2 ? 500 : rightAnswer(delivery),
  )
  const run = await fixture.run({ name: 'stale', handler: { url: handler.url, secret: 'whsec' } })
  await handler.close()
  const { flows, store } = fixture
  const [rejected, failing] = run.steps.filter(({ kind }) => kind === 'answer')
  expect([rejected?.response, failing?.response]).toMatchObject([
    { by: 'handler', kind: 'status', status: 401, acknowledged: false, sendId: `${run.id}.1` },
    { by: 'handler', kind: 'status', status: 500, acknowledged: false, sendId: `${run.id}.2` },
  ])
  const send = await store.read('send', failing?.response?.sendId ?? '')
  expect(send).toMatchObject({
    ...{
      kind: 'flow',
      replayId: run.id,
      deliveryId: failing?.deliveryId,
      target: handler.url,
      tamper: null,
      status: 500,
    },
    ...{ state: 'settled', outcome: 'failed', registeredUrl: handler.url, error: null },
  })
  expect(send.headers).toContainEqual(['content-type', 'application/json'])
  expect(Buffer.from(send.base64, 'base64').toString()).toBe('{"status":500}')
  expect(send.sent?.headers.map(([name]) => name)).toContain('x-service-signature')
  // The stale delivery stayed stale.
  const { seq } = await store.read('get', rejected?.deliveryId ?? '')
  expect(await store.read('sendsOfDelivery', { deliverySeq: seq, limit: 10 })).toMatchObject([
    { id: `${run.id}.1`, kind: 'flow', tamper: 'stale' },
  ])
  expect((await flows.run(run.id)).steps.at(-1)?.response).toEqual(failing?.response)
})

test("a run's deliveries are of their step", async () => {
  const before = fixture.stored.length
  const run = await fixture.run({ name: 'card-linked' })
  const seqs = fixture.stored.slice(before).map(({ seq }) => seq)
  const own = { flow: 'card-linked', run: run.id }
  await expect
    .poll(() => fixture.store.read('rowsBySeq', seqs))
    .toMatchObject([{ flowRun: { ...own, step: 'card' } }])
})

test('a run whose process is gone is interrupted', async () => {
  const run = await fixture.run({ name: 'card-linked' })
  const open: FlowRun = { ...run, id: `${run.id}x`, state: 'running', outcome: null, endedAt: null }
  await fixture.store.write('putFlowRun', { run: open, owner: 2 ** 30 })
  expect(await fixture.flows.run(open.id)).toMatchObject({ state: 'interrupted', outcome: null })
  expect((await fixture.flows.runs({ flow: undefined, limit: 1 }))[0]).toMatchObject({
    id: open.id,
    state: 'interrupted',
  })
})

test("a run that isn't known or possible doesn't start", async () => {
  const before = fixture.reported.length
  expect(await refusal({ name: 'no-such-flow' })).toMatchObject({ code: 'NOT_FOUND' })
  expect(await refusal({})).toMatchObject({ code: 'INVALID_INPUT' })
  expect(await refusal({ name: 'card-linked', from: 4 })).toMatchObject({
    code: 'INVALID_INPUT',
    message: 'card-linked has 4 steps.',
  })
  expect(
    await refusal({ name: 'card-linked', environment: 'sandbox-live', live: true }),
  ).toMatchObject({ code: 'INVALID_INPUT' })
  expect(fixture.reported.length).toBe(before)
})

test('with a real account a run says what to do, waits, and ignores unrelated deliveries', async () => {
  const account = await startFlowFixture()
  await account.environments.add(accountOf())
  expect(
    await account
      .start({ name: 'forged', environment: 'staging' })
      .catch((error: unknown) => (error as AppError).message),
  ).toBe('forged only runs in the sandbox. This flow makes the service break the spec on purpose.')
  const noHook = await account
    .start({ name: 'refund-unmatched', environment: 'staging' })
    .catch((error: unknown) => error as AppError)
  expect(noHook).toMatchObject({
    code: 'NO_HOOK',
    message: expect.stringContaining(
      'countersign hooks add --environment staging --event transaction.auth',
    ),
  })

  const made = async (event: string) =>
    account.hooks.import({
      event,
      url: `${account.receiver}/h/${event}`,
      secret: event,
      environment: 'staging',
    })
  await made('transaction.auth')
  await made('transaction.refund')
  await made('transaction.clearing')
  // A payload as the service would send it.
  const sample = await account.run({ name: 'refund-unmatched' })
  const bodyOf = async (name: string) => {
    const id = sample.steps.find((step) => step.name === name)?.deliveryId ?? ''
    const { seq, bodySize } = await account.store.read('get', id)
    return Buffer.from(
      (await account.store.read('body', { seq, offset: 0, length: bodySize })).bytes,
    ).toString()
  }
  const deliverer = createDeliverer(account.caFile)
  const send = (event: string, body: string) =>
    deliverer.send(`${account.receiver}/h/${event}`, {
      body,
      headers: signedHeaders(event, body, `${account.receiver}/h/${event}`),
    })

  const { id } = await account.start({ name: 'refund-unmatched', environment: 'staging' })
  const waiting = async (current: number) => {
    for (;;) {
      const run = await account.flows.run(id)
      if (run.current === current && run.ask !== null) return run
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  expect(await waiting(1)).toMatchObject({ ask: 'Make a payment with a linked card.' })
  await send('transaction.auth', await bodyOf('purchase'))
  expect(await waiting(3)).toMatchObject({
    target: 'account',
    ask: "Refund a payment that the service doesn't know.",
  })
  const other = (await bodyOf('refund')).replace(
    /"id":"[^"]+"/,
    '"id":"5a1a4f0e-4a3b-4f43-9d0f-2f8f0d1f0001"',
  )
  const refund = await bodyOf('refund')
  await send('transaction.refund', refund)
  await send('transaction.clearing', await bodyOf('refundClearing'))
  await send('transaction.refund', other)
  const ended = await account.ended(id)
  expect([ended.outcome, ended.steps.map(({ outcome }) => outcome), ended.strays]).toEqual([
    'pass',
    ['pass', 'pass', 'pass', 'pass', 'pass', 'skip', 'skip'],
    [],
  ])
  expect(account.hooks.list('staging').every(({ status }) => status === 'active')).toBe(true)
  deliverer.close()
})

test("a run's reports contain its steps and errors, whatever the endpoint is called", async () => {
  const run = await fixture.run({
    source: source({
      title: 'A <b>"flow"</b> & more; # \u2028',
      steps: [
        { kind: 'trigger', event: 'card.linked', title: '<img src=x onerror=alert(1)>' },
        { kind: 'delivery', event: 'card.linked', where: { lastNumbers: '0000' } },
        { kind: 'wait', for: '48h' },
      ],
    }),
  })
  const html = reportFlow(run, 'html', '0.0.0')
  expect(html).not.toContain('<img')
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
  expect(html).toContain('<td>lastNumbers</td>')
  for (const text of [
    '✕',
    '1 of 3 steps failed',
    'What happened',
    'Sandbox time',
    'Real time',
    '<title>',
  ])
    expect(html).toContain(text)
  // Dark on a dark screen, light on paper.
  expect(html).toContain('@media screen and (prefers-color-scheme:dark)')
  // Payloads are folded into the page.
  const request = {
    line: 'POST /h/cards',
    headers: [['content-type', 'application/json'] as [string, string]],
    body: '{"secret":"[masked]"}',
  }
  const response = { line: '500', headers: [], body: 'LedgerConflict' }
  const page = reportFlow(run, 'html', '0.0.0', new Map([[1, { request, response }]]))
  expect(page.match(/<details class="payload">/g)).toHaveLength(2)
  for (const text of [
    'POST /h/cards',
    'content-type: application/json',
    '&quot;[masked]&quot;',
    'LedgerConflict',
  ])
    expect(page).toContain(text)
  // Nothing is loaded or run, and the policy blocks style attributes.
  expect(html).not.toMatch(/(src|href)="?https?:|<script|url\(|@import| on[a-z]+="| style="/i)
  const junit = reportFlow(run, 'junit', '0.0.0')
  expect(junit).toContain('tests="3" failures="1" errors="0" skipped="0"')
  expect(junit).toContain('Expected: card.linked within 30s; lastNumbers is &quot;0000&quot;')
})
