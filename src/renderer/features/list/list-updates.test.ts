import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import {
  PAGE_SIZE,
  anchored,
  emptyList,
  endOfPage,
  extended,
  folded,
  indexOfSeq,
  keepingNear,
  missingPages,
  rebuilt,
  rowAt,
  rowCount,
  withArrived,
  withPage,
  withUpdated,
  type ListState,
} from './list-updates.ts'

/** Seqs `from` down to `to`. */
function rows(from: number, to: number): DeliveryRow[] {
  return Array.from({ length: from - to + 1 }, (_, index) => deliveryRow(from - index))
}

/** A list over a store that holds seqs 1 to `size`. */
function listOf(size: number): ListState {
  const anchors: number[] = []
  for (let seq = size; seq > 0; seq -= PAGE_SIZE) anchors.push(seq)
  return anchored(emptyList, { total: size, anchors, newest: size, next: null })
}

function pageOf(state: ListState, page: number): DeliveryRow[] {
  const from = state.anchors[page] ?? 0
  return rows(from, Math.max(1, from - PAGE_SIZE + 1))
}

describe('the pages', () => {
  test('say which of them the rows in view need', () => {
    const list = listOf(250)
    expect(missingPages(list, 0, 20)).toEqual([0])
    expect(missingPages(list, 90, 110)).toEqual([0, 1])
    expect(missingPages(list, 240, 250)).toEqual([2])
    expect(missingPages(withPage(list, 0, pageOf(list, 0)), 90, 110)).toEqual([1])
  })

  test('give the row at an index and the index of a row', () => {
    const list = withPage(listOf(250), 1, pageOf(listOf(250), 1))
    expect(rowAt(list, 100)?.seq).toBe(150)
    expect(rowAt(list, 0)).toBeUndefined()
    expect(indexOfSeq(list, 101)).toBe(149)
    expect(indexOfSeq(list, 250)).toBeNull()
  })

  test('are forgotten far from the view', () => {
    let list = listOf(2_000)
    for (let page = 0; page < 20; page++) list = withPage(list, page, pageOf(list, page))
    expect([...keepingNear(list, 1_000, 1_040).pages.keys()]).toEqual([7, 8, 9, 10, 11, 12, 13])
  })

  test('never hold more rows than the list has', () => {
    const list = withPage(listOf(150), 1, rows(50, 1).concat(rows(50, 1)))
    expect(list.pages.get(1)).toHaveLength(50)
  })
})

describe('arrivals', () => {
  test('come on top and push the rest down', () => {
    const list = withArrived(withPage(listOf(5), 0, rows(5, 1)), [deliveryRow(7), deliveryRow(6)])
    expect(rowCount(list)).toBe(7)
    expect([0, 1, 2, 6].map((index) => rowAt(list, index)?.seq)).toEqual([7, 6, 5, 1])
    expect(list.arrived).toBe(2 + 5)
  })

  test('that are there already change nothing', () => {
    const list = withArrived(listOf(5), [deliveryRow(6)])
    expect(withArrived(list, [deliveryRow(6), deliveryRow(5)])).toBe(list)
  })

  test.prop([fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 30 })])(
    'keep every row once and in order, whatever the batches',
    (batches) => {
      let next = 1
      let list: ListState = emptyList
      for (const size of batches) {
        const batch = rows(next + size - 1, next)
        list = withArrived(withArrived(list, batch), batch)
        next += size
      }
      expect(Array.from({ length: rowCount(list) }, (_, index) => rowAt(list, index)?.seq)).toEqual(
        rows(next - 1, 1).map((one) => one.seq),
      )
    },
  )
})

describe('anchoring anew', () => {
  test('folds the head into the pages without losing what is known', () => {
    const before = withArrived(withPage(listOf(100), 0, rows(100, 1)), rows(150, 101))
    const after = anchored(before, { total: 150, anchors: [150, 50], newest: 150, next: null })
    expect(after.head).toHaveLength(0)
    expect(rowAt(after, 0)?.seq).toBe(150)
    expect(rowAt(after, 149)?.seq).toBe(1)
    expect(missingPages(after, 0, 150)).toEqual([])
    expect(after.arrived).toBe(before.arrived)
  })

  test('counts what came in between as arrived, and keeps each known row in its place below', () => {
    const before = withPage(listOf(100), 0, rows(100, 1))
    const after = anchored(before, { total: 103, anchors: [103, 3], newest: 103, next: null })
    expect(after.arrived).toBe(before.arrived + 3)
    expect(rowAt(after, 3)?.seq).toBe(100)
    expect(missingPages(after, 0, 10)).toEqual([0])
  })

  test('keeps arrivals that are newer than the anchors', () => {
    const after = anchored(withArrived(listOf(5), [deliveryRow(7), deliveryRow(6)]), {
      total: 6,
      anchors: [6],
      newest: 6,
      next: null,
    })
    expect(after.head.map((one) => one.seq)).toEqual([7])
    expect(rowCount(after)).toBe(7)
  })
})

describe('counting on', () => {
  test('puts rows on at the bottom, and asks again for a page that was not whole', () => {
    const first = anchored(emptyList, { total: 130, anchors: [900, 700], newest: 900, next: 600 })
    expect([endOfPage(first, 0), endOfPage(first, 1)]).toEqual([701, 601])
    const begun = withPage(first, 1, rows(700, 671))
    expect(missingPages(begun, 100, 130)).toEqual([])
    const more = extended(begun, { total: 120, anchors: [500], newest: 0, next: null })
    expect([rowCount(more), more.next, endOfPage(more, 1), endOfPage(more, 2)]).toEqual([250, null, 501, undefined])
    expect(rowAt(more, 129)?.seq).toBe(671)
    expect(missingPages(more, 100, 210)).toEqual([1, 2])
  })
})

describe('a long head', () => {
  test.prop([fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 350 })])(
    'becomes pages without a row being lost, moved or unknown',
    (arrived, stored) => {
      const below = listOf(stored)
      const known = below.anchors.reduce((list, _, page) => withPage(list, page, pageOf(list, page)), below)
      const before = withArrived(known, rows(stored + arrived, stored + 1))
      const { list, pages } = folded(before)
      expect(pages).toBe(Math.floor(arrived / 2 / PAGE_SIZE))
      expect(list.head).toHaveLength(arrived - pages * PAGE_SIZE)
      expect(list.arrived).toBe(before.arrived)
      expect(Array.from({ length: rowCount(list) }, (_, index) => rowAt(list, index)?.seq)).toEqual(
        rows(stored + arrived, 1).map(({ seq }) => seq),
      )
      for (const seq of [1, stored, stored + 1, stored + arrived].filter((one) => one > 0 && one <= stored + arrived))
        expect(indexOfSeq(list, seq)).toBe(stored + arrived - seq)
    },
  )
})

describe('building anew', () => {
  test('keeps only what is newer than the anchors, and does not move the view', () => {
    const before = withArrived(withPage(listOf(5), 0, rows(5, 1)), [deliveryRow(7), deliveryRow(6)])
    const after = rebuilt(before, { total: 4, anchors: [6], newest: 6, next: null })
    expect(after.head.map((one) => one.seq)).toEqual([7])
    expect(rowCount(after)).toBe(5)
    expect(missingPages(after, 0, 5)).toEqual([0])
    expect(after.arrived).toBe(before.arrived)
  })
})

describe('changes', () => {
  test('reach a row in the head and one in a page, and leave the others as they are', () => {
    const list = withArrived(withPage(listOf(5), 0, rows(5, 1)), [deliveryRow(6)])
    const changed = withUpdated(list, [deliveryRow(6, { event: 'card.failed' }), deliveryRow(2, { event: 'card.failed' })])
    expect(rowAt(changed, 0)?.event).toBe('card.failed')
    expect(rowAt(changed, 4)?.event).toBe('card.failed')
    expect(rowAt(changed, 3)).toBe(rowAt(list, 3))
  })

  test('of rows that are not there change nothing', () => {
    const list = withPage(listOf(5), 0, rows(5, 1))
    expect(withUpdated(list, [deliveryRow(99)]).pages).toBe(list.pages)
  })
})
