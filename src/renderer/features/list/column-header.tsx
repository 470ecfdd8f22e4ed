/**
 * The header of the list: names, and the order by pointer or keyboard. One of its cells is a tab stop; arrow keys move between them.
 * And the menu that hides columns and shows them again.
 */
import { Menu } from '@base-ui/react/menu'
import { ArrowDown, ArrowUp, Check, Columns3, RotateCcw } from 'lucide-react'
import { useMemo, useRef, useState, type KeyboardEvent } from 'react'
import type { SortKey } from '../../../shared/model/delivery.ts'
import { DEFAULT_COLUMNS } from '../../state/preferences-slice.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { ToolButton } from '../../ui/button.tsx'
import { ButtonMenu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { classNames } from '../../ui/class-names.ts'
import {
  drawnForm,
  layoutOf,
  type ColumnId,
  type ColumnLayout,
  type ShownColumn,
} from './column-layout.ts'
import { COLUMNS } from './columns.tsx'

/** The layout, and its columns as an array that changes only if rows must be drawn again. */
export function useColumnLayout(): {
  readonly layout: ColumnLayout
  readonly columns: readonly ShownColumn[]
} {
  const { hidden } = useApp((state) => state.preferences.columns)
  const room = useApp((state) => state.list.room)
  const layout = useMemo(() => layoutOf(COLUMNS, hidden, room), [hidden, room])
  const drawn = useRef(layout.columns)
  if (drawnForm(drawn.current) !== drawnForm(layout.columns)) drawn.current = layout.columns
  return { layout, columns: drawn.current }
}

export function DeliveryColumns({ layout }: { readonly layout: ColumnLayout }) {
  const { sort, sortBy } = useParts('list', 'sort', 'sortBy')
  // Times, amounts and counts begin with the newest or largest, names with A.
  const nextDescending = (by: SortKey) =>
    by === sort.by
      ? !sort.descending
      : !['verdict', 'event', 'merchant', 'path', 'source'].includes(by)
  const [tabStop, setTabStop] = useState<ColumnId>('time')
  const header = useRef<HTMLDivElement>(null)
  const shown = layout.columns
  const stop = shown.some(({ id }) => id === tabStop) ? tabStop : shown[0]?.id

  const onKeyDown = (place: number) => (key: KeyboardEvent) => {
    const by = key.key === 'ArrowLeft' ? -1 : key.key === 'ArrowRight' ? 1 : 0
    if (by === 0 || key.altKey || key.shiftKey || key.ctrlKey || key.metaKey) return
    // Otherwise it would also act on the rows.
    key.preventDefault()
    const next = shown[place + by]?.id
    if (next === undefined) return
    setTabStop(next)
    header.current?.querySelector<HTMLElement>(`[data-column="${next}"]`)?.focus()
  }

  return (
    <div
      ref={header}
      role="row"
      aria-rowindex={1}
      className="delivery-columns h-7 items-center border-b border-line bg-surface text-small text-subtle select-none"
    >
      {shown.map(({ id, narrow }, place) => {
        const column = COLUMNS.find((each) => each.id === id)
        if (column === undefined) return null
        const isSorted = column.sort === sort.by
        const title = narrow ? (column.narrowTitle ?? column.title) : column.title
        return (
          <span
            key={id}
            role="columnheader"
            aria-sort={isSorted ? (sort.descending ? 'descending' : 'ascending') : 'none'}
            className="flex h-full min-w-0 items-center"
          >
            <button
              type="button"
              data-column={id}
              tabIndex={id === stop ? 0 : -1}
              title={
                id === 'time'
                  ? 'Time of receipt, in the order of storing: imported deliveries are placed at their import'
                  : column.title
              }
              onFocus={() => setTabStop(id)}
              onClick={() => sortBy({ by: column.sort, descending: nextDescending(column.sort) })}
              onKeyDown={onKeyDown(place)}
              className={classNames(
                'flex h-full min-w-0 flex-1 items-center gap-1 text-left',
                isSorted && 'text-text',
                column.right && 'justify-end',
                id === 'amount' && 'justify-end pr-12',
              )}
            >
              <span className={narrow && column.right ? '' : 'truncate'}>{title}</span>
              {isSorted &&
                (sort.descending ? (
                  <ArrowDown size={12} aria-hidden />
                ) : (
                  <ArrowUp size={12} aria-hidden />
                ))}
            </button>
          </span>
        )
      })}
    </div>
  )
}

/** Hides columns and shows them again. */
export function ColumnsMenu() {
  return (
    <ButtonMenu
      trigger={
        <ToolButton label="Columns" caption="Columns" icon={<Columns3 size={15} aria-hidden />} />
      }
    >
      <ColumnItems />
    </ButtonMenu>
  )
}

export function ColumnItems() {
  const choice = useApp((state) => state.preferences.columns)
  const room = useApp((state) => state.list.room)
  const setPreference = useApp((state) => state.preferences.set)
  const { dropped } = layoutOf(COLUMNS, choice.hidden, room)
  return (
    <>
      {COLUMNS.map(({ id, title }) => {
        const isShown = !choice.hidden.includes(id)
        return (
          <Menu.CheckboxItem
            key={id}
            checked={isShown}
            // The verdict is always shown.
            disabled={id === 'signature'}
            onCheckedChange={(checked) => {
              const hidden = choice.hidden.filter((each) => each !== id)
              setPreference('columns', { hidden: checked ? hidden : [...hidden, id] })
            }}
            className="flex h-7 items-center gap-2.5 rounded-small px-2 outline-none data-disabled:text-subtle data-highlighted:bg-control"
          >
            <span className="size-[13px]">{isShown && <Check size={13} aria-hidden />}</span>
            <span className="flex-1">{title}</span>
            {isShown && dropped.includes(id) && (
              <span className="text-small text-subtle">no room</span>
            )}
          </Menu.CheckboxItem>
        )
      })}
      <MenuLine />
      <MenuItem onClick={() => setPreference('columns', DEFAULT_COLUMNS)}>
        <RotateCcw size={13} aria-hidden />
        Reset columns
      </MenuItem>
    </>
  )
}
