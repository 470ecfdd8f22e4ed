import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  rightAnswer,
  startFlowFixture,
  startFlowHandler,
  type Defect,
  type FlowFixture,
  type SeenDelivery,
} from '../../../../test/support/flow-fixture.ts'
import type { FlowRun, FlowRunStep } from '../../../shared/model/flow-run.ts'
import type { TriggerInput } from '../../sandbox/trigger.ts'
import { builtInFlows } from './index.ts'

const SECRET = 'whsec_of_the_handler'

let fixture: FlowFixture
beforeAll(async () => {
  fixture = await startFlowFixture()
})
afterAll(async () => {
  expect(fixture.bugs).toEqual([])
})

type Answer = (delivery: SeenDelivery, number: number) => number

async function walk(
  name: string,
  options: { defect?: Defect; answer?: Answer; secret?: string } = {},
): Promise<FlowRun> {
  const handler = await startFlowHandler(SECRET, options.answer ?? rightAnswer)
  const run = await fixture.run(
    { name, live: true, handler: { url: handler.url, secret: options.secret ?? SECRET } },
    options.defect,
  )
  await handler.close()
  return run
}

/** Runs of the flows with a correct handler, each made once. */
const passing = new Map<string, Promise<FlowRun>>()
function passingRun(name: string): Promise<FlowRun> {
  const run = passing.get(name) ?? walk(name)
  passing.set(name, run)
  return run
}

const stepOf = ({ steps }: FlowRun, name: string) => steps.find((step) => step.name === name)

const linesOf = (run: FlowRun, name: string) =>
  (stepOf(run, name)?.checks ?? []).map(
    ({ field, expected, operator, actual }) => `${field}: ${expected} ${operator} ${actual}`,
  )

const badSteps = ({ steps }: FlowRun): FlowRunStep[] =>
  steps.filter(({ outcome }) => outcome === 'fail' || outcome === 'missing')

const names = builtInFlows().map(({ flow }) => flow.name)

test('every file of the folder is listed, under its file name', () => {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.json'))
  expect(files.map((file) => file.replace('.json', '')).sort()).toEqual([...names].sort())
})

test.each(names)('%s passes with a correct handler and skips nothing', async (name) => {
  const run = await passingRun(name)
  expect([run.summary, run.outcome, run.strays]).toEqual([run.summary, 'pass', []])
  expect(run.steps.map(({ outcome }) => outcome)).toEqual(run.steps.map(() => 'pass'))
  // Five times the limit for an idle machine; flows through days of service time take even longer.
  expect(Date.parse(run.endedAt ?? '') - Date.parse(run.startedAt)).toBeLessThan(10_000)
  expect(fixture.hooks.list().filter(({ status }) => status === 'active')).toEqual([])
})

const refunds = names.filter((name) => /refund/.test(name))
test.each(refunds)(
  '%s passes with a handler that rejects a refund before its purchase',
  async (name) => {
    const cards = new Set<string>()
    const run = await walk(name, {
      answer(delivery) {
        const { card, amount } = JSON.parse(delivery.body) as {
          card: { id: string }
          amount: number
        }
        if (amount > 0) cards.add(card.id)
        return amount < 0 && !cards.has(card.id) ? 409 : rightAnswer(delivery)
      },
    })
    expect([run.summary, run.outcome]).toEqual([run.summary, 'pass'])
  },
)

describe('the steps of a run', () => {
  test.each(names)(
    '%s: each expectation is a line, each delivery has its response, no variable shows',
    async (name) => {
      const { steps } = await passingRun(name)
      for (const step of steps) {
        const { kind, checks, response, arrived, title, expected } = step
        const isJudged = kind === 'delivery' || kind === 'answer' || kind === 'check'
        const by = step.deliveryId === null ? undefined : kind === 'answer' ? 'handler' : 'receiver'
        expect([
          step.name,
          checks.length > 0,
          checks.every(({ passed }) => passed),
          response?.by,
        ]).toEqual([step.name, isJudged, true, by])
        expect(arrived === null).toBe(by === undefined)
        expect(JSON.stringify([title, expected, checks])).not.toMatch(/[$]\{|`/)
      }
    },
  )

  test('references are filled in beside the actual value', async () => {
    const run = await passingRun('purchase-visa')
    const facts = stepOf(run, 'clearing')?.arrived?.facts
    expect(linesOf(run, 'clearing').find((line) => line.startsWith('id:'))).toMatch(
      /^id: (\S{36}) = \1$/,
    )
    expect(linesOf(run, 'clearing').filter((line) => !line.includes('id: '))).toEqual([
      'Signature: valid = valid',
      'Timestamp: fresh = fresh',
      'Schema: no errors = no errors',
      'auth: true = true',
      'cleared: true = true',
      expect.stringMatching(/^amount: ([\d,.]+) = \1$/),
      `currency: ${facts?.currency} = ${facts?.currency}`,
      expect.stringMatching(/^Not before: 2 d ≤ [23] d/),
      expect.stringMatching(/^Within: 4 d ≥ [23] d/),
      'Order: after transaction.auth = after',
    ])
    expect(stepOf(run, 'clearing')?.checks.find(({ field }) => field === 'card.id')?.path).toBe(
      'card.id',
    )
    expect(linesOf(run, 'check-6')).toEqual([
      expect.stringMatching(
        /^clearing\.updated: T\(00\|04\|08\|12\|16\|20\):00:00 matches 20\d\d-/,
      ),
    ])
    expect(linesOf(run, 'answer-7')).toEqual([
      'Status: 200 = 200',
      expect.stringMatching(/^Responds within: 20 s ≥ \d+ ms$/),
    ])
    expect(stepOf(run, 'answer-7')).toMatchObject({
      event: 'transaction.clearing',
      title: 'Your handler should accept transaction.clearing',
    })
  })

  test('the facts of a delivery: amount with currency, cashback and fee of an offer, scheme and status of a location', async () => {
    const { facts } = stepOf(await passingRun('offer-qualified'), 'qualified')?.arrived ?? {}
    expect(facts).toMatchObject({
      currency: expect.stringMatching(/^[A-Z]{3}$/),
      status: null,
    })
    for (const value of [facts?.amount, facts?.cashback, facts?.fee])
      expect(value).toBeGreaterThan(0)
    expect(facts?.lastNumbers).toMatch(/^\d{4}$/)
    expect(stepOf(await passingRun('location-onboarding'), 'visa')?.arrived?.facts).toEqual({
      ...{ amount: null, cashback: null, fee: null, currency: null, lastNumbers: null },
      scheme: 'visa',
      status: 'location.active',
    })
  })

  test('forged deliveries come from an attacker and say how they were forged; a stale one comes from the service', async () => {
    const forged = await passingRun('forged')
    const summary = ({ from, to, arrived, title }: FlowRunStep) => [
      from,
      to,
      arrived?.cause ?? title,
    ]
    expect(
      forged.steps
        .slice(3)
        .filter(({ kind }) => kind !== 'answer')
        .map(summary),
    ).toEqual([
      ['attacker', 'attacker', 'Forged transaction.auth, signed with another secret'],
      ['attacker', 'receiver', 'signed with another secret'],
      ['attacker', 'attacker', 'Forged transaction.auth, changed after signing'],
      ['attacker', 'receiver', 'body changed after signing'],
      ['attacker', 'attacker', 'Forged transaction.auth, hashed once, not twice'],
      ['attacker', 'receiver', 'hashed once, not twice'],
    ])
    expect(linesOf(forged, 'answer-6').slice(0, 2)).toEqual([
      'Signature: invalid = invalid',
      'Status: 4xx = 401',
    ])
    expect(fixture.flows.get({ name: 'forged' }).actors).toEqual([
      'cardholder',
      'service',
      'attacker',
      'receiver',
      'handler',
    ])
    const stale = stepOf(await passingRun('stale'), 'stale')
    expect([stale?.from, stale?.arrived]).toMatchObject([
      'service',
      { verdict: 'valid', freshness: 'stale', cause: 'signed 10 minutes before receipt' },
    ])
  })

  test('the service gives up after the third failed attempt, and retries count from a time-out', async () => {
    const responses = ({ steps }: FlowRun) =>
      steps
        .filter(({ kind }) => kind === 'delivery')
        .map(({ response, gaveUp }) => [response?.status ?? response?.kind, gaveUp])
    expect(responses(await passingRun('retry-given-up'))).toEqual([
      [500, false],
      ['timeout', false],
      ['dropped', true],
    ])
    expect(linesOf(await passingRun('retry-given-up'), 'attempt-3')).toContain(
      'Not before: 3 min 20 s ≤ 3 min 20 s',
    )
    expect(responses(await passingRun('retry-third-attempt')).at(-1)).toEqual([200, false])
    const late = await passingRun('timeout')
    expect(stepOf(late, 'unanswered')?.response).toMatchObject({
      kind: 'timeout',
      ms: 20_000,
      acknowledged: false,
    })
    expect(linesOf(late, 'attempt-2')).toContain('Not before: 1 min 20 s ≤ 1 min 20 s')
  })
})

function triggering(change: (input: TriggerInput) => Partial<TriggerInput>): Defect {
  return (service) => ({
    ...service,
    trigger: (input, signal) => service.trigger({ ...input, ...change(input) }, signal),
  })
}

const setting = (set: Record<string, unknown>, event?: string) =>
  triggering((input) =>
    event === undefined || input.event === event ? { set: { ...input.set, ...set } } : {},
  )

const silentOn =
  (event: string): Defect =>
  (service) => ({
    ...service,
    registerHook: async (hook) => (hook.event === event ? undefined : service.registerHook(hook)),
  })

const withoutFault = triggering(() => ({ fault: undefined }))

function refusesRepeats(): Answer {
  const known = new Set<string>()
  return (delivery) => (known.size === known.add(delivery.body).size ? 409 : rightAnswer(delivery))
}

interface Negative {
  readonly flow: string
  readonly wrong: string
  readonly defect?: Defect
  readonly answer?: Answer
  readonly secret?: string
  readonly step: string
  readonly says: RegExp
  readonly fix?: RegExp
}

const negatives: readonly Negative[] = [
  {
    flow: 'brand-consent-test',
    wrong: 'the service says that there is no consent',
    defect: setting({ consent: false }),
    step: 'brand',
    says: /^`consent` is false, expected true\.$/,
  },
  {
    flow: 'brand-consent-live',
    wrong: 'the service tells of a consent before it was given',
    defect: (service) => ({
      ...service,
      async make(input) {
        const made = await service.make(input)
        await service.trigger(
          { event: 'brand.consent', environment: input.environment, of: made.id },
          new AbortController().signal,
        )
        return made
      },
    }),
    step: 'not-yet',
    says: /^Unexpected brand\.consent \(.*\)\.$/,
  },
  {
    flow: 'location-onboarding',
    wrong: 'the location is said to be live',
    defect: setting({ 'location.live': true }),
    step: 'visa',
    says: /^`location\.live` is true, expected false\.$/,
  },
  {
    flow: 'location-onboarding-live',
    wrong: 'a failed sync is reported as a success',
    defect: triggering(({ set }) => ({ set: { scheme: set?.['scheme'] } })),
    step: 'amex-report',
    says: /^`status` is "location\.active", expected "location\.failed"\.$/,
  },
  {
    flow: 'program-sync-live',
    wrong: 'the status of the program is never sent',
    defect: silentOn('program.status'),
    step: 'first',
    says: /^No program\.status within 30s of sandbox time\. No other deliveries arrived\.$/,
  },
  {
    flow: 'card-linked',
    wrong: 'a field is missing',
    defect: triggering(() => ({ unset: ['expDate'] })),
    step: 'card',
    says: /^Body doesn't match the card\.linked schema: .*expDate/,
    fix: /Each schema error is shown at its field/,
  },
  {
    flow: 'card-failed',
    wrong: 'the failure is not described',
    defect: setting({ message: '' }),
    step: 'failure',
    says: /^`message` is "", expected a string matching/,
  },
  {
    flow: 'purchase-visa',
    wrong: 'the clearing comes at once',
    defect: (service) => ({
      ...service,
      async trigger(input, signal) {
        const result = await service.trigger(input, signal)
        const of = result.objects['transaction']
        await service.trigger(
          { event: 'transaction.clearing', environment: result.environment, of },
          signal,
        )
        return result
      },
    }),
    step: 'clearing',
    says: /^Arrived \d+ ms after its trigger, expected after at least 48h\.$/,
  },
  {
    flow: 'purchase-mastercard',
    wrong: 'the payment names another scheme',
    defect: setting({ 'card.scheme': 'visa' }),
    step: 'purchase',
    says: /^`card\.scheme` is "visa", expected "mastercard"\.$/,
  },
  {
    flow: 'purchase-amex',
    wrong: 'the payment is never settled',
    defect: silentOn('transaction.clearing'),
    step: 'clearing',
    says: /^No transaction\.clearing within 96h of sandbox time\./,
  },
  {
    flow: 'refund-matched',
    wrong: 'the refund is of another amount, and so not matched',
    defect: setting({ amount: -0.01 }, 'transaction.refund'),
    step: 'refund',
    says: /Not matching: `originalTransactionId` is missing, expected "/,
  },
  {
    flow: 'refund-unmatched',
    wrong: 'the refund names a purchase',
    defect: setting(
      { originalTransactionId: '5a1a4f0e-4a3b-4f43-9d0f-2f8f0d1f0001' },
      'transaction.refund',
    ),
    step: 'refund',
    says: /^`originalTransactionId` is "5a1a4f0e.*", expected absent\.$/,
  },
  {
    flow: 'refund-partial',
    wrong: 'another amount is refunded',
    defect: setting({ amount: -2 }, 'transaction.refund'),
    step: 'refund',
    says: /^`amount` is -2, expected -1\.$/,
  },
  {
    flow: 'offer-qualified',
    wrong: 'the offer gives nothing back',
    defect: setting({ 'offer.cashback': 0 }),
    step: 'qualified',
    says: /^`offer\.cashback` is 0, expected greater than 0\.$/,
  },
  {
    flow: 'offer-filter',
    wrong: 'the offer of the other hook is not heeded',
    defect: (service) => ({
      ...service,
      registerHook: ({ offerId, ...hook }) =>
        service.registerHook(
          offerId?.endsWith('2') === true ? hook : { ...hook, offerId: offerId ?? null },
        ),
    }),
    step: 'other-offer-silent',
    says: /^Unexpected transaction\.auth\.qualified /,
    fix: /that hook's offer/,
  },
  {
    flow: 'offer-refund-after-expiry',
    wrong: 'the offer does not end',
    defect: (service) => ({
      ...service,
      change: ({ id, environment }) => service.change({ id, environment }),
    }),
    step: 'later-not-qualified',
    says: /^Unexpected transaction\.auth\.qualified /,
  },
  {
    flow: 'retry-third-attempt',
    wrong: 'the handler refuses what it has seen before',
    answer: refusesRepeats(),
    step: 'answer-6',
    says: /^Your handler returned 409 for a valid delivery\. Only 200 acknowledges it \(spec 6\.4\)\.$/,
    fix: /three times in all/,
  },
  {
    flow: 'retry-given-up',
    wrong: 'the handler breaks down',
    answer: () => 500,
    step: 'answer-6',
    says: /^Your handler returned 500 for a valid delivery/,
  },
  {
    flow: 'retry-recovery',
    wrong: 'the handler has another secret',
    secret: 'whsec_another',
    step: 'answer-5',
    says: /^Your handler returned 401 for a valid delivery/,
    fix: /^Your handler considers the signature invalid\. Compare the secret, the registered URL and the header name \(x-service-signature\)/,
  },
  {
    flow: 'timeout',
    wrong: 'the handler answers with a redirect',
    answer: () => 302,
    step: 'answer-4',
    says: /^Your handler returned 302 for a valid delivery/,
  },
  {
    flow: 'duplicate',
    wrong: 'the second delivery does not come',
    defect: withoutFault,
    step: 'again',
    says: /^No transaction\.auth within 30s/,
  },
  {
    flow: 'out-of-order',
    wrong: 'only the auth comes',
    defect: withoutFault,
    step: 'clearing',
    says: /^No transaction\.clearing .* Unexpected deliveries: transaction\.auth /,
  },
  {
    flow: 'forged',
    wrong: 'the handler does not look at signatures',
    answer: () => 200,
    step: 'answer-6',
    says: /^Your handler returned 200 for a delivery that it must reject\.$/,
    fix: /^This delivery was signed with another secret/,
  },
  ...[401, 404, 500].map((status) => ({
    flow: 'forged',
    wrong: `the handler returns ${status} to everything`,
    answer: () => status,
    step: 'answer-3',
    says: new RegExp(`^Your handler returned ${status} for a valid delivery`),
  })),
  {
    flow: 'forged',
    wrong: 'the handler breaks down over a wrong signature',
    answer: ({ isSigned }) => (isSigned ? 200 : 500),
    step: 'answer-6',
    says: /^Your handler returned 500 for a delivery that it must reject\.$/,
    fix: /^A rejection is a 4xx status/,
  },
  {
    flow: 'stale',
    wrong: 'the handler does not look at the age',
    answer: ({ isSigned }) => (isSigned ? 200 : 401),
    step: 'answer-3',
    says: /^Your handler returned 200 for a delivery that it must reject\.$/,
    fix: /older than five minutes/,
  },
  {
    flow: 'ten-hooks',
    wrong: 'one of the ten is forgotten',
    defect: (service) => {
      let count = 0
      return {
        ...service,
        registerHook: async (hook) => (++count === 7 ? undefined : service.registerHook(hook)),
      }
    },
    step: 'at7',
    says: /^No card\.linked within 30s/,
  },
  {
    flow: 'secret-rotation',
    wrong: 'the service signs with a secret that nobody was told of',
    defect: (service) => {
      let count = 0
      return {
        ...service,
        registerHook: (hook) =>
          service.registerHook(++count === 1 ? hook : { ...hook, secret: 'whsec_untold' }),
      }
    },
    step: 'with-the-new',
    says: /^Signature is invalid, expected valid\./,
    fix: /The diagnosis names the mistake/,
  },
]

describe('with a defect', () => {
  test('every flow has a negative test', () => {
    expect([...new Set(negatives.map(({ flow }) => flow))]).toEqual(names)
  })

  test.each(negatives)(
    '$flow fails if $wrong',
    async ({ flow, defect, answer, secret, step, says, fix }) => {
      const run = await walk(flow, {
        ...(defect === undefined ? {} : { defect }),
        ...(answer === undefined ? {} : { answer }),
        ...(secret === undefined ? {} : { secret }),
      })
      const [first] = badSteps(run)
      expect([run.outcome, first?.name]).toEqual(['fail', step])
      expect(first?.message).toMatch(says)
      expect(first?.fix).toMatch(fix ?? /\S/)
      expect(run.summary).toBe(`${first?.title ?? ''}: ${first?.message ?? ''}`)
    },
  )
})
