import { expect, test } from 'vitest'
import { deliveryRow } from '../../../test/support/delivery-row.ts'
import { BLANK_DELIVERY, type Delivery } from '../../shared/model/delivery.ts'
import { describeAttempts } from './attempts.ts'

const delivery: Delivery = { ...BLANK_DELIVERY, ...deliveryRow(1) }

test.each([
  [
    { status: null, ms: 19_905 },
    'No response within 20 s: failed. The next attempt follows after 1 min.',
  ],
  [
    { status: null, ms: 5 },
    'The connection was dropped without a response: failed. The next attempt follows after 1 min.',
  ],
  [
    { status: 200, ms: 20_500 },
    'Responded 200 after 20.5 s, over the limit of 20 s: failed. The next attempt follows after 1 min.',
  ],
  [{ status: 503, ms: 5 }, 'Responded 503: failed. The next attempt follows after 1 min.'],
])('an attempt that got %j is described as failed', (answer, message) => {
  expect(describeAttempts([{ ...delivery, answer }], () => false)[0]?.message).toBe(message)
})

test.each([
  ['valid', 'Acknowledged. No retry expected.'],
  [
    'invalid',
    'Recorded only: Countersign returned 200 by its response rule, whatever the signature. No retry expected.',
  ],
] as const)('a success for a delivery that is %s says what it proves', (verdict, message) => {
  const answer = { status: 200, ms: 5 }
  const [attempt] = describeAttempts([{ ...delivery, answer, verdict }], () => true)
  expect(attempt?.message).toBe(message)
})

test.each([
  [['Service-Request-Id', 'acme-request-id', 'service-message-id'], []],
  [['cf-ray', 'traceparent', 'X-Amzn-Trace-Id', 'x-request-id', 'X-Forwarded-For', 'via'], []],
  [
    ['x-team', 'content-type', 'x-request-idle', 'cf_ray'],
    ['x-team', 'content-type', 'x-request-idle', 'cf_ray'],
  ],
])('a retry may have other values of %j, apart from %j', (names, faults) => {
  const attempt = (value: string): Delivery => ({
    ...delivery,
    headers: names.map((name) => [name, value]),
  })
  const [, retry] = describeAttempts([attempt('a'), attempt('b')], () => false)
  const check = retry?.checks.find(({ what }) => what === 'headers')
  expect(check?.holds).toBe(faults.length === 0)
  expect(check?.message).toContain(faults.join(', '))
})
