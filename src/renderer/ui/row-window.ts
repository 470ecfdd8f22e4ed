/**
 * Which rows of a long list are on screen, as pure functions. Rows have one fixed height. Chromium clamps the height of what
 * scrolls at 33,554,428 device pixels, so a list that would be higher is compressed: the scroll bar covers a shorter
 * distance than the rows do, wheel and keys still move row by row, and dragging the bar reaches every row.
 */

/** Highest scrolling content in CSS pixels: below the clamp at a device pixel ratio of 4. */
export const LONGEST_SCROLL = 8_000_000

export interface Geometry {
  /** Height of all rows, in pixels. */
  readonly virtualHeight: number
  /** Height of what scrolls: the same, or less where it is compressed. */
  readonly scrollHeight: number
  readonly viewport: number
  readonly rowHeight: number
  readonly count: number
}

export interface Position {
  /** Distance of the viewport's top edge from the first row, in pixels of rows. */
  readonly top: number
  /** `scrollTop` of the scrolling element that goes with it. */
  readonly scrollTop: number
}

export interface RowRange {
  readonly first: number
  /** One past the last. */
  readonly end: number
  /** Where the first row begins, relative to the viewport's top edge. */
  readonly offset: number
}

export function geometry(count: number, rowHeight: number, viewport: number): Geometry {
  const virtualHeight = count * rowHeight
  return { count, rowHeight, viewport, virtualHeight, scrollHeight: Math.min(virtualHeight, LONGEST_SCROLL) }
}

/** Rows to draw at `top`, with `overscan` more on each side. */
export function range(shape: Geometry, top: number, overscan: number): RowRange {
  if (shape.count === 0) return { first: 0, end: 0, offset: 0 }
  const held = clampTop(shape, top)
  const first = Math.max(0, Math.floor(held / shape.rowHeight) - overscan)
  const end = Math.min(shape.count, Math.ceil((held + shape.viewport) / shape.rowHeight) + overscan)
  return { first, end, offset: first * shape.rowHeight - held }
}

export function clampTop(shape: Geometry, top: number): number {
  return Math.max(0, Math.min(top, shape.virtualHeight - shape.viewport))
}

/** The position after the user scrolled from `previous` to `scrollTop`. */
export function afterScroll(shape: Geometry, previous: Position, scrollTop: number): Position {
  if (shape.scrollHeight === shape.virtualHeight) return { top: clampTop(shape, scrollTop), scrollTop }
  const delta = scrollTop - previous.scrollTop
  const top =
    Math.abs(delta) < shape.viewport
      ? clampTop(shape, previous.top + delta)
      : clampTop(shape, (scrollTop / scrollSpan(shape)) * topSpan(shape))
  // A step of the wheel leaves the bar a little beside its place: put it right once that is worth a jump, or at an edge.
  const place = scrollTopFor(shape, top)
  const atEdge = scrollTop <= 0 || scrollTop >= scrollSpan(shape)
  return { top, scrollTop: atEdge || Math.abs(place - scrollTop) > shape.viewport * 4 ? place : scrollTop }
}

/** The position at `top`, for keys and for holding a row in its place. */
export function positionAt(shape: Geometry, top: number): Position {
  const held = clampTop(shape, top)
  return { top: held, scrollTop: scrollTopFor(shape, held) }
}

/** The `top` that brings row `index` wholly into view with the least movement. */
export function topToShow(shape: Geometry, top: number, index: number): number {
  const rowTop = index * shape.rowHeight
  if (rowTop < top) return clampTop(shape, rowTop)
  if (rowTop + shape.rowHeight > top + shape.viewport) return clampTop(shape, rowTop + shape.rowHeight - shape.viewport)
  return clampTop(shape, top)
}

/** Rows stand at fixed places in an element so high, in pixels; places are given anew where they come near one of its ends. */
export const PLACES_HEIGHT = 1_000_000
const PLACES_MARGIN = 50_000

/** Keys by which the rows drawn are told apart: row `index` has the key `next - index`. */
export interface RowKeys {
  readonly next: number
  /** Rows in the list. */
  readonly count: number
  /** The keys in use, both ends included. */
  readonly lowest: number
  readonly highest: number
  /** The key whose row stands in the middle of the places. */
  readonly middle: number
}

/**
 * The keys of the rows in view. They count from the end of the list, so that a row keeps its key while others arrive above it and
 * while the list is scrolled through. A jump that leaves no row in view takes the keys along: the elements that are there then
 * show the other rows, which costs half of making new ones.
 */
export function keysOfRows(before: RowKeys | null, count: number, { first, end }: RowRange, rowHeight: number): RowKeys {
  const from = (next: number): RowKeys => {
    const keys = { next, count, lowest: next - end + 1, highest: next - first, middle: before?.middle ?? next - first }
    const top = placeOf(keys, first, rowHeight)
    const near = top > PLACES_MARGIN && top < PLACES_HEIGHT - PLACES_MARGIN
    return near ? keys : { ...keys, middle: keys.highest }
  }
  const shift = before === null ? 0 : before.next - before.count
  const keys = from(count + shift)
  if (before === null || (keys.lowest <= before.highest && keys.highest >= before.lowest)) return keys
  return from(before.highest + first)
}

/**
 * Where row `index` stands, in pixels from the beginning of the places: the same as long as it is drawn, so that what moves is the
 * element of all rows, which neither lays out nor paints a row again.
 */
export function placeOf(keys: Pick<RowKeys, 'next' | 'middle'>, index: number, rowHeight: number): number {
  return PLACES_HEIGHT / 2 + (keys.middle - (keys.next - index)) * rowHeight
}

function topSpan(shape: Geometry): number {
  return Math.max(0, shape.virtualHeight - shape.viewport)
}

function scrollSpan(shape: Geometry): number {
  return Math.max(0, shape.scrollHeight - shape.viewport)
}

/** Near either edge one pixel is one pixel, so that the last rows can be reached by small steps. */
function scrollTopFor(shape: Geometry, top: number): number {
  if (shape.scrollHeight === shape.virtualHeight) return top
  const rest = topSpan(shape) - top
  const proportional = (top / topSpan(shape)) * scrollSpan(shape)
  const fromStart = Math.max(proportional, Math.min(top, shape.viewport))
  return Math.min(fromStart, scrollSpan(shape) - Math.min(rest, shape.viewport))
}
