import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { PLACES_HEIGHT, inOrder, placeOf, slotsOf, type RowSlots } from './row-slots.ts'

const HEIGHT = 28
const rows = (first: number, end: number) => ({ first, end, offset: 0 })
const keyOf = ({ slots }: RowSlots, index: number) =>
  slots.find((slot) => slot.index === index)?.key
const keysOf = ({ slots }: RowSlots) => slots.map(({ key }) => key)
const indicesOf = ({ slots }: RowSlots) => slots.map(({ index }) => index)
const ascending = (values: readonly number[]) => values.toSorted((one, other) => one - other)

describe('row elements', () => {
  test('scrolling reuses the elements of rows that left the view, without moving any in the document', () => {
    const before = slotsOf(null, rows(10, 16), 0, HEIGHT)
    const after = slotsOf(before, rows(12, 18), 0, HEIGHT)
    expect(keysOf(after)).toEqual(keysOf(before))
    expect(indicesOf(after)).toEqual([16, 17, 12, 13, 14, 15])
    expect(after.inOrder).toBe(false)
  })

  test('the document order matches the rows again once scrolling stops', () => {
    const before = slotsOf(slotsOf(null, rows(10, 16), 0, HEIGHT), rows(12, 18), 0, HEIGHT)
    const after = inOrder(before)
    expect(keysOf(after)).toEqual(keysOf(before))
    expect(indicesOf(after)).toEqual([12, 13, 14, 15, 16, 17])
    expect(after.inOrder).toBe(true)
  })

  test('a jump that leaves no row in view keeps elements and order', () => {
    const before = slotsOf(null, rows(10, 16), 0, HEIGHT)
    const after = slotsOf(before, rows(700, 706), 0, HEIGHT)
    expect(keysOf(after)).toEqual(keysOf(before))
    expect(indicesOf(after)).toEqual([700, 701, 702, 703, 704, 705])
    expect(after.inOrder).toBe(true)
  })

  test.prop([
    fc.array(
      fc.record({
        arrive: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 })),
        scroll: fc.oneof(
          fc.integer({ min: -40, max: 40 }),
          fc.integer({ min: -60_000, max: 60_000 }),
        ),
        height: fc.constantFrom(28, 36),
        drawn: fc.constantFrom(28, 30),
        rests: fc.boolean(),
      }),
      { maxLength: 60 },
    ),
  ])(
    "each visible row has one element below the previous row's, and keeps both while drawn",
    (steps) => {
      let slots: RowSlots | null = null
      let arrived = 0
      let first = 500_000
      for (const { arrive, scroll, height, drawn, rests } of steps) {
        arrived += arrive
        first = Math.max(0, Math.min(1_000_000 + arrived - drawn, first + arrive + scroll))
        const next: RowSlots = slotsOf(slots, rows(first, first + drawn), arrived, height)
        const wanted = Array.from({ length: drawn }, (_, place) => first + place)
        expect(ascending(indicesOf(next))).toEqual(wanted)
        expect(new Set(keysOf(next)).size).toBe(drawn)
        expect(next.inOrder).toBe(indicesOf(next).join() === wanted.join())
        for (const { key, index } of slots?.slots ?? []) {
          const now = keyOf(next, index + arrive)
          if (now !== undefined) expect(now).toBe(key)
        }
        const tops = wanted.map((index) => placeOf(next, index, height))
        expect(
          tops.every((top, place) => place === 0 || top - (tops[place - 1] ?? 0) === height),
        ).toBe(true)
        expect(Math.min(...tops)).toBeGreaterThanOrEqual(0)
        expect(Math.max(...tops) + height).toBeLessThanOrEqual(PLACES_HEIGHT)
        slots = rests ? inOrder(next) : next
        expect(ascending(indicesOf(slots))).toEqual(wanted)
      }
    },
  )
})
