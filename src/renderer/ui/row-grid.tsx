/**
 * A long list with columns: one tab stop, arrow keys, and only visible rows drawn. Selecting a row never moves it. The deliveries
 * have their own list, because they stream in.
 */
import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { useRowWindow } from './use-row-window.tsx'

export interface RowColumn<T> {
  readonly name: string
  /** Its width, and the list width below which it is hidden. */
  readonly className: string
  readonly right?: boolean
  readonly cell: (row: T) => ReactNode
}

export interface RowGridProps<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly idOf: (row: T) => string
  readonly columns: readonly RowColumn<T>[]
  readonly rowHeight?: number
  readonly selectedId: string | null
  readonly onSelect: (row: T) => void
  /** Whether `j` and `k` move like the arrow keys. */
  readonly singleKeys: boolean
}

/** The ring of the row where keys act, while its list (`group/list`) has the focus: on the row, because a list is as large as its pane. */
export const focusedRow =
  'group-focus-visible/list:shadow-[inset_0_0_0_1px_var(--accent),inset_2px_0_0_var(--accent)]'

/** In pixels, for a row with one line. */
export const ROW_HEIGHT = 28
const HEADER_HEIGHT = 28
const PAGE = 20

export function RowGrid<T>({
  label,
  rows,
  idOf,
  columns,
  rowHeight = ROW_HEIGHT,
  selectedId,
  onSelect,
  singleKeys,
}: RowGridProps<T>) {
  const name = useId()
  const view = useRowWindow({ count: rows.length, rowHeight, headerHeight: HEADER_HEIGHT })
  const { first, end, offset } = view.rows
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
    const row = rows[Math.min(rows.length - 1, Math.max(0, target))]
    if (row !== undefined) onSelect(row)
  }

  // Where keys act: without a selected row in view, the first one is marked.
  const cursor = index >= first && index < end ? index : Math.ceil(view.top / rowHeight)
  return (
    <div
      ref={view.scroller}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      {...(cursor < rows.length ? { 'aria-activedescendant': `${name}-${cursor}` } : {})}
      onScroll={view.onScroll}
      onKeyDown={onKeyDown}
      className="group/list @container min-h-0 flex-1 overflow-x-hidden overflow-y-auto overscroll-contain outline-none [overflow-anchor:none]"
    >
      <div
        role="row"
        aria-rowindex={1}
        className="sticky top-0 z-10 flex h-7 items-center gap-3 border-b border-line bg-surface pr-3 pl-4 text-tiny font-medium text-subtle"
      >
        {columns.map((column) => (
          <span
            key={column.name}
            role="columnheader"
            className={classNames(
              'truncate',
              column.className,
              column.right === true && 'text-right',
            )}
          >
            {column.name}
          </span>
        ))}
      </div>
      <div className="sticky top-7 h-0">
        <div role="rowgroup" style={{ transform: `translateY(${offset}px)` }}>
          {rows.slice(first, end).map((row, place) => {
            const selected = first + place === index
            return (
              <div
                key={idOf(row)}
                id={`${name}-${first + place}`}
                role="row"
                aria-rowindex={first + place + 2}
                aria-selected={selected}
                onClick={() => onSelect(row)}
                style={{ height: rowHeight }}
                className={classNames(
                  'flex items-center gap-3 border-b border-line/50 pr-3 pl-4',
                  selected ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]' : 'hover:bg-raised',
                  first + place === cursor && focusedRow,
                )}
              >
                {columns.map((column) => (
                  <span
                    key={column.name}
                    role="gridcell"
                    className={classNames(
                      'truncate',
                      column.className,
                      column.right === true && 'text-right',
                    )}
                  >
                    {column.cell(row)}
                  </span>
                ))}
              </div>
            )
          })}
        </div>
      </div>
      <div style={{ height: view.shape.scrollHeight }} />
    </div>
  )
}
