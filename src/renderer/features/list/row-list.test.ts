import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import {
  emptyList,
  indexOfSeq,
  keepingNear,
  orderOf,
  rowAt,
  withArrived,
  withColumn,
  withMembers,
  withRows,
  withUpdated,
  type RowList,
} from './row-list.ts'

const down = (from: number, to: number) =>
  Array.from({ length: Math.max(0, from - to + 1) }, (_, index) => from - index)
const listOf = (seqs: number[], order: RowList['order'] = 'newest'): RowList => ({
  ...emptyList,
  seqs,
  order,
  newest: Math.max(0, ...seqs),
})
const loaded = (list: RowList) =>
  withRows(
    list,
    list.seqs.map((seq) => deliveryRow(seq)),
  )

property.prop([fc.uniqueArray(fc.integer({ min: 1, max: 60 })), fc.boolean()])(
  'the place of a seq is found, also among imported deliveries',
  (some, isByTime) => {
    const seqs = isByTime ? some : some.toSorted((a, b) => b - a)
    const list = listOf(seqs, orderOf(seqs))
    for (let seq = 0; seq <= 61; seq++)
      expect(indexOfSeq(list, seq)).toBe(seqs.includes(seq) ? seqs.indexOf(seq) : null)
  },
)

test('in a fixed order, a seq is found too', () => {
  const list = listOf([5, 900, 7], 'fixed')
  expect([indexOfSeq(list, 7), indexOfSeq(list, 8)]).toEqual([2, null])
})

describe('arrivals', () => {
  property.prop([fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 30 })])(
    'every row appears once and in order, for any batches that come twice',
    (batches) => {
      let newest = 0
      let list = emptyList
      for (const size of batches) {
        const batch = down(newest + size, newest + 1).reverse()
        newest += size
        for (let time = 0; time < 2; time++) list = withArrived(list, batch, newest)
      }
      expect([list.seqs, list.arrived]).toEqual([down(newest, 1), newest])
    },
  )

  test('what arrived while the list was read again stays, and known rows too', () => {
    const before = loaded(withArrived(listOf([5, 4]), [7, 8], 8))
    const after = withColumn(before, { seqs: [7, 6, 5, 4], newest: 7, order: 'newest' })
    expect([after.seqs, after.newest]).toEqual([[8, 7, 6, 5, 4], 8])
    expect([rowAt(after, 0)?.seq, rowAt(after, 2)]).toEqual([8, undefined])
  })
})

test('rows leave and join in their place', () => {
  const list = listOf([9, 7, 5, 3])
  const members = new Map([
    [9, true],
    [8, true],
    [5, false],
    [4, true],
    [12, true],
  ])
  const after = withMembers(list, members)
  expect(after.seqs).toEqual([9, 8, 7, 4, 3])
  expect(withMembers(after, members)).toBe(after)
})

describe('rows', () => {
  test('changed ones are replaced if they are loaded', () => {
    const list = loaded(listOf([3, 2, 1]))
    const changed = withUpdated(list, [deliveryRow(2, { event: 'card.failed' }), deliveryRow(99)])
    expect([rowAt(changed, 1)?.event, changed.rows.has(99)]).toEqual(['card.failed', false])
    expect(rowAt(changed, 0)).toBe(rowAt(list, 0))
    expect(withUpdated(list, [deliveryRow(99)])).toBe(list)
  })

  test('those far from the view are dropped once there are many', () => {
    const few = loaded(listOf(down(1_500, 1)))
    expect(keepingNear(few, 0, 40)).toBe(few)
    const many = keepingNear(loaded(listOf(down(5_000, 1))), 1_000, 1_040)
    expect(many.rows.size).toBe(640)
    expect([rowAt(many, 700)?.seq, rowAt(many, 699), rowAt(many, 1_339)?.seq]).toEqual([
      4_300,
      undefined,
      3_661,
    ])
  })
})
