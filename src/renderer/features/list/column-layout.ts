/** Which columns of the list are shown, and how wide, as pure functions: by what the user hides and by the room there is. */
import type { SortKey } from '../../../shared/model/delivery.ts'

export type ColumnId =
  | 'signature'
  | 'time'
  | 'event'
  | 'amount'
  | 'merchant'
  | 'path'
  | 'issues'
  | 'source'
  | 'responded'
  | 'handler'
  | 'size'

/** A column's place in the list, apart from what it draws. */
export interface ColumnSpec {
  readonly id: ColumnId
  readonly title: string
  readonly width: number
  /** Its header if it is narrow. */
  readonly narrowTitle?: string
  /** Aligned to the right. */
  readonly right?: boolean
  readonly sort: SortKey
}

export interface ShownColumn {
  readonly id: ColumnId
  readonly width: number
  /** Drawn in its short form. */
  readonly narrow: boolean
}

/** Neighboring cells of a row, by their place; `to` is exclusive. */
export interface CellSpan {
  readonly from: number
  readonly to: number
}

export interface ColumnLayout {
  readonly columns: readonly ShownColumn[]
  /** Chosen, but without room. */
  readonly dropped: readonly ColumnId[]
  readonly template: string
}

/** Left and right of the cells. */
export const ROW_PADDING = 28
/** What the longest event, `transaction.clearing.qualified`, needs. */
const WHOLE_EVENT = 216
/** With room for all columns. */
const WIDE_EVENT = 224
const LEAST_EVENT = 80
const LEAST_PATH = 96

/** What to hide or shorten, in this order, until the rest fits: a column, or its width in short form. */
const SHRINK_ORDER: readonly (readonly [ColumnId, number | null])[] = [
  ['size', null],
  ['responded', null],
  ['source', null],
  ['merchant', null],
  ['path', null],
  ['issues', 44],
  ['handler', 68],
  ['time', 68],
  ['signature', 92],
  ['amount', null],
  ['handler', 44],
]

/** The columns that fit into `room` pixels. Event and Path share the rest; Event is cut only after all other columns. */
export function layoutOf(
  specs: readonly ColumnSpec[],
  hidden: readonly string[],
  room: number,
): ColumnLayout {
  const widths = new Map<ColumnId, number>()
  const narrow = new Set<ColumnId>()
  const dropped: ColumnId[] = []
  for (const { id, width } of specs)
    if (!hidden.includes(id))
      widths.set(id, id === 'event' ? WHOLE_EVENT : id === 'path' ? LEAST_PATH : width)
  const left = () =>
    room - ROW_PADDING - [...widths.values()].reduce((sum, width) => sum + width, 0)
  for (const [id, short] of SHRINK_ORDER) {
    if (left() >= 0) break
    if (!widths.has(id)) continue
    if (short === null) {
      widths.delete(id)
      dropped.push(id)
    } else if ((widths.get(id) ?? 0) > short) {
      widths.set(id, short)
      narrow.add(id)
    }
  }
  const give = (id: ColumnId, by: number) => {
    const width = widths.get(id)
    if (width !== undefined) widths.set(id, Math.max(LEAST_EVENT, width + by))
  }
  if (left() < 0 || !widths.has('path')) give('event', left())
  else {
    give('event', Math.min(left(), WIDE_EVENT - WHOLE_EVENT))
    give('path', left())
  }
  const columns = [...widths].map(([id, width]): ShownColumn => ({
    id,
    width,
    narrow: narrow.has(id),
  }))
  return { columns, dropped, template: columns.map(({ width }) => `${width}px`).join(' ') }
}

/** What cells depend on: they follow other changes of the widths by themselves. */
export function drawnForm(columns: readonly ShownColumn[]): string {
  return columns
    .map(({ id, narrow, width }) => {
      if (id === 'event' || id === 'path')
        return `${id} ${Math.min(MOST_CHARACTERS, Math.floor(width / CHARACTER_WIDTH))}`
      return id === 'handler'
        ? `handler ${narrow} ${width < ROOM_FOR_STATUS} ${width < ROOM_FOR_WORD}`
        : `${id} ${narrow}`
    })
    .join()
}

/** The cells that a malformed request's reason covers: from Event to Path if they are neighbors, and empty ones after them. Null if none is shown. */
export function reasonSpan(
  columns: readonly ShownColumn[],
  isEmpty: (id: ColumnId) => boolean,
): CellSpan | null {
  const covered = (column: ShownColumn | undefined) =>
    column !== undefined &&
    (['event', 'amount', 'merchant', 'path'].includes(column.id) ||
      (column.id === 'issues' && column.narrow) ||
      isEmpty(column.id))
  const event = columns.findIndex(({ id }) => id === 'event')
  const from = event === -1 ? columns.findIndex(covered) : event
  if (from === -1) return null
  let to = from + 1
  while (covered(columns[to])) to++
  return { from, to }
}

/** The cells that a path takes if it is longer than its own: empty ones beside it. Null if it fits, or has no empty neighbor. */
export function pathSpan(
  columns: readonly ShownColumn[],
  path: string,
  isEmpty: (id: ColumnId) => boolean,
): CellSpan | null {
  const from = columns.findIndex(({ id }) => id === 'path')
  const own = columns[from]
  if (own === undefined || path.length * CHARACTER_WIDTH <= own.width - PATH_GAP) return null
  let to = from + 1
  for (let next = columns[to]; next !== undefined && isEmpty(next.id); next = columns[to]) to++
  return to === from + 1 ? null : { from, to }
}

/** The name of an event in `width` pixels: `transaction.` goes first. */
export function eventIn(text: string, width: number): string {
  return text.length * CHARACTER_WIDTH > width && text.startsWith(LONG_START)
    ? `…${text.slice(LONG_START.length)}`
    : text
}

/** In pixels: the data font at its size in the list. */
const CHARACTER_WIDTH = 7.2
/** Between a path and the next cell, in pixels. */
const PATH_GAP = 8
const LONG_START = 'transaction.'
const MOST_CHARACTERS = 30
/** A handler's status, with a space before it. */
export const ROOM_FOR_STATUS = 60
/** A handler's response without a status is a word: "No response". */
export const ROOM_FOR_WORD = 108
