import { expect, test } from 'vitest'
import { deliveryRow } from '../../test/support/delivery-row.ts'
import { attemptCell } from './delivery-table.ts'

test('the last attempt is red if the service gave up after it', () => {
  const colours = (status: number) =>
    [2, 3].map((attempt) => attemptCell(deliveryRow(1, { attempt, answer: { status, ms: 4 } })))
  expect(colours(500)).toEqual([
    { text: '#2', colour: null },
    { text: '#3', colour: 'red' },
  ])
  expect(colours(200).map(({ colour }) => colour)).toEqual([null, null])
})
