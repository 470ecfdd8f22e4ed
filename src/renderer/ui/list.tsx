/**
 * The one long list, on `@tanstack/react-virtual`: rows of one height, of which only the visible ones are drawn. Deliveries, replays,
 * log entries and lines of text all use it.
 */
import { observeElementOffset, useVirtualizer } from '@tanstack/react-virtual'
import {
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { classNames } from './class-names.ts'

/**
 * The rows that the scrollbar covers: Chromium limits the height of what scrolls, and the library measures every row that it
 * covers. In a longer list this track moves along the rows: the wheel and keys still move row by row, and dragging the scrollbar
 * reaches every row.
 */
export const TRACK_ROWS = 100_000
/** Rows near both ends of a long list, between which and the end the track doesn't move. */
const NEAR_ROWS = 1_000

/** The place of a long list: rows above its track, and the scroll offset within the track, in pixels. */
export interface Track {
  readonly base: number
  readonly offset: number
}

interface Shape {
  readonly count: number
  readonly rowHeight: number
  /** Height of the view. */
  readonly viewport: number
}

/** The place of the track at which its scrollbar shows how far down `top` is, in pixels from the first row. */
export function trackAt({ count, rowHeight, viewport }: Shape, top: number): Track {
  const hidden = Math.max(0, count - TRACK_ROWS)
  const last = Math.max(0, count * rowHeight - viewport)
  const near = NEAR_ROWS * rowHeight
  const base =
    top < near ? 0 : top > last - near ? hidden : Math.round((top / Math.max(1, last)) * hidden)
  return { base, offset: top - base * rowHeight }
}

/** The place after the user scrolled from `before` to `offset`: less than a view is a step, more is a drag of the scrollbar. */
export function trackAfter(shape: Shape, before: Track, offset: number): Track {
  const { count, rowHeight, viewport } = shape
  const hidden = Math.max(0, count - TRACK_ROWS)
  const span = TRACK_ROWS * rowHeight - viewport
  if (hidden === 0) return { base: 0, offset }
  if (Math.abs(offset - before.offset) >= viewport)
    return { base: Math.round(Math.min(1, Math.max(0, offset / span)) * hidden), offset }
  const isAtEnd =
    (offset < viewport && before.base > 0) || (offset > span - viewport && before.base < hidden)
  return isAtEnd ? trackAt(shape, before.base * rowHeight + offset) : { base: before.base, offset }
}

export interface Rows {
  readonly scroller: RefObject<HTMLDivElement | null>
  /** Indexes of the rows to draw. */
  readonly drawn: readonly number[]
  readonly first: number
  /** Exclusive. */
  readonly end: number
  /** From the first row to the top of the view, in pixels. */
  readonly top: number
  /** Height of the view, in pixels. */
  readonly viewport: number
  /** Height of what scrolls, and where the drawn rows begin in it, in pixels. */
  readonly height: number
  readonly start: number
  /** Scrolls a row into view with the least movement. */
  show(index: number): void
  toStart(): void
}

const indexAsKey = (index: number) => index

export function useRows({
  count,
  rowHeight,
  overscan = 0,
  keyOf = indexAsKey,
  holds = false,
}: {
  readonly count: number
  readonly rowHeight: number
  /** Rows drawn above and below the view. */
  readonly overscan?: number
  /** The key of a row. Changes only if some row's key does. */
  readonly keyOf?: (index: number) => number | string
  /** Rows in view stay at their pixel when others are added or removed above them. */
  readonly holds?: boolean
}): Rows {
  const scroller = useRef<HTMLDivElement>(null)
  const [wantedBase, setBase] = useState(0)
  const base = Math.min(wantedBase, Math.max(0, count - TRACK_ROWS))
  const keyAt = useCallback((index: number) => keyOf(base + index), [keyOf, base])
  /** The last render, and where the view is since: what observes the scrolling is made once, for all renders. */
  const last = useRef({ base, offset: 0, count, rowHeight, viewport: 0 })
  const { current: before } = last
  /** The offset that this list wrote itself, until it is reported. */
  const written = useRef<number | null>(null)
  const report = useRef<(offset: number, isScrolling: boolean) => void>(() => undefined)

  // A short list that holds still while rows are added above it may end within the view: that space stays.
  const added = holds ? Math.max(0, count - before.count) : 0
  const needed = before.offset + added * rowHeight
  const rest = needed + before.viewport - Math.min(count, TRACK_ROWS) * rowHeight
  const view = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: Math.min(count, TRACK_ROWS),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: keyAt,
    overscan,
    // The rows of another track aren't those that were in view.
    anchorTo: holds && before.base === base ? 'end' : 'start',
    paddingEnd: needed === 0 ? 0 : Math.max(0, rest),
    scrollToFn(offset, { adjustments = 0 }) {
      const { current: element } = scroller
      if (element === null) return
      const { scrollTop } = element
      element.scrollTo({ top: offset + adjustments })
      // What doesn't move isn't reported.
      if (element.scrollTop !== scrollTop) written.current = element.scrollTop
    },
    observeElementOffset(instance, reportTo) {
      report.current = reportTo
      return observeElementOffset(instance, (offset, isScrolling) => {
        const from = last.current
        const isOwn = written.current !== null && Math.abs(offset - written.current) <= 1.5
        written.current = null
        const to = isOwn ? { base: from.base, offset } : trackAfter(from, from, offset)
        if (to.base !== from.base) setBase(to.base)
        if (to.offset !== offset) instance.options.scrollToFn(to.offset, {}, instance)
        from.offset = to.offset
        reportTo(to.offset, isScrolling)
      })
    },
  })
  const offset = view.scrollOffset ?? 0
  const viewport = view.scrollRect?.height ?? 0
  useLayoutEffect(() => {
    last.current = { base, offset, count, rowHeight, viewport }
  })

  const items = view.getVirtualItems()
  const top = base * rowHeight + offset
  const goTo = (place: number) => {
    const to = trackAt({ count, rowHeight, viewport }, Math.max(0, place))
    setBase(to.base)
    view.scrollToOffset(to.offset)
    // Moved down for a new row and back up before the browser drew it, the view isn't reported.
    report.current(scroller.current?.scrollTop ?? to.offset, false)
  }
  return {
    scroller,
    drawn: items.map(({ index }) => base + index),
    first: base + (items[0]?.index ?? 0),
    end: base + (items.at(-1)?.index ?? -1) + 1,
    top,
    viewport,
    height: view.getTotalSize(),
    start: items[0]?.start ?? 0,
    show(index) {
      const place = index * rowHeight
      if (place < top) goTo(place)
      else if (place + rowHeight > top + viewport) goTo(place + rowHeight - viewport)
    },
    toStart: () => goTo(0),
  }
}

/** The element in which rows scroll; its children are the drawn rows. */
export function Scroller({
  rows,
  listRole = 'presentation',
  isWide = false,
  className,
  children,
  ...rest
}: Omit<ComponentProps<'div'>, 'ref'> & {
  readonly rows: Rows
  readonly listRole?: string
  /** Rows may be wider than the element, and then scroll sideways. */
  readonly isWide?: boolean
}) {
  return (
    <div
      ref={rows.scroller}
      className={classNames(
        'overscroll-contain outline-offset-[-2px] [overflow-anchor:none]',
        isWide ? 'overflow-auto' : 'overflow-x-hidden overflow-y-auto [scrollbar-gutter:stable]',
        className,
      )}
      {...rest}
    >
      <div role="presentation" className="relative" style={{ height: rows.height }}>
        <div
          role={listRole}
          className={`absolute left-0 ${isWide ? 'w-max min-w-full' : 'w-full'}`}
          style={{ top: rows.start }}
        >
          {children}
        </div>
      </div>
    </div>
  )
}

/** Lines of text, of which only the visible ones are drawn. */
export function LineList({
  label,
  count,
  rowHeight,
  reveal = null,
  line,
  ...rest
}: {
  readonly label: string
  readonly count: number
  readonly rowHeight: number
  readonly listRole?: string
  readonly isWide?: boolean
  /** Lines to scroll into view, one after the other; a new array each time. */
  readonly reveal?: readonly number[] | null
  readonly line: (index: number) => ReactNode
}) {
  const rows = useRows({ count, rowHeight, overscan: 12 })
  const show = useRef(rows.show)
  useLayoutEffect(() => {
    show.current = rows.show
  })
  useEffect(() => {
    for (const index of reveal ?? []) show.current(index)
  }, [reveal])
  return (
    <Scroller
      rows={rows}
      role="group"
      aria-label={label}
      tabIndex={0}
      className="data h-full select-text"
      {...rest}
    >
      {rows.drawn.map(line)}
    </Scroller>
  )
}

export interface ListColumn<T> {
  readonly name: string
  /** Its width, and the list width below which it is hidden. */
  readonly className: string
  readonly right?: boolean
  readonly cell: (row: T) => ReactNode
}

/** The ring of the row where keys act, while its list (`group/list`) has the focus: on the row, because a list is as large as its pane. */
export const focusedRow =
  'group-focus-visible/list:shadow-[inset_0_0_0_1px_var(--accent),inset_2px_0_0_var(--accent)]'

/** In pixels, for a row with one line. */
export const ROW_HEIGHT = 28
const PAGE = 20

/** A list with columns: one tab stop, and arrow keys that select. Selecting a row never moves it. */
export function List<T>({
  label,
  rows,
  idOf,
  columns,
  selectedId,
  onSelect,
  singleKeys = false,
  className = 'min-h-0 flex-1',
}: {
  readonly label: string
  readonly rows: readonly T[]
  readonly idOf: (row: T) => string
  readonly columns: readonly ListColumn<T>[]
  readonly selectedId: string | null
  readonly onSelect: (row: T) => void
  /** Whether `j` and `k` move like the arrow keys. */
  readonly singleKeys?: boolean
  readonly className?: string
}) {
  const name = useId()
  const view = useRows({ count: rows.length, rowHeight: ROW_HEIGHT })
  const index = rows.findIndex((row) => idOf(row) === selectedId)

  // Scrolls an item selected elsewhere (by a link, or newly created) into view once; the list scrolls freely after that.
  const shown = useRef<string | null>(null)
  useEffect(() => {
    if (index === -1 || shown.current === selectedId) return
    shown.current = selectedId
    view.show(index)
  })

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || rows.length === 0) return
    const at = Math.max(0, index)
    const letters: Readonly<Record<string, number>> = singleKeys ? { j: at + 1, k: at - 1 } : {}
    const keys: Readonly<Record<string, number>> = {
      ...letters,
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + PAGE,
      PageUp: at - PAGE,
      Home: 0,
      End: rows.length - 1,
    }
    const target = keys[event.key]
    if (target === undefined) return
    event.preventDefault()
    event.stopPropagation()
    const row = rows[Math.min(rows.length - 1, Math.max(0, target))]
    if (row !== undefined) onSelect(row)
  }

  // Where keys act: without a selected row in view, the first one is marked.
  const cursor = index >= view.first && index < view.end ? index : view.first
  const cellStyle = (column: ListColumn<T>) =>
    classNames('truncate', column.className, column.right === true && 'text-right')
  return (
    <div
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      {...(cursor < rows.length ? { 'aria-activedescendant': `${name}-${cursor}` } : {})}
      onKeyDown={onKeyDown}
      className={classNames('group/list @container flex flex-col outline-none', className)}
    >
      <div
        role="row"
        aria-rowindex={1}
        className="flex h-7 shrink-0 items-center gap-3 overflow-hidden border-b border-line bg-surface pr-3 pl-4 text-tiny font-medium text-subtle [scrollbar-gutter:stable]"
      >
        {columns.map((column) => (
          <span key={column.name} role="columnheader" className={cellStyle(column)}>
            {column.name}
          </span>
        ))}
      </div>
      <Scroller rows={view} listRole="rowgroup" className="min-h-0 flex-1">
        {view.drawn.map((at) => {
          const row = rows[at]
          if (row === undefined) return null
          return (
            <div
              key={idOf(row)}
              id={`${name}-${at}`}
              role="row"
              aria-rowindex={at + 2}
              aria-selected={at === index}
              onClick={() => onSelect(row)}
              style={{ height: ROW_HEIGHT }}
              className={classNames(
                'flex items-center gap-3 border-b border-line/50 pr-3 pl-4',
                at === index
                  ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]'
                  : 'hover:bg-raised',
                at === cursor && focusedRow,
              )}
            >
              {columns.map((column) => (
                <span key={column.name} role="gridcell" className={cellStyle(column)}>
                  {column.cell(row)}
                </span>
              ))}
            </div>
          )
        })}
      </Scroller>
    </div>
  )
}

/** Moves the focus through rows that have one tab stop: arrows, j, k, Home and End. Returns the focused row; null for other keys. */
export function focusRow(event: KeyboardEvent<HTMLElement>, selector: string): HTMLElement | null {
  if (event.shiftKey || event.metaKey || event.ctrlKey || event.altKey) return null
  const rows = [...document.querySelectorAll<HTMLElement>(selector)]
  const at = rows.indexOf(event.currentTarget)
  const places = { ArrowDown: at + 1, ArrowUp: at - 1, j: at + 1, k: at - 1, Home: 0, End: -1 }
  const place = Object.entries(places).find(([key]) => key === event.key)?.[1]
  const row = place === undefined || (place < 0 && event.key !== 'End') ? undefined : rows.at(place)
  if (row === undefined) return null
  event.preventDefault()
  event.stopPropagation()
  row.focus()
  row.scrollIntoView({ block: 'nearest' })
  return row
}
