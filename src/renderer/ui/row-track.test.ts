import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { TRACK_ROWS, trackAfter, trackAt, type Track } from './row-track.ts'

const rowHeight = 28
const viewport = 640
const shapeOf = (count: number) => ({ count, rowHeight, viewport })
/** Returns the pixels from the first row to the top of the view. */
const topOf = ({ base, offset }: Track) => base * rowHeight + offset
const span = TRACK_ROWS * rowHeight - viewport
const MILLION = shapeOf(1_000_000)
const last = 1_000_000 * rowHeight - viewport

test('a list that fits its track scrolls as the browser does', () => {
  const shape = shapeOf(50_000)
  expect(trackAt(shape, 12_345)).toEqual({ base: 0, offset: 12_345 })
  expect(trackAfter(shape, { base: 0, offset: 0 }, 900_000)).toEqual({ base: 0, offset: 900_000 })
})

describe('a million rows', () => {
  property.prop([fc.double({ min: 0, max: 1, noNaN: true })])(
    'the scrollbar reaches every row, and shows how far down it is',
    (share) => {
      const dragged = trackAfter(MILLION, { base: 0, offset: -2 * viewport }, share * span)
      expect(Math.abs(topOf(dragged) - share * last)).toBeLessThan(rowHeight)
      const at = trackAt(MILLION, share * last)
      expect(topOf(at)).toBeCloseTo(share * last, 3)
      expect(at.offset).toBeGreaterThanOrEqual(0)
      expect(at.offset).toBeLessThanOrEqual(span + 1e-3)
    },
  )

  test.each([-1, 1])('the wheel moves row by row to the end (%i)', (direction) => {
    let at = trackAt(MILLION, direction > 0 ? last - 3_000 * rowHeight : 3_000 * rowHeight)
    for (let turn = 0; turn < 400; turn++) {
      const before = topOf(at)
      const expectedTop = Math.min(last, Math.max(0, before + direction * 280))
      at = trackAfter(MILLION, at, Math.min(span, Math.max(0, at.offset + direction * 280)))
      expect(topOf(at)).toBeCloseTo(expectedTop, 3)
    }
    expect(topOf(at)).toBeCloseTo(direction > 0 ? last : 0, 3)
  })
})
