/** One row of the list. It has a fixed height and is redrawn only when its delivery changes. */
import { Check } from 'lucide-react'
import { memo, useRef } from 'react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { classNames } from '../../ui/class-names.ts'
import { focusedRow } from '../../ui/row-grid.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import {
  pathSpan,
  reasonSpan,
  type CellSpan,
  type ColumnId,
  type ShownColumn,
} from './column-layout.ts'
import { COLUMNS, isEmptyCell, methodAndPath, spanned } from './columns.tsx'

export function rowId(seq: number): `delivery-${number}` {
  return `delivery-${seq}`
}

export function seqOfRow(id: string): number {
  return Number(id.slice('delivery-'.length))
}

export const DeliveryRowView = memo(function DeliveryRowView({
  row,
  columns,
  index,
  top,
  cursor,
  selected,
  picked,
  fresh,
  environments,
  onSelect,
}: {
  readonly row: DeliveryRow | undefined
  /** The shown columns. The array changes only when one of them does. */
  readonly columns: readonly ShownColumn[]
  readonly index: number
  /** Offset among all positions, in pixels. */
  readonly top: number
  /** Whether keys act on it, which a ring shows while the list has the focus. */
  readonly cursor: boolean
  readonly selected: boolean
  readonly fresh: boolean
  /** Environments decide what acknowledges. The array changes only when one of them does. */
  readonly environments: readonly Environment[]
  /** Part of the multiple selection, besides the current row. */
  readonly picked: boolean
  /** `adds`: clicked with Ctrl or ⌘, which toggles it in the selection. */
  readonly onSelect: (row: DeliveryRow, index: number, adds: boolean) => void
}) {
  // While its delivery loads, a row keeps the previous cells, hidden: refilling them takes a fifth of the time of creating new
  // ones.
  const before = useRef(row)
  if (row !== undefined) before.current = row
  const drawn = row ?? before.current
  // The header is row 1.
  const place = { role: 'row', 'aria-rowindex': index + 2, style: { top } } as const
  return (
    <div
      {...place}
      {...(row === undefined
        ? { 'aria-busy': true }
        : {
            id: rowId(row.seq),
            'aria-selected': selected || picked,
          })}
      onClick={(click) => {
        if (row !== undefined) onSelect(row, index, click.ctrlKey || click.metaKey)
      }}
      className={classNames(
        'delivery-columns delivery-row absolute inset-x-0 border-b border-line/50',
        row === undefined
          ? 'delivery-absent'
          : selected
            ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]'
            : picked
              ? 'bg-selected-quiet'
              : 'bg-ground hover:bg-raised',
        cursor && focusedRow,
        fresh && 'arrive',
      )}
    >
      {/* In the margin, so that it moves no text. */}
      {picked && (
        <span className="absolute top-[calc(50%-6px)] left-[3px] inline-flex size-3 items-center justify-center rounded-small bg-accent-solid text-on-accent">
          <Check size={9} strokeWidth={3} aria-hidden />
        </span>
      )}
      {drawn !== undefined && <Cells row={drawn} columns={columns} environments={environments} />}
    </div>
  )
})

interface CellsProps {
  readonly row: DeliveryRow
  readonly columns: readonly ShownColumn[]
  readonly environments: readonly Environment[]
}

const cellOf = new Map(COLUMNS.map(({ id, cell }) => [id, cell]))

const Cells = memo(function Cells({ row, columns, environments }: CellsProps) {
  return cellsOf(row, columns).map(({ id, column, span }) =>
    id === 'reason' ? (
      <ReasonCell key={id} row={row} span={span} />
    ) : (
      cellOf.get(id)?.(row, column, { environments, pathSpan: span })
    ),
  )
})

type RowCell =
  | { readonly id: ColumnId; readonly column: ShownColumn; readonly span: CellSpan | null }
  | { readonly id: 'reason'; readonly column: ShownColumn; readonly span: CellSpan }

/** What a row draws: a malformed request's reason and a long path take the cells of neighbors. */
export function cellsOf(row: DeliveryRow, columns: readonly ShownColumn[]): readonly RowCell[] {
  const isEmpty = isEmptyCell(row)
  const span =
    row.malformed === null
      ? pathSpan(columns, methodAndPath(row), isEmpty)
      : reasonSpan(columns, isEmpty)
  return columns.flatMap((column, place): RowCell | readonly [] => {
    if (span === null || place < span.from || place >= span.to)
      return { id: column.id, column, span: null }
    if (place > span.from) return []
    return { id: row.malformed === null ? 'path' : 'reason', column, span }
  })
}

/** Why a request is malformed, and how it begins: its method and path if they can be read, otherwise its first bytes. */
function ReasonCell({
  row: { malformed, method, path, firstBytes },
  span,
}: {
  readonly row: Pick<DeliveryRow, 'malformed' | 'method' | 'path' | 'firstBytes'>
  readonly span: CellSpan
}) {
  const reason = malformed?.reason ?? ''
  const isRead = method !== null && path !== null
  const name = isRead ? 'Request' : 'First bytes'
  const start = isRead ? `${method} ${path}` : (firstBytes?.replace(/..(?=.)/g, '$& ') ?? '')
  return (
    <span
      role="gridcell"
      {...spanned(span)}
      title={visibleText(start === '' ? reason : `${reason} ${name}: ${start}`)}
      className="cell-cut flex pr-2"
    >
      <span className="truncate">{visibleText(reason)}</span>
      {/* Shrinks before the reason, but never to nothing. */}
      {start !== '' && (
        <span className="min-w-[min(30%,9rem)] shrink-[100] truncate pl-2">
          <span className="pr-2 text-small text-subtle @max-[700px]:sr-only">{name}</span>
          <span className="data text-muted">{visibleText(start)}</span>
        </span>
      )}
    </span>
  )
}
