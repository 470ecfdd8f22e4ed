/** The long list of a screen, with columns and a selection. */
import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { useRows } from './use-rows.ts'
import { Scroller } from './scroller.tsx'

export interface ListColumn<T> {
  readonly name: string
  /** Width of the column, and the list width below which it is hidden. */
  readonly className: string
  readonly right?: boolean
  readonly cell: (row: T) => ReactNode
}

/** Ring around the row where keys act while its list (`group/list`) has the focus. */
export const focusedRow =
  'group-focus-visible/list:shadow-[inset_0_0_0_1px_var(--accent),inset_2px_0_0_var(--accent)]'

/** Height of a row with one line, in pixels. */
export const ROW_HEIGHT = 28
const PAGE = 20

/** Shows rows in columns: one tab stop, arrow keys select, and selecting a row never moves it. */
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

  // Scrolls a row selected elsewhere, or a new one, into view once; the list then scrolls freely.
  const lastShownId = useRef<string | null>(null)
  useEffect(() => {
    if (index === -1 || lastShownId.current === selectedId) return
    lastShownId.current = selectedId
    view.show(index)
  })

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || rows.length === 0) return
    const target = targetOfKey(event.key, Math.max(0, index), rows.length, singleKeys)
    if (target === undefined) return
    event.preventDefault()
    event.stopPropagation()
    const row = rows[Math.min(rows.length - 1, Math.max(0, target))]
    if (row !== undefined) onSelect(row)
  }

  // Without a selected row in view, keys act on the first one.
  const cursor = index >= view.first && index < view.end ? index : view.first
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
      <ListHeader columns={columns} />
      <Scroller rows={view} listRole="rowgroup" className="min-h-0 flex-1">
        {view.drawn.map((at) => {
          const row = rows[at]
          if (row === undefined) return null
          return (
            <ListRow
              key={idOf(row)}
              id={`${name}-${at}`}
              row={row}
              columns={columns}
              place={at}
              isSelected={at === index}
              isCursor={at === cursor}
              onSelect={onSelect}
            />
          )
        })}
      </Scroller>
    </div>
  )
}

const cellStyle = ({ className, right = false }: Pick<ListColumn<never>, 'className' | 'right'>) =>
  classNames('truncate', className, right && 'text-right')

/** Returns the row that a key leads to, possibly beyond the ends; undefined for other keys. */
function targetOfKey(
  key: string,
  at: number,
  count: number,
  singleKeys: boolean,
): number | undefined {
  const letters: Readonly<Record<string, number>> = singleKeys ? { j: at + 1, k: at - 1 } : {}
  const keys: Readonly<Record<string, number>> = {
    ...letters,
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + PAGE,
    PageUp: at - PAGE,
    Home: 0,
    End: count - 1,
  }
  return keys[key]
}

function ListHeader<T>({ columns }: { readonly columns: readonly ListColumn<T>[] }) {
  return (
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
  )
}

function ListRow<T>({
  id,
  row,
  columns,
  place,
  isSelected,
  isCursor,
  onSelect,
}: {
  readonly id: string
  readonly row: T
  readonly columns: readonly ListColumn<T>[]
  /** Index of the row. */
  readonly place: number
  readonly isSelected: boolean
  readonly isCursor: boolean
  readonly onSelect: (row: T) => void
}) {
  return (
    <div
      id={id}
      role="row"
      tabIndex={-1}
      aria-rowindex={place + 2}
      aria-selected={isSelected}
      onClick={() => onSelect(row)}
      style={{ height: ROW_HEIGHT }}
      className={classNames(
        'flex items-center gap-3 border-b border-line/50 pr-3 pl-4',
        isSelected ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]' : 'hover:bg-raised',
        isCursor && focusedRow,
      )}
    >
      {columns.map((column) => (
        <span key={column.name} role="gridcell" className={cellStyle(column)}>
          {column.cell(row)}
        </span>
      ))}
    </div>
  )
}
