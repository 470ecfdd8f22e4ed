import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import {
  LONGEST_SCROLL,
  afterScroll,
  geometry,
  positionAt,
  range,
  topToShow,
  type Position,
} from './row-window.ts'

const viewport = 600
const shapes = fc.record({
  count: fc.integer({ min: 0, max: 12_000_000 }),
  rowHeight: fc.constantFrom(20, 28, 36),
  viewport: fc.integer({ min: 50, max: 2_000 }),
})

describe('range', () => {
  test('draws the visible rows and the overscan', () => {
    expect(range(geometry(1_000, 28, 280), 280, 0)).toEqual({ first: 10, end: 21, offset: 0 })
    expect(range(geometry(1_000, 28, 280), 294, 2)).toEqual({
      first: 8,
      end: 23,
      offset: 8 * 28 - 294,
    })
    expect(range(geometry(1_000, 28, 280), 0, 2)).toEqual({ first: 0, end: 15, offset: 0 })
    expect(range(geometry(1_000, 28, 280), 28_000, 2)).toEqual({
      first: 988,
      end: 1_000,
      offset: -56,
    })
  })

  test('draws no row above the view, even if the last rows leave space below', () => {
    expect(range(geometry(3, 28, 280, 56), 56, 0)).toEqual({ first: 2, end: 3, offset: 0 })
    expect(range(geometry(12, 28, 280, 140), 150, 0)).toEqual({ first: 5, end: 12, offset: 0 })
  })

  test('draws nothing for an empty list', () => {
    expect(range(geometry(0, 28, 280), 500, 3)).toEqual({ first: 0, end: 0, offset: 0 })
  })

  test.prop([shapes, fc.double({ min: -100, max: 500_000_000, noNaN: true }), fc.nat({ max: 60 })])(
    'covers the viewport and stays within the list',
    (s, top, linesAbove) => {
      const reach = Math.min(linesAbove, Math.max(0, s.count - 1)) * s.rowHeight
      const shape = geometry(s.count, s.rowHeight, s.viewport, reach)
      const rows = range(shape, top, 4)
      expect(rows.first).toBeGreaterThanOrEqual(0)
      expect(rows.end).toBeLessThanOrEqual(s.count)
      expect(rows.end - rows.first).toBeLessThanOrEqual(Math.ceil(s.viewport / s.rowHeight) + 9)
      expect(rows.offset).toBeGreaterThan(-5 * s.rowHeight - 0.001)
      if (s.count > 0) expect(rows.offset).toBeLessThanOrEqual(0)
      if (reach === 0 && s.count * s.rowHeight >= s.viewport)
        expect(rows.offset + (rows.end - rows.first) * s.rowHeight).toBeGreaterThanOrEqual(
          s.viewport - 0.001,
        )
    },
  )
})

describe('scroll compression', () => {
  const million = geometry(10_000_000, 28, viewport)

  test('is off for a list that fits', () => {
    const shape = geometry(100_000, 28, viewport)
    expect(shape.scrollHeight).toBe(2_800_000)
    expect(afterScroll(shape, { top: 0, scrollTop: 0 }, 123_456)).toEqual({
      top: 123_456,
      scrollTop: 123_456,
    })
  })

  test('keeps the scroll height under the limit', () => {
    expect(million.scrollHeight).toBe(LONGEST_SCROLL)
  })

  test('reaches the last row by dragging the scrollbar to its end', () => {
    const end = afterScroll(million, { top: 0, scrollTop: 0 }, LONGEST_SCROLL - viewport)
    expect(range(million, end.top, 0).end).toBe(10_000_000)
  })

  test('moves pixel by pixel with the wheel', () => {
    const start = positionAt(million, 1_000_000)
    expect(afterScroll(million, start, start.scrollTop + 100).top).toBeCloseTo(1_000_100)
  })

  test('reaches the first row in small steps', () => {
    let position: Position = positionAt(million, 5_000)
    for (let step = 0; step < 100 && position.top > 0; step++)
      position = afterScroll(million, position, Math.max(0, position.scrollTop - 100))
    expect(position).toEqual({ top: 0, scrollTop: 0 })
  })

  test('reaches the last row in small steps', () => {
    const last = million.virtualHeight - viewport
    let position: Position = positionAt(million, last - 5_000)
    for (let step = 0; step < 100 && position.top < last; step++)
      position = afterScroll(
        million,
        position,
        Math.min(LONGEST_SCROLL - viewport, position.scrollTop + 100),
      )
    expect(position.top).toBe(last)
    expect(position.scrollTop).toBe(LONGEST_SCROLL - viewport)
  })

  test.prop([shapes, fc.double({ min: 0, max: 1, noNaN: true })])(
    'keeps the scrollbar within its track',
    (s, part) => {
      const shape = geometry(s.count, s.rowHeight, s.viewport)
      const { top, scrollTop } = positionAt(shape, part * shape.virtualHeight)
      expect(top).toBeGreaterThanOrEqual(0)
      expect(scrollTop).toBeGreaterThanOrEqual(0)
      expect(scrollTop).toBeLessThanOrEqual(Math.max(0, shape.scrollHeight - shape.viewport))
    },
  )
})

describe('topToShow', () => {
  const shape = geometry(100, 28, 280)
  test('moves as little as possible', () => {
    expect(topToShow(shape, 280, 12)).toBe(280)
    expect(topToShow(shape, 280, 5)).toBe(140)
    expect(topToShow(shape, 280, 20)).toBe(21 * 28 - 280)
  })
})
