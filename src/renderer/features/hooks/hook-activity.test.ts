import { expect, test } from 'vitest'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { parseQuery } from '../../../shared/query/parse.ts'
import {
  activityOf,
  failureCount,
  failureWords,
  noActivity,
  queryOfEvent,
} from './hook-activity.ts'

function row(hookId: string, status: number | null, ms: number | null = 1): DeliveryRow {
  return deliveryRow(1, { hookId, environment: 'e', answer: { status, ms } })
}

const hook = { id: 'h', environment: 'e' }

test("only acknowledging responses count, by the environment's rule", () => {
  const rows = [row('h', 200), row('h', 204), row('other', 500), row('h', 500)]
  const strict = activityOf(hook, rows, [{ name: 'e', ack: '200' }])
  expect([strict.deliveries.length, strict.failed, failureWords(strict)]).toEqual([
    3,
    2,
    '2 of 3 (67%)',
  ])
  expect(failureWords(activityOf(hook, rows, [{ name: 'e', ack: '2xx' }]))).toBe('1 of 3 (33%)')
})

test('a dropped connection counts as failed, an open one does not count yet', () => {
  expect(failureWords(activityOf(hook, [row('h', null)], []))).toBe('1 of 1 (100%)')
  expect(failureWords(activityOf(hook, [row('h', null, null)], []))).toBeNull()
})

test('a single failure among many never rounds to 0%', () => {
  expect(failureWords({ ...noActivity, failed: 1, answered: 1_000 })).toBe('1 of 1000 (1%)')
  expect(failureWords({ ...noActivity, answered: 5 })).toBe('0 of 5')
  expect([
    failureCount({ ...noActivity, failed: 1, answered: 2 }),
    failureCount(noActivity),
  ]).toEqual(['1 of 2', null])
})

test('any event name makes a query that finds it', () => {
  for (const event of ['card.linked', 'a "quoted" one', 'back\\slash'])
    expect(parseQuery(queryOfEvent(event))).toEqual({
      kind: 'term',
      name: { kind: 'field', field: 'event' },
      items: [{ quoted: true, text: event }],
    })
})
