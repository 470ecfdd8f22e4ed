/** A row of the list. */
import { Check } from 'lucide-react'
import { memo } from 'react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { classNames } from '../../ui/class-names.ts'
import { focusedRow } from '../../ui/list.tsx'
import { MalformedCell } from './column-cells.tsx'
import type { useColumns } from './columns.tsx'

export const rowId = (seq: number): `delivery-${number}` => `delivery-${seq}`

/**
 * Shows the day of the rows below, whose cells have it for screen readers; it stays at the top of
 * the view while they pass.
 */
export function Day({ name }: { readonly name: string }) {
  return (
    <div
      aria-hidden
      className="sticky top-0 z-1 flex h-7 items-center border-b border-line bg-surface pl-4 text-small font-medium text-muted select-none"
    >
      {name}
    </div>
  )
}

/** Shows the day of the first rows in view over them; without height, it moves no row. */
export function DayAbove({ name }: { readonly name: string }) {
  return (
    <div className="sticky top-0 z-1 h-0">
      <Day name={name} />
    </div>
  )
}

export function LoadingRow({ index }: { readonly index: number }) {
  return (
    <div role="row" aria-busy aria-rowindex={index + 2} className="flex h-7 items-center px-4">
      <span className="late skeleton h-2.5 w-40" />
    </div>
  )
}

interface RowProps {
  readonly row: DeliveryRow
  readonly columns: ReturnType<typeof useColumns>
  readonly index: number
  /** Whether keys act on this row. */
  readonly cursor: boolean
  readonly selected: boolean
  /** Whether the row is part of the multiple selection. */
  readonly picked: boolean
  /** Whether the row arrived with the last change. */
  readonly fresh: boolean
  readonly environments: readonly Environment[]
  /** @param adds Whether Ctrl or ⌘ is pressed, which toggles the row in the selection. */
  readonly onSelect: (row: DeliveryRow, adds: boolean) => void
}

/** Row of fixed height, drawn again only when its delivery or place changes. */
export const Row = memo(function Row(props: RowProps) {
  const { row, columns, index, cursor, selected, picked, fresh, environments, onSelect } = props
  return (
    <div
      id={rowId(row.seq)}
      role="row"
      tabIndex={-1}
      // Row 1 is the header.
      aria-rowindex={index + 2}
      aria-selected={selected || picked}
      onClick={(click) => onSelect(row, click.ctrlKey || click.metaKey)}
      className={classNames(
        'delivery-row border-b border-line/50',
        selected
          ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]'
          : picked
            ? 'bg-selected-quiet'
            : 'hover:bg-raised',
        cursor && focusedRow,
        fresh && 'arrive',
      )}
    >
      {picked && (
        <span className="absolute top-[calc(50%-6px)] left-[3px] inline-flex size-3 items-center justify-center rounded-small bg-accent-solid text-on-accent">
          <Check size={9} strokeWidth={3} />
        </span>
      )}
      <Cells row={row} columns={columns} environments={environments} />
    </div>
  )
})

const Cells = memo(function Cells({
  row,
  columns,
  environments,
}: Pick<RowProps, 'row' | 'columns' | 'environments'>) {
  const isMalformed = row.malformed !== null
  const shown = isMalformed
    ? columns.filter(({ id }) => id === 'signature' || id === 'time')
    : columns
  return (
    <>
      {shown.map(({ id, className, isRight, cell }) => (
        <span
          key={id}
          role="gridcell"
          data-column={id}
          className={classNames('flex h-full items-center', className, isRight && 'justify-end')}
        >
          {cell(row, environments)}
        </span>
      ))}
      {isMalformed && (
        <span
          role="gridcell"
          data-column="issues"
          aria-colspan={columns.length - shown.length}
          className="flex h-full min-w-0 flex-1 items-center"
        >
          <MalformedCell row={row} />
        </span>
      )}
    </>
  )
})
