import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  rightAnswer,
  startFlowFixture,
  startFlowHandler,
  type FlowFixture,
} from '../../../test/support/flow-fixture.ts'
import type { AppError } from '../../shared/contract/errors.ts'
import { builtInFlows } from './built-in/index.ts'

let fixture: FlowFixture
beforeAll(async () => {
  fixture = await startFlowFixture()
})
afterAll(() => {
  expect(fixture.bugs).toEqual([])
})

const values = [
  { amount: '12.50', currency: '"GBP"', scheme: '"visa"', location: '"Dublin"' },
  { amount: '1838', currency: '"JPY"', scheme: '"amex"', location: '"Tokyo"' },
]
const flows = builtInFlows().flatMap(({ flow }) => (flow.inputs === undefined ? [] : [flow]))
const cases = flows.flatMap(({ name, inputs = [] }) =>
  values.map((all) => {
    const set = Object.fromEntries(inputs.map((input) => [input.name, all[input.name]]))
    return [name, JSON.stringify(set), set] as const
  }),
)

test.each(cases)('%s passes with %s', async (name, _words, literals) => {
  const run = await fixture.run({ name, literals })
  expect([run.summary, run.outcome]).toEqual([run.summary, 'pass'])
  expect(run.set).toEqual(literals)
  const { amount, currency, scheme } = literals
  const facts = run.steps.flatMap(({ arrived }) => (arrived?.facts == null ? [] : [arrived.facts]))
  expect(facts.length).toBeGreaterThan(0)
  // A partial refund has its own amount.
  if (amount !== undefined && name !== 'refund-partial')
    expect(facts.map((one) => Math.abs(one.amount ?? 0))).toEqual(facts.map(() => Number(amount)))
  if (currency !== undefined)
    expect(new Set(facts.map((one) => JSON.stringify(one.currency)))).toEqual(new Set([currency]))
  if (scheme !== undefined)
    expect(new Set(facts.map((one) => JSON.stringify(one.scheme)))).toEqual(new Set([scheme]))
})

test('an input is sent exactly as typed, and a location brings its city and currency', async () => {
  const handler = await startFlowHandler('whsec', rightAnswer)
  const literals = { amount: '12.50', location: '"Dublin"' }
  await fixture.run({
    name: 'refund-matched',
    literals,
    handler: { url: handler.url, secret: 'whsec' },
  })
  await handler.close()
  const body = handler.seen[0]?.body ?? ''
  expect(body).toContain('"amount":12.50,')
  expect(JSON.parse(body)).toMatchObject({
    currency: 'EUR',
    location: { city: 'Dublin', countryCode: 'IRL' },
  })
})

test.each([
  [
    'purchase-visa',
    { amount: '-1' },
    'purchase-visa: amount must be a number above 0, at most 1000000, for example amount=12.50.',
  ],
  ['purchase-visa', { amount: '"much"' }, 'purchase-visa: amount must be a number above 0'],
  ['refund-partial', { amount: '1' }, 'refund-partial: amount must be a number above 1'],
  [
    'purchase-visa',
    { amount: '1.5', currency: '"JPY"' },
    'purchase-visa: amount has too many decimals for JPY. Use none.',
  ],
  [
    'purchase-visa',
    { currency: '"euro"' },
    'purchase-visa: currency must be a code of three capital letters, for example currency=EUR.',
  ],
  ['card-linked', { scheme: '"diners"' }, 'card-linked: scheme must be one of '],
  ['stale', { location: '"Atlantis"' }, 'stale: location must be one of London, '],
  [
    'card-linked',
    { location: '"Dublin"' },
    'No event that card-linked triggers has the field location.',
  ],
])('%s refuses %j', async (name, literals, message) => {
  const error = await fixture
    .start({ name, literals })
    .catch((problem: unknown) => problem as AppError)
  expect((error as AppError).message).toContain(message)
})
