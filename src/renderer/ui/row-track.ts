/**
 * Tracks: the part of a very long list that its scrollbar covers, because Chromium limits the
 * height of what scrolls.
 */

/**
 * Most rows of a track. In a longer list, the wheel and keys move the track row by row, and
 * dragging the scrollbar reaches every row.
 */
export const TRACK_ROWS = 100_000

/** Distance from either end of the list, in rows, within which the track is at that end. */
const NEAR_ROWS = 1_000

/**
 * Position in a long list: rows above its track, and the scroll offset within the track in pixels.
 */
export interface Track {
  readonly base: number
  readonly offset: number
}

export interface ListShape {
  readonly count: number
  readonly rowHeight: number
  /** Height of the view, in pixels. */
  readonly viewport: number
}

/** Returns the track whose scrollbar shows how far down `top` is, in pixels from the first row. */
export function trackAt({ count, rowHeight, viewport }: ListShape, top: number): Track {
  const lastBase = Math.max(0, count - TRACK_ROWS)
  const last = Math.max(0, count * rowHeight - viewport)
  const near = NEAR_ROWS * rowHeight
  const base =
    top < near ? 0 : top > last - near ? lastBase : Math.round((top / Math.max(1, last)) * lastBase)
  return { base, offset: top - base * rowHeight }
}

/** Returns the track after scrolling; a jump of a view or more is a scrollbar drag. */
export function trackAfter(shape: ListShape, before: Track, offset: number): Track {
  const { count, rowHeight, viewport } = shape
  const lastBase = Math.max(0, count - TRACK_ROWS)
  const span = TRACK_ROWS * rowHeight - viewport
  if (lastBase === 0) return { base: 0, offset }
  if (Math.abs(offset - before.offset) >= viewport)
    return { base: Math.round(Math.min(1, Math.max(0, offset / span)) * lastBase), offset }
  const isAtEnd =
    (offset < viewport && before.base > 0) || (offset > span - viewport && before.base < lastBase)
  return isAtEnd ? trackAt(shape, before.base * rowHeight + offset) : { base: before.base, offset }
}
