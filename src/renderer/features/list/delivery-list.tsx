/**
 * The list of deliveries, one tab stop. At the top it follows new deliveries until a row is
 * selected or pointed at; otherwise the visible rows stay in place.
 */
import { useCallback, useEffect, type MouseEvent } from 'react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { useAppParts, useAppStore } from '../../ui-state/use-app.ts'
import { pointOf } from '../../connected/delivery-menu.tsx'
import { dayName } from '../../ui/moment.ts'
import { bodyCellValue, isBodyColumn, useBodyValues } from './body-columns.tsx'
import { bodyColumnsOf } from './body-values-slice.ts'
import { columnWord, useColumns } from './columns.tsx'
import { useListView } from './use-list-view.ts'
import { ColumnHeader } from './column-header.tsx'
import { rowOfItem } from './days.ts'
import { indexOfSeq, rowAt, rowCount } from './row-list.ts'
import type { ListSort } from './list-sort.ts'
import { rowId, Day, DayAbove, LoadingRow, Row } from './delivery-row.tsx'
import { Scroller } from '../../ui/scroller.tsx'
import { rowValue } from '../../ui-state/row-values.ts'

export const LIST_ID = 'delivery-list'

export function DeliveryList() {
  const store = useAppStore()
  const { list, selectedSeq, freshAbove, sort, picked, environments } = useAppParts((state) => ({
    list: state.list.rows,
    selectedSeq: state.list.selectedSeq,
    freshAbove: state.list.freshAbove,
    sort: state.list.sort,
    picked: state.selection.rows,
    environments: state.core.environments,
  }))
  const columns = useColumns()
  const openMenu = useRowMenu(columns)
  const { rows, starts, first, end, dayAbove } = useListView()
  useBodyValues(list.seqs, first, end)
  // No row moves away under the pointer.
  const point = (isPointed: boolean) => store.getState().list.point(isPointed)
  useEffect(() => () => store.getState().list.point(false), [store])

  const onSelect = useCallback(
    (row: DeliveryRow, adds: boolean) => {
      const state = store.getState()
      state.list.select(row)
      if (adds) state.selection.toggle(row)
      else state.detail.open(row.id, false)
    },
    [store],
  )

  const selectedIndex = selectedSeq === null ? null : indexOfSeq(list, selectedSeq)
  // Without a selected row in view, keys act on the first row in view.
  const cursor =
    selectedIndex !== null && selectedIndex >= first && selectedIndex < end ? selectedIndex : first
  const active = rowAt(list, cursor)
  return (
    <div
      id={LIST_ID}
      role="grid"
      tabIndex={0}
      aria-label={`Deliveries, ${orderWords(sort)}`}
      data-by={sort.by}
      aria-rowcount={rowCount(list) + 1}
      aria-colcount={columns.length}
      aria-multiselectable
      {...(active === undefined ? {} : { 'aria-activedescendant': rowId(active.seq) })}
      onPointerMove={() => point(true)}
      onPointerLeave={() => point(false)}
      onContextMenu={openMenu}
      className="group/list @container flex min-h-0 flex-1 flex-col outline-none"
    >
      <ColumnHeader columns={columns} />
      <Scroller rows={rows} listRole="rowgroup" className="min-h-0 flex-1">
        {dayAbove !== null && <DayAbove name={dayName(dayAbove)} />}
        {rows.drawn.map((item) => {
          const { index, isDay } = rowOfItem(starts, item)
          const row = rowAt(list, index)
          // A day has its own key while its row loads, too.
          const key = isDay ? `day ${list.seqs[index]}` : list.seqs[index]
          if (row === undefined) return <LoadingRow key={key} index={index} />
          if (isDay) return <Day key={key} name={dayName(row.receivedAt)} />
          return (
            <Row
              key={key}
              row={row}
              columns={columns}
              index={index}
              cursor={index === cursor}
              selected={row.seq === selectedSeq}
              picked={picked.has(row.seq)}
              fresh={row.seq > freshAbove}
              environments={environments}
              onSelect={onSelect}
            />
          )
        })}
      </Scroller>
    </div>
  )
}

/** Returns a handler that opens the menu of a row, or of the selection that it is part of. */
function useRowMenu(columns: ReturnType<typeof useColumns>) {
  const store = useAppStore()
  return (event: MouseEvent<HTMLDivElement>) => {
    const target = event.target instanceof Element ? event.target : null
    const line = target?.closest('[role=row][id]') ?? null
    const state = store.getState()
    const { rows: picked } = state.selection
    const row = state.list.rows.rows.get(Number(line?.id.slice('delivery-'.length)))
    if (line === null || row === undefined) return
    event.preventDefault()
    const isPicked = picked.has(row.seq)
    if (!isPicked) state.list.select(row)
    const menuRows = isPicked ? [...picked.values()] : [row]
    const cell = target?.closest<HTMLElement>('[data-column]')?.dataset['column']
    const column = columns.find(({ id }) => id === cell)
    state.menu.open({
      at: pointOf(event, line),
      rows: menuRows,
      value:
        column === undefined || menuRows.length > 1
          ? null
          : isBodyColumn(column.id)
            ? bodyCellValue(row, column.id, bodyColumnsOf(state.core), state.bodyValues.values)
            : rowValue(row, column.id),
    })
  }
}

/** Returns the order in words: `newest first`, `sorted by merchant`. */
function orderWords({ by, descending }: ListSort): string {
  if (by === 'time') return descending ? 'newest first' : 'oldest first'
  return `sorted by ${columnWord(by)}`
}
