import { expect, test } from 'vitest'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import type { Gap } from '../../../shared/model/status.ts'
import { gapSentence, linesOf } from './gap-rows.ts'
import {
  emptyList,
  indexAfter,
  PAGE_SIZE,
  rowCount,
  withArrived,
  withPage,
  type ListState,
} from './list-updates.ts'

const at = new Date(0).toISOString()
const gap = (afterSeq: number): Gap => ({ from: at, to: at, afterSeq, announced: true })
const rows = (...seqs: number[]) => seqs.map((seq) => deliveryRow(seq))
const listed = (list: ListState, gaps: readonly Gap[]) => {
  const lines = linesOf(list, rowCount(list), gaps)
  return Array.from(
    { length: lines.count },
    (_, line) => lines.gapAt(line)?.afterSeq ?? `row ${lines.rowOf(line)}`,
  )
}

const four = withArrived(emptyList, rows(9, 7, 5, 3))

test('a gap is above the deliveries before it, and below those after it', () => {
  expect(listed(four, [gap(5)])).toEqual(['row 0', 'row 1', 5, 'row 2', 'row 3'])
  // The newest delivery before it was deleted, or doesn't match the filter.
  expect(listed(four, [gap(6)])).toEqual(['row 0', 'row 1', 6, 'row 2', 'row 3'])
})

test('a gap after the last delivery is above everything, and one before the first is below everything', () => {
  expect(listed(four, [gap(9), gap(0)])).toEqual([9, 'row 0', 'row 1', 'row 2', 'row 3', 0])
})

test('several gaps without a delivery between them stay in order', () => {
  expect(listed(four, [gap(9), gap(7), gap(7)])).toEqual([
    9,
    'row 0',
    7,
    7,
    'row 1',
    'row 2',
    'row 3',
  ])
})

test('each delivery has one line, and the line leads back to it', () => {
  for (const gaps of [[], [gap(9)], [gap(8), gap(7), gap(7), gap(2)], [gap(9), gap(9), gap(3)]]) {
    const lines = linesOf(four, 4, gaps)
    for (let row = 0; row < 4; row++) {
      expect(lines.rowOf(lines.lineOf(row))).toBe(row)
      expect(lines.gapAt(lines.lineOf(row))).toBeUndefined()
    }
  }
})

test('a gap among pages is at the start of its page until that is loaded, and the count stays the same', () => {
  const total = 2 * PAGE_SIZE
  const paged: ListState = { ...emptyList, newest: total, total, anchors: [total, PAGE_SIZE] }
  const afterSeq = PAGE_SIZE - 30
  expect(indexAfter(paged, afterSeq)).toBe(PAGE_SIZE)
  const loaded = withPage(
    paged,
    1,
    rows(...Array.from({ length: PAGE_SIZE }, (_, place) => PAGE_SIZE - place)),
  )
  expect(indexAfter(loaded, afterSeq)).toBe(PAGE_SIZE + 30)
  expect(
    [paged, loaded].map((list) => linesOf(list, rowCount(list), [gap(afterSeq)]).count),
  ).toEqual([total + 1, total + 1])
})

test('says when the computer slept, with the day if that was not today', () => {
  const local = (date: number, hour: number, minute: number) =>
    new Date(2026, 10, date, hour, minute)
  const sentence = (from: Date, to: Date, more: Partial<Gap> = {}) =>
    gapSentence(
      { ...gap(0), from: from.toISOString(), to: to.toISOString(), ...more },
      local(23, 12, 0),
    )
  expect(sentence(local(23, 10, 2), local(23, 10, 40))).toBe(
    'Computer asleep from 10:02 to 10:40. Nothing was received.',
  )
  expect(sentence(local(21, 10, 2), local(21, 10, 40))).toBe(
    'Computer asleep from 21 Nov, 10:02 to 10:40. Nothing was received.',
  )
  expect(sentence(local(22, 22, 10), local(23, 8, 1))).toBe(
    'Computer asleep from 22 Nov, 22:10 to 23 Nov, 08:01. Nothing was received.',
  )
  // A sleep that only the process noticed may have been something else.
  expect(sentence(local(23, 10, 2), local(23, 10, 40), { announced: false })).toBe(
    'Asleep or stopped from 10:02 to 10:40. Nothing was received.',
  )
})
