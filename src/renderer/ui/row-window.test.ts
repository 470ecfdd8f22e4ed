import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import {
  LONGEST_SCROLL,
  afterScroll,
  geometry,
  PLACES_HEIGHT,
  keysOfRows,
  placeOf,
  positionAt,
  range,
  topToShow,
  type Position,
  type RowKeys,
} from './row-window.ts'

const viewport = 600
const shapes = fc.record({
  count: fc.integer({ min: 0, max: 12_000_000 }),
  rowHeight: fc.constantFrom(20, 28, 36),
  viewport: fc.integer({ min: 50, max: 2_000 }),
})

describe('range', () => {
  test('draws the rows in view and the overscan', () => {
    expect(range(geometry(1_000, 28, 280), 280, 0)).toEqual({ first: 10, end: 20, offset: 0 })
    expect(range(geometry(1_000, 28, 280), 294, 2)).toEqual({ first: 8, end: 23, offset: 8 * 28 - 294 })
  })

  test('draws nothing of an empty list', () => {
    expect(range(geometry(0, 28, 280), 500, 3)).toEqual({ first: 0, end: 0, offset: 0 })
  })

  test.prop([shapes, fc.double({ min: -100, max: 500_000_000, noNaN: true })])(
    'covers the viewport and stays inside the list',
    (s, top) => {
      const shape = geometry(s.count, s.rowHeight, s.viewport)
      const rows = range(shape, top, 4)
      expect(rows.first).toBeGreaterThanOrEqual(0)
      expect(rows.end).toBeLessThanOrEqual(s.count)
      expect(rows.end - rows.first).toBeLessThanOrEqual(Math.ceil(s.viewport / s.rowHeight) + 10)
      if (s.count * s.rowHeight >= s.viewport) {
        expect(rows.offset).toBeLessThanOrEqual(0)
        expect(rows.offset + (rows.end - rows.first) * s.rowHeight).toBeGreaterThanOrEqual(s.viewport - 0.001)
      }
    },
  )
})

describe('scroll compression', () => {
  const million = geometry(10_000_000, 28, viewport)

  test('is off for a list that fits', () => {
    const shape = geometry(100_000, 28, viewport)
    expect(shape.scrollHeight).toBe(2_800_000)
    expect(afterScroll(shape, { top: 0, scrollTop: 0 }, 123_456)).toEqual({ top: 123_456, scrollTop: 123_456 })
  })

  test('keeps what scrolls under the clamp', () => {
    expect(million.scrollHeight).toBe(LONGEST_SCROLL)
  })

  test('reaches the last row by dragging the bar to its end', () => {
    const end = afterScroll(million, { top: 0, scrollTop: 0 }, LONGEST_SCROLL - viewport)
    expect(range(million, end.top, 0).end).toBe(10_000_000)
  })

  test('moves pixel by pixel with the wheel', () => {
    const start = positionAt(million, 1_000_000)
    expect(afterScroll(million, start, start.scrollTop + 100).top).toBeCloseTo(1_000_100)
  })

  test('reaches the first row by small steps only', () => {
    let position: Position = positionAt(million, 5_000)
    for (let step = 0; step < 100 && position.top > 0; step++)
      position = afterScroll(million, position, Math.max(0, position.scrollTop - 100))
    expect(position).toEqual({ top: 0, scrollTop: 0 })
  })

  test('reaches the last row by small steps only', () => {
    const last = million.virtualHeight - viewport
    let position: Position = positionAt(million, last - 5_000)
    for (let step = 0; step < 100 && position.top < last; step++)
      position = afterScroll(million, position, Math.min(LONGEST_SCROLL - viewport, position.scrollTop + 100))
    expect(position.top).toBe(last)
    expect(position.scrollTop).toBe(LONGEST_SCROLL - viewport)
  })

  test.prop([shapes, fc.double({ min: 0, max: 1, noNaN: true })])('places the bar inside its track', (s, part) => {
    const shape = geometry(s.count, s.rowHeight, s.viewport)
    const { top, scrollTop } = positionAt(shape, part * shape.virtualHeight)
    expect(top).toBeGreaterThanOrEqual(0)
    expect(scrollTop).toBeGreaterThanOrEqual(0)
    expect(scrollTop).toBeLessThanOrEqual(Math.max(0, shape.scrollHeight - shape.viewport))
  })
})

describe('topToShow', () => {
  const shape = geometry(100, 28, 280)
  test('moves as little as it can', () => {
    expect(topToShow(shape, 280, 12)).toBe(280)
    expect(topToShow(shape, 280, 5)).toBe(140)
    expect(topToShow(shape, 280, 20)).toBe(21 * 28 - 280)
  })
})

describe('keysOfRows', () => {
  const drawn = (first: number, end: number) => ({ first, end, offset: 0 })
  const keyOf = (keys: RowKeys, index: number) => keys.next - index

  test('a row keeps its key while others arrive above it, and while the list is scrolled through', () => {
    const before = keysOfRows(null, 1_000, drawn(10, 30), 28)
    const arrived = keysOfRows(before, 1_003, drawn(13, 33), 28)
    expect(keyOf(arrived, 13)).toBe(keyOf(before, 10))
    const scrolled = keysOfRows(arrived, 1_003, drawn(30, 50), 28)
    expect(keyOf(scrolled, 32)).toBe(keyOf(arrived, 32))
  })

  test('a jump takes the keys along, and scrolling goes on from them', () => {
    const before = keysOfRows(null, 1_000, drawn(10, 30), 28)
    const jumped = keysOfRows(before, 1_000, drawn(700, 720), 28)
    expect(Array.from({ length: 20 }, (_, place) => keyOf(jumped, 700 + place))).toEqual(
      Array.from({ length: 20 }, (_, place) => keyOf(before, 10 + place)),
    )
    const scrolled = keysOfRows(jumped, 1_000, drawn(705, 725), 28)
    expect(keyOf(scrolled, 710)).toBe(keyOf(jumped, 710))
  })
  test.prop([
    fc.array(
      fc.record({
        arrive: fc.integer({ min: 0, max: 400 }),
        scroll: fc.integer({ min: -60_000, max: 60_000 }),
        height: fc.constantFrom(28, 36),
      }),
      { maxLength: 60 },
    ),
  ])('rows stand one below the other inside the places, and stay there while they are drawn', (steps) => {
    let keys: RowKeys | null = null
    let count = 1_000_000
    let first = 0
    for (const { arrive, scroll, height } of steps) {
      count += arrive
      first = Math.max(0, Math.min(count - 30, first + arrive + scroll))
      const next: RowKeys = keysOfRows(keys, count, drawn(first, first + 30), height)
      const tops = Array.from({ length: 30 }, (_, place) => placeOf(next, first + place, height))
      expect(tops.every((top, place) => place === 0 || top - (tops[place - 1] ?? 0) === height)).toBe(true)
      expect(Math.min(...tops)).toBeGreaterThanOrEqual(0)
      expect(Math.max(...tops) + height).toBeLessThanOrEqual(PLACES_HEIGHT)
      keys = next
    }
  })

  test('a row that stays in view stays where it stands', () => {
    const before = keysOfRows(null, 1_000, drawn(10, 30), 28)
    const arrived = keysOfRows(before, 1_003, drawn(18, 38), 28)
    expect(placeOf(arrived, 23, 28)).toBe(placeOf(before, 20, 28))
  })
})
