import { expect, test } from 'vitest'
import { fc, test as property } from '@fast-check/vitest'
import { checkExchange } from '../../../test/support/check-handlers.ts'
import type { CheckAnswer, CheckConclusion, CheckResult } from '../../shared/model/check.ts'
import type { Tamper } from '../../shared/model/send.ts'
import { causeCounts, explainedWords } from '../../shared/model/handler-causes.ts'
import type { HandlerEvidence, ResponseGroup } from '../store/handler-evidence.ts'
import { checkCases } from './cases.ts'
import { findCauses, noEvidence } from './handler-causes.ts'
import { caseTexts } from './run-cases.ts'

const SETTLED = '{"error":"LedgerConflict","message":"Already settled"}'

/** Returns results of all cases: the named ones failed with these responses, the others passed. */
function results(failed: Readonly<Record<string, Partial<CheckAnswer>>>): CheckResult[] {
  return checkCases.map((one) => ({
    ...caseTexts(one),
    outcome: failed[one.name] === undefined ? 'pass' : 'fail',
    message: '',
    warning: null,
    exchanges: [checkExchange({ status: 200, ...failed[one.name] })],
    decisive: 0,
  }))
}

const noTime: CheckConclusion = {
  cause: 'no-time',
  message: "Your handler doesn't check the timestamp, so a captured delivery can be sent again.",
  fix: 'Reject timestamps more than 5 minutes off (spec 5.2).',
  cases: ['stale', 'future'],
}

const group = (part: Partial<ResponseGroup>): ResponseGroup => ({
  status: 500,
  errorKind: null,
  message: 'LedgerConflict: Already settled',
  ids: ['a', 'b'],
  events: ['transaction.clearing', 'transaction.clearing.qualified', 'transaction.refund'],
  shared: 'cleared: true',
  ...part,
})

const accepted = { status: 200, errorKind: null, message: '' }
const settled = { status: 500, errorKind: null, message: 'LedgerConflict: Already settled' }

test('deliveries, checks and flows with the same response have one cause; the rest is unexplained', () => {
  const found = findCauses(
    {
      results: results({
        stale: {},
        future: {},
        purchases: { status: 500, body: SETTLED },
        cards: { status: 500, body: '{"message":"Other"}' },
        layout: { status: 401 },
      }),
      conclusions: [noTime],
    },
    {
      groups: [group({})],
      flows: [
        { name: 'purchase-visa', event: 'transaction.clearing', tamper: null, response: settled },
        { name: 'refund', event: null, tamper: null, response: { ...settled, message: '' } },
        { name: 'accepted', event: null, tamper: null, response: accepted },
        { name: 'missing', event: null, tamper: null, response: null },
      ],
    },
  )
  expect(found).toEqual({
    causes: [
      {
        cause: 'response',
        title: 'Returns 500 to clearings and refunds',
        message:
          '`LedgerConflict: Already settled`. Every one of these deliveries has `cleared: true`, and no accepted one does.',
        fix: 'Fix the cause in your handler, then replay what failed.',
        section: null,
        deliveries: ['a', 'b'],
        cases: ['purchases'],
        flows: ['purchase-visa'],
      },
      {
        cause: 'no-time',
        title: "Doesn't check the timestamp",
        message: 'A captured delivery can be sent again.',
        fix: 'Reject timestamps more than 5 minutes off.',
        section: '5.2',
        deliveries: [],
        cases: ['stale', 'future'],
        flows: [],
      },
    ],
    unexplained: {
      deliveries: [],
      cases: ['cards', 'layout'],
      flows: ['refund', 'accepted', 'missing'],
    },
  })
  expect(found.causes.map(causeCounts)).toEqual(['2 deliveries, 1 check, 1 flow', '2 checks'])
  expect(explainedWords(found)).toBe(
    '2 causes explain 3 of 5 failed checks and 1 of 4 failed flows',
  )
})

test('a case counts for the conclusion that lists it first, and a second conclusion stays', () => {
  const listed = { ...noTime, cases: ['first-delivery'] }
  const second = {
    ...listed,
    cause: 'fails',
    message: 'Your handler returns 500: `a, so b`.',
  } as const
  const { causes } = findCauses(
    { results: results({ 'first-delivery': {} }), conclusions: [listed, second] },
    noEvidence,
  )
  expect(causes.map(({ title, cases }) => [title, cases])).toEqual([
    ["Doesn't check the timestamp", ['first-delivery']],
    ['Returns 500: `a, so b`', []],
  ])
  expect(explainedWords({ causes, unexplained: { deliveries: [], cases: [], flows: [] } })).toBe(
    '2 causes explain the failed check',
  )
})

test('a conclusion explains flows that accept the same forgery, and what fails like the first delivery', () => {
  const noCheck = { ...noTime, cause: 'no-check', cases: ['altered-body', 'stale'] } as const
  const flow = (name: string, tamper: Tamper | null, response = accepted) => ({
    ...{ name, event: null, tamper, response },
  })
  const flows = [flow('forged', 'body'), flow('late', 'stale'), flow('secret', 'secret')]
  const found = findCauses(
    {
      results: results({ 'altered-body': {}, stale: {}, 'wrong-secret': {} }),
      conclusions: [{ ...noCheck, cases: [...noCheck.cases] }],
    },
    { groups: [], flows: [...flows, flow('valid', null)] },
  )
  expect(found.causes.map((cause) => cause.flows)).toEqual([['forged', 'late']])
  expect(found.unexplained).toMatchObject({
    cases: ['wrong-secret'],
    flows: ['secret', 'valid'],
  })

  const rejected = { status: 401, errorKind: null, message: '' }
  const failing = (shared: string | null) =>
    findCauses(
      {
        results: results({ 'first-delivery': { status: 401, body: '' } }),
        conclusions: [{ ...noTime, cases: ['first-delivery'] }],
      },
      { groups: [group({ ...rejected, shared })], flows: [flow('refund', null, rejected)] },
    ).causes.map(causeCounts)
  expect(failing(null)).toEqual(['2 deliveries, 1 check, 1 flow'])
  expect(failing('cleared: true')).toEqual(['2 deliveries, 1 flow', '1 check'])
})

test('without deliveries, a response is a cause if several cases or flows got it, unless it accepts', () => {
  const crash = { status: 500, body: SETTLED }
  const failed = {
    purchases: crash,
    refunds: crash,
    stale: {},
    future: {},
    layout: { status: 401 },
  }
  const found = findCauses({ results: results(failed), conclusions: [] }, noEvidence)
  expect(found.causes.map(({ title, cases }) => [title, cases])).toEqual([
    ['Returns 500', ['purchases', 'refunds']],
  ])
  expect(found.unexplained.cases.toSorted()).toEqual(['future', 'layout', 'stale'])
})

test('deliveries without a response, or wrongly accepted, are named as such', () => {
  const words = (part: Partial<ResponseGroup>) =>
    findCauses({ results: [], conclusions: [] }, { groups: [group(part)], flows: [] }).causes[0]
  expect(
    words({ status: null, errorKind: 'refused', message: 'Connection refused.' }),
  ).toMatchObject({
    title: "Can't be reached",
    message: 'Connection refused.',
  })
  expect(words({ status: 200, message: '', shared: null })).toMatchObject({
    title: 'Returns 200 to deliveries that it must reject',
    message: '',
  })
})

const statuses = fc.constantFrom(null, 200, 204, 302, 401, 500)
const responses = fc.record({
  status: statuses,
  errorKind: fc.constant('refused' as const),
  message: fc.constantFrom('', 'card is null', 'Already settled'),
})
const names = checkCases.map(({ name }) => name)
const evidence: fc.Arbitrary<HandlerEvidence> = fc.record({
  groups: fc
    .uniqueArray(responses, { selector: ({ status, message }) => `${status} ${message}` })
    .map((all) =>
      all.filter(
        ({ status }, at) => status !== null || at === all.findIndex((one) => one.status === null),
      ),
    )
    .map((all) => all.map((one, index) => group({ ...one, ids: [`d${index}`] }))),
  flows: fc.uniqueArray(
    fc.record({
      name: fc.string(),
      event: fc.constantFrom(null, 'card.linked'),
      tamper: fc.constantFrom(null, 'body' as const, 'stale' as const),
      response: fc.option(responses),
    }),
    {
      selector: ({ name }) => name,
    },
  ),
})
const checks = fc.record({
  results: fc
    .dictionary(
      fc.constantFrom(...names),
      responses.map(({ status, message }) => ({ status, body: JSON.stringify({ message }) })),
    )
    .map(results),
  conclusions: fc.array(
    fc.subarray(names).map((cases): CheckConclusion => ({ ...noTime, cases })),
    { maxLength: 4 },
  ),
})

property.prop([checks, evidence])(
  'law: each failure counts for exactly one cause, or as unexplained',
  (check, found) => {
    const { causes, unexplained } = findCauses(check, found)
    const all = [...causes, unexplained]
    const failed = check.results.filter(({ outcome }) => outcome === 'fail').map(({ name }) => name)
    expect(all.flatMap(({ cases }) => cases).toSorted()).toEqual(failed.toSorted())
    expect(all.flatMap(({ flows }) => flows).toSorted()).toEqual(
      found.flows.map(({ name }) => name).toSorted(),
    )
    expect(all.flatMap(({ deliveries }) => deliveries).toSorted()).toEqual(
      found.groups.flatMap(({ ids }) => ids).toSorted(),
    )
  },
)
