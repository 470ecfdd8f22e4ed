/**
 * Which rows of a long list are on screen, as pure functions. Rows have one fixed height. Chromium limits the scroll height to
 * 33,554,428 device pixels, so a taller list is compressed: the scrollbar covers a shorter distance than the rows, while the wheel
 * and keys still move row by row and dragging the scrollbar reaches every row.
 */

/** Maximum scroll height in CSS pixels: below the limit at a device pixel ratio of 4. */
export const LONGEST_SCROLL = 8_000_000

export interface Geometry {
  /** Height of all rows, in pixels. */
  readonly virtualHeight: number
  /** Scroll height: the same, or less if compressed. */
  readonly scrollHeight: number
  readonly viewport: number
  readonly rowHeight: number
  readonly count: number
}

export interface Position {
  /** Distance from the first row to the viewport's top edge, in row pixels. */
  readonly top: number
  /** The matching `scrollTop` of the scrolling element. */
  readonly scrollTop: number
}

export interface RowRange {
  readonly first: number
  /** Exclusive end. */
  readonly end: number
  /** Offset of the first row, relative to the viewport's top edge. */
  readonly offset: number
}

/** `reach`: how far down the view's top edge may be, even if that leaves space below the last row. */
export function geometry(count: number, rowHeight: number, viewport: number, reach = 0): Geometry {
  const virtualHeight = Math.max(count * rowHeight, reach > 0 ? reach + viewport : 0)
  return {
    count,
    rowHeight,
    viewport,
    virtualHeight,
    scrollHeight: Math.min(virtualHeight, LONGEST_SCROLL),
  }
}

/**
 * Rows to draw at `top`, with `overscan` more on each side. Nothing else above the view is drawn, even if the last rows leave space
 * below: such a row would be under the header, where it can't be clicked.
 */
export function range(shape: Geometry, top: number, overscan: number): RowRange {
  if (shape.count === 0) return { first: 0, end: 0, offset: 0 }
  const held = clampTop(shape, top)
  const drawn = Math.ceil(shape.viewport / shape.rowHeight) + 1 + 2 * overscan
  const first = Math.max(0, Math.min(Math.floor(held / shape.rowHeight), shape.count) - overscan)
  return {
    first,
    end: Math.min(shape.count, first + drawn),
    offset: first * shape.rowHeight - held,
  }
}

export function clampTop(shape: Geometry, top: number): number {
  return Math.max(0, Math.min(top, shape.virtualHeight - shape.viewport))
}

/** The position after the user scrolled from `previous` to `scrollTop`. */
export function afterScroll(shape: Geometry, previous: Position, scrollTop: number): Position {
  if (shape.scrollHeight === shape.virtualHeight)
    return { top: clampTop(shape, scrollTop), scrollTop }
  const delta = scrollTop - previous.scrollTop
  const top =
    Math.abs(delta) < shape.viewport
      ? clampTop(shape, previous.top + delta)
      : clampTop(shape, (scrollTop / scrollSpan(shape)) * topSpan(shape))
  // A wheel step leaves the scrollbar slightly off: it is corrected once that is worth a jump, or at an edge.
  const place = scrollTopFor(shape, top)
  const atEdge = scrollTop <= 0 || scrollTop >= scrollSpan(shape)
  return {
    top,
    scrollTop: atEdge || Math.abs(place - scrollTop) > shape.viewport * 4 ? place : scrollTop,
  }
}

/** The position at `top`, for keys and for keeping a row in place. */
export function positionAt(shape: Geometry, top: number): Position {
  const held = clampTop(shape, top)
  return { top: held, scrollTop: scrollTopFor(shape, held) }
}

/** The `top` that shows row `index` completely with the least movement. */
export function topToShow(shape: Geometry, top: number, index: number): number {
  const rowTop = index * shape.rowHeight
  if (rowTop < top) return clampTop(shape, rowTop)
  if (rowTop + shape.rowHeight > top + shape.viewport)
    return clampTop(shape, rowTop + shape.rowHeight - shape.viewport)
  return clampTop(shape, top)
}

function topSpan(shape: Geometry): number {
  return Math.max(0, shape.virtualHeight - shape.viewport)
}

function scrollSpan(shape: Geometry): number {
  return Math.max(0, shape.scrollHeight - shape.viewport)
}

/** Near the edges one pixel is one pixel, so that the last rows can be reached in small steps. */
function scrollTopFor(shape: Geometry, top: number): number {
  if (shape.scrollHeight === shape.virtualHeight) return top
  const rest = topSpan(shape) - top
  const proportional = (top / topSpan(shape)) * scrollSpan(shape)
  const fromStart = Math.max(proportional, Math.min(top, shape.viewport))
  return Math.min(fromStart, scrollSpan(shape) - Math.min(rest, shape.viewport))
}
