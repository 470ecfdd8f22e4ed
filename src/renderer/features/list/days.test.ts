import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { dayKey } from '../../ui/moment.ts'
import { dayStarts, itemOfRow, rowOfItem } from './days.ts'
import { emptyList, withRows } from './row-list.ts'

const noon = (day: number) => `2026-11-${day}T12:00:00.000Z`

/** Returns a list of one row per day of November; null is a row that isn't loaded. */
function listOf(days: readonly (number | null)[]) {
  const list = { ...emptyList, seqs: days.map((_, index) => index + 1) }
  const rows = days.flatMap((day, index) =>
    day === null ? [] : [deliveryRow(index + 1, { receivedAt: noon(day) })],
  )
  return withRows(list, rows)
}

test.each<[string, (number | null)[], number[]]>([
  ['today alone', [29, 29], []],
  ['a delivery imported from yesterday', [29, 29, 28], [2]],
  ['only earlier days', [28, 28, 27], [0, 2]],
  ['one imported from tomorrow', [30, 29], [0, 1]],
  ['rows that are not loaded yet', [29, null, 28, 27], [3]],
])('the rows that begin a day: %s', (_name, days, starts) => {
  expect(dayStarts(listOf(days), 0, dayKey(noon(29)), new Map())).toEqual(starts)
})

test('a day keeps its place when its rows are dropped', () => {
  const known = new Map<number, string>()
  dayStarts(listOf([29, 28]), 0, dayKey(noon(29)), known)
  expect(dayStarts(listOf([29, null]), 0, dayKey(noon(29)), known)).toEqual([1])
})

property.prop([fc.uniqueArray(fc.nat(30)), fc.constant(40)])(
  'each row is one item, below the day that begins with it',
  (days, count) => {
    const starts = days.toSorted((one, other) => one - other)
    const items = Array.from({ length: count + starts.length }, (_, item) =>
      rowOfItem(starts, item),
    )
    expect(items.flatMap(({ index, isDay }) => (isDay ? [index] : []))).toEqual(starts)
    const rows = items.flatMap(({ index, isDay }, item) => (isDay ? [] : [[index, item]]))
    expect(rows).toEqual(Array.from({ length: count }, (_, row) => [row, itemOfRow(starts, row)]))
  },
)
