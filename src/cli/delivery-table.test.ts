import { expect, test } from 'vitest'
import { deliveryRow } from '../../test/support/delivery-row.ts'
import { BLANK_DELIVERY } from '../shared/model/delivery.ts'
import { attemptCell, deliveryCells } from './delivery-table.ts'

test('the last attempt is red if the service gave up after it', () => {
  const colors = (status: number) =>
    [2, 3].map((attempt) => attemptCell(deliveryRow(1, { attempt, answer: { status, ms: 4 } })))
  expect(colors(500)).toEqual([
    { text: '#2', color: null },
    { text: '#3', color: 'red' },
  ])
  expect(colors(200).map(({ color }) => color)).toEqual([null, null])
})

test('a payment is listed with its amount, merchant and the last four digits of its card', () => {
  const cells = (payment: Partial<typeof BLANK_DELIVERY>) =>
    deliveryCells({ ...BLANK_DELIVERY, ...payment })
      .slice(2, 5)
      .map((cell) => (typeof cell === 'string' ? cell : cell.text))
  const merchant = 'The Corner Coffee House of London'
  expect(cells({ amount: '-1250.5', currency: 'GBP', merchant, last4: '4001' })).toEqual([
    '−1,250.50 GBP',
    'The Corner Coffee House…',
    '4001',
  ])
  expect(cells({ amount: '9', currency: null })).toEqual(['9', '', ''])
  expect(cells({})).toEqual(['', '', ''])
})
