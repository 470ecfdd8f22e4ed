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

/** Seqs from `from` down to `to`. */
function rows(from: number, to: number): DeliveryRow[] {
  return Array.from({ length: from - to + 1 }, (_, index) => deliveryRow(from - index))
}

/** A list over a store with seqs 1 to `size`. */
function listOf(size: number): ListState {
  const anchors: number[] = []
  for (let seq = size; seq > 0; seq -= PAGE_SIZE) anchors.push(seq)
  return anchored(emptyList, { total: size, anchors, newest: size, next: null })
}

function pageOf(state: ListState, page: number): DeliveryRow[] {
  const from = state.anchors[page] ?? 0
  return rows(from, Math.max(1, from - PAGE_SIZE + 1))
}

describe('pages', () => {
  test('the visible rows determine the pages needed', () => {
    const list = listOf(250)
    expect(missingPages(list, 0, 20)).toEqual([0])
    expect(missingPages(list, 90, 110)).toEqual([0, 1])
    expect(missingPages(list, 240, 250)).toEqual([2])
    expect(missingPages(withPage(list, 0, pageOf(list, 0)), 90, 110)).toEqual([1])
  })

  test('a row is found by index, and an index by row', () => {
    const list = withPage(listOf(250), 1, pageOf(listOf(250), 1))
    expect(rowAt(list, 100)?.seq).toBe(150)
    expect(rowAt(list, 0)).toBeUndefined()
    expect(indexOfSeq(list, 101)).toBe(149)
    expect(indexOfSeq(list, 250)).toBeNull()
  })

  test('distant pages are dropped', () => {
    let list = listOf(2_000)
    for (let page = 0; page < 20; page++) list = withPage(list, page, pageOf(list, page))
    expect([...keepingNear(list, 1_000, 1_040).pages.keys()]).toEqual([7, 8, 9, 10, 11, 12, 13])
  })

  test('pages never contain more rows than the list', () => {
    const list = withPage(listOf(150), 1, rows(50, 1).concat(rows(50, 1)))
    expect(list.pages.get(1)).toHaveLength(50)
  })
})

describe('arrivals', () => {
  test.prop([fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 30 })])(
    'every row appears once and in order, for any batches',
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

describe('anchoring again', () => {
  test('the head becomes pages without losing known rows', () => {
    const before = withArrived(withPage(listOf(100), 0, rows(100, 1)), rows(150, 101))
    const after = anchored(before, { total: 150, anchors: [150, 50], newest: 150, next: null })
    expect(after.head).toHaveLength(0)
    expect(rowAt(after, 0)?.seq).toBe(150)
    expect(rowAt(after, 149)?.seq).toBe(1)
    expect(missingPages(after, 0, 150)).toEqual([])
    expect(after.arrived).toBe(before.arrived)
  })

  test('arrivals newer than the anchors are kept', () => {
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

describe('further counting', () => {
  test('rows are appended at the bottom, and an incomplete page is requested again', () => {
    const first = anchored(emptyList, { total: 130, anchors: [900, 700], newest: 900, next: 600 })
    expect([endOfPage(first, 0), endOfPage(first, 1)]).toEqual([701, 601])
    const begun = withPage(first, 1, rows(700, 671))
    expect(missingPages(begun, 100, 130)).toEqual([])
    const more = extended(begun, { total: 120, anchors: [500], newest: 0, next: null })
    expect([rowCount(more), more.next, endOfPage(more, 1), endOfPage(more, 2)]).toEqual([
      250,
      null,
      501,
      undefined,
    ])
    expect(rowAt(more, 129)?.seq).toBe(671)
    expect(missingPages(more, 100, 210)).toEqual([1, 2])
  })
})

describe('a long head', () => {
  test.prop([fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 350 })])(
    'it becomes pages without losing, moving or forgetting a row',
    (arrived, stored) => {
      const below = listOf(stored)
      const known = below.anchors.reduce(
        (list, _, page) => withPage(list, page, pageOf(list, page)),
        below,
      )
      const before = withArrived(known, rows(stored + arrived, stored + 1))
      const { list, pages } = folded(before)
      expect(pages).toBe(Math.floor(arrived / 2 / PAGE_SIZE))
      expect(list.head).toHaveLength(arrived - pages * PAGE_SIZE)
      expect(list.arrived).toBe(before.arrived)
      expect(Array.from({ length: rowCount(list) }, (_, index) => rowAt(list, index)?.seq)).toEqual(
        rows(stored + arrived, 1).map(({ seq }) => seq),
      )
      for (const seq of [1, stored, stored + 1, stored + arrived].filter(
        (one) => one > 0 && one <= stored + arrived,
      ))
        expect(indexOfSeq(list, seq)).toBe(stored + arrived - seq)
    },
  )
})

describe('rebuilding', () => {
  test("only rows newer than the anchors are kept, and the view doesn't move", () => {
    const before = withArrived(withPage(listOf(5), 0, rows(5, 1)), [deliveryRow(7), deliveryRow(6)])
    const after = rebuilt(before, { total: 4, anchors: [6], newest: 6, next: null })
    expect(after.head.map((one) => one.seq)).toEqual([7])
    expect(rowCount(after)).toBe(5)
    expect(missingPages(after, 0, 5)).toEqual([0])
    expect(after.arrived).toBe(before.arrived)
  })
})

describe('changes', () => {
  test('a row in the head and one in a page are updated, and the others stay', () => {
    const list = withArrived(withPage(listOf(5), 0, rows(5, 1)), [deliveryRow(6)])
    const changed = withUpdated(list, [
      deliveryRow(6, { event: 'card.failed' }),
      deliveryRow(2, { event: 'card.failed' }),
    ])
    expect(rowAt(changed, 0)?.event).toBe('card.failed')
    expect(rowAt(changed, 4)?.event).toBe('card.failed')
    expect(rowAt(changed, 3)).toBe(rowAt(list, 3))
  })

  test('changes to unknown rows do nothing', () => {
    const list = withPage(listOf(5), 0, rows(5, 1))
    expect(withUpdated(list, [deliveryRow(99)]).pages).toBe(list.pages)
  })
})
