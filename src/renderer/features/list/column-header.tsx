/**
 * The header of the list: names, and sizes and order by pointer or keyboard. One of its cells is a tab stop; arrow keys move between
 * them. And the menu that hides columns and shows them again.
 */
import { Menu } from '@base-ui/react/menu'
import { ArrowDown, ArrowUp, Check, Columns3, RotateCcw } from 'lucide-react'
import { useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import type { SortKey } from '../../../shared/model/delivery.ts'
import { DEFAULT_COLUMNS } from '../../state/preferences-slice.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { ToolButton } from '../../ui/button.tsx'
import { ButtonMenu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Keys } from '../../ui/keys.tsx'
import {
  drawnForm,
  layoutOf,
  moved,
  orderedIds,
  resized,
  type ColumnId,
  type ColumnLayout,
  type ShownColumn,
} from './column-layout.ts'
import { COLUMNS, methodAndPath } from './columns.tsx'
import type { ListState } from './list-updates.ts'

const KEY_STEP = 16
/** A press that moves less than this is a click. */
const DRAG_PX = 6

/** The layout, and its columns as an array that changes only if rows must be drawn again. */
export function useColumnLayout(
  rows: ListState,
  generation: number,
): { readonly layout: ColumnLayout; readonly columns: readonly ShownColumn[] } {
  const choice = useApp((state) => state.preferences.columns)
  const room = useApp((state) => state.list.room)
  const held = useApp((state) => state.list.held)
  const loaded = useMemo(() => longestPath(rows), [rows])
  // Widths stay when shorter paths scroll in, and when deliveries arrive while the list is held.
  const longest = useRef({ generation, length: 0 })
  if (longest.current.generation !== generation || (!held && longest.current.length < loaded))
    longest.current = { generation, length: loaded }
  const { length } = longest.current
  const layout = useMemo(() => layoutOf(COLUMNS, choice, room, length), [choice, room, length])
  const drawn = useRef(layout.columns)
  if (drawnForm(drawn.current) !== drawnForm(layout.columns)) drawn.current = layout.columns
  return { layout, columns: drawn.current }
}

/** The longest path of the loaded rows, in characters. */
function longestPath({ head, pages }: ListState): number {
  let longest = 0
  for (const rows of [head, ...pages.values()])
    for (const row of rows)
      if (row !== undefined && row.malformed === null)
        longest = Math.max(longest, methodAndPath(row).length)
  return longest
}

export function DeliveryColumns({ layout }: { readonly layout: ColumnLayout }) {
  const choice = useApp((state) => state.preferences.columns)
  const room = useApp((state) => state.list.room)
  const setPreference = useApp((state) => state.preferences.set)
  const { sort, sortBy } = useParts('list', 'sort', 'sortBy')
  // Times, amounts and counts begin with the newest or largest, names with A.
  const nextDescending = (by: SortKey) =>
    by === sort.by
      ? !sort.descending
      : !['verdict', 'event', 'merchant', 'path', 'source'].includes(by)
  const [tabStop, setTabStop] = useState<ColumnId>('time')
  const [dragged, setDragged] = useState<{ readonly id: ColumnId; readonly over: ColumnId } | null>(
    null,
  )
  const [menuOf, setMenuOf] = useState<ColumnId | null>(null)
  const header = useRef<HTMLDivElement>(null)
  const pressed = useRef<{
    readonly id: ColumnId
    readonly x: number
    readonly width: number
    readonly resizes: boolean
  } | null>(null)
  /** The click that ends a drag doesn't sort. */
  const wasDragged = useRef(false)
  const shown = layout.columns
  const stop = shown.some(({ id }) => id === tabStop) ? tabStop : shown[0]?.id

  const resize = (id: ColumnId, width: number) => {
    setPreference('columns', resized(COLUMNS, choice, room, id, width))
  }
  const columnAt = (x: number): ColumnId | undefined => {
    const cells = [...(header.current?.children ?? [])]
    const place = cells.findIndex((cell) => x < cell.getBoundingClientRect().right)
    return shown[place === -1 ? shown.length - 1 : place]?.id
  }
  const focusOn = (id: ColumnId | undefined) => {
    if (id === undefined) return
    setTabStop(id)
    header.current?.querySelector<HTMLElement>(`[data-column="${id}"]`)?.focus()
  }

  const onPointerDown =
    (id: ColumnId, width: number, resizes: boolean) => (press: PointerEvent<HTMLElement>) => {
      if (press.button !== 0) return
      press.stopPropagation()
      wasDragged.current = false
      press.currentTarget.setPointerCapture(press.pointerId)
      pressed.current = { id, x: press.clientX, width, resizes }
    }
  const onPointerMove = (move: PointerEvent<HTMLElement>) => {
    const press = pressed.current
    if (press === null) return
    if (press.resizes) resize(press.id, press.width + move.clientX - press.x)
    else if (dragged !== null || Math.abs(move.clientX - press.x) >= DRAG_PX)
      setDragged({ id: press.id, over: columnAt(move.clientX) ?? press.id })
  }
  const onPointerUp = () => {
    pressed.current = null
    wasDragged.current = dragged !== null
    if (dragged === null) return
    if (dragged.over !== dragged.id)
      setPreference('columns', moved(COLUMNS, choice, dragged.id, dragged.over))
    setDragged(null)
  }
  const resetWidth = (id: ColumnId) => {
    const { [id]: _, ...widths } = choice.widths
    setPreference('columns', { ...choice, widths })
  }
  const onKeyDown = (place: number, id: ColumnId, width: number) => (key: KeyboardEvent) => {
    if (key.key === 'ContextMenu' || (key.shiftKey && key.key === 'F10')) {
      // Otherwise the menu of the selected row opens.
      key.preventDefault()
      key.stopPropagation()
      setMenuOf(id)
      return
    }
    const by = key.key === 'ArrowLeft' ? -1 : key.key === 'ArrowRight' ? 1 : 0
    if (by === 0 || key.altKey) return
    // Otherwise it would also act on the rows.
    key.preventDefault()
    const next = shown[place + by]?.id
    if (key.shiftKey) resize(id, width + by * KEY_STEP)
    else if (!key.ctrlKey && !key.metaKey) focusOn(next)
    else if (next !== undefined) setPreference('columns', moved(COLUMNS, choice, id, next))
  }

  const menuItems = (id: ColumnId): readonly ColumnMenuItem[] => {
    const place = shown.findIndex((column) => column.id === id)
    const width = shown[place]?.width ?? 0
    const by = COLUMNS.find((column) => column.id === id)?.sort
    const sortItem = (label: string, descending: boolean): ColumnMenuItem => ({
      label,
      run: () => {
        if (by !== undefined) sortBy({ by, descending })
      },
    })
    const moveItem = (label: string, keys: string, to: ColumnId | undefined): ColumnMenuItem => ({
      label,
      keys,
      disabled: to === undefined,
      run: () => {
        if (to !== undefined) setPreference('columns', moved(COLUMNS, choice, id, to))
      },
    })
    const resizeItem = (label: string, keys: string, step: number): ColumnMenuItem => ({
      label,
      keys,
      run: () => {
        resize(id, width + step)
      },
    })
    return [
      sortItem('Sort ascending', false),
      sortItem('Sort descending', true),
      moveItem('Move left', 'Mod+ArrowLeft', shown[place - 1]?.id),
      moveItem('Move right', 'Mod+ArrowRight', shown[place + 1]?.id),
      resizeItem('Narrower', 'Shift+ArrowLeft', -KEY_STEP),
      resizeItem('Wider', 'Shift+ArrowRight', KEY_STEP),
      {
        label: 'Reset width',
        disabled: choice.widths[id] === undefined,
        run: () => {
          resetWidth(id)
        },
      },
      {
        label: 'Hide column',
        // The verdict is always shown.
        disabled: id === 'signature',
        run: () => {
          setPreference('columns', { ...choice, hidden: [...choice.hidden, id] })
        },
      },
      {
        label: 'Reset columns',
        run: () => {
          setPreference('columns', DEFAULT_COLUMNS)
        },
      },
    ]
  }

  return (
    <div
      ref={header}
      role="row"
      aria-rowindex={1}
      className="delivery-columns h-7 items-center border-b border-line bg-surface text-small text-subtle select-none"
    >
      {shown.map(({ id, width, narrow }, place) => {
        const column = COLUMNS.find((each) => each.id === id)
        if (column === undefined) return null
        const isSorted = column.sort === sort.by
        const title = narrow ? (column.narrowTitle ?? column.title) : column.title
        return (
          <span
            key={id}
            role="columnheader"
            aria-sort={isSorted ? (sort.descending ? 'descending' : 'ascending') : 'none'}
            className={classNames(
              'relative flex h-full min-w-0 items-center',
              dragged?.over === id && dragged.id !== id && 'bg-selected',
            )}
          >
            <button
              type="button"
              data-column={id}
              tabIndex={id === stop ? 0 : -1}
              title={`${id === 'time' ? 'Time of receipt, in the order of storing: imported deliveries are placed at their import' : column.title}. Drag or press Ctrl+arrow keys to move, Shift+arrow keys to resize.`}
              onFocus={() => {
                setTabStop(id)
              }}
              onClick={() => {
                if (!wasDragged.current)
                  sortBy({ by: column.sort, descending: nextDescending(column.sort) })
              }}
              onPointerDown={onPointerDown(id, width, false)}
              onPointerMove={onPointerMove}
              onPointerUp={onPointerUp}
              onKeyDown={onKeyDown(place, id, width)}
              onContextMenu={(event) => {
                event.preventDefault()
                setMenuOf(id)
              }}
              className={classNames(
                'flex h-full min-w-0 flex-1 items-center gap-1 text-left',
                isSorted && 'text-text',
                column.right && 'justify-end',
                id === 'amount' && 'justify-end pr-12',
                dragged?.id === id && 'opacity-50',
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
            <span
              aria-hidden
              onPointerDown={onPointerDown(id, width, true)}
              onPointerMove={onPointerMove}
              onPointerUp={onPointerUp}
              onDoubleClick={() => {
                resetWidth(id)
              }}
              className="absolute top-1 -right-1 bottom-1 z-10 w-2 cursor-col-resize hover:bg-control"
            />
          </span>
        )
      })}
      {menuOf !== null && (
        <ColumnMenu
          anchor={header.current?.querySelector(`[data-column="${menuOf}"]`) ?? null}
          items={menuItems(menuOf)}
          onClose={() => {
            setMenuOf(null)
          }}
        />
      )}
    </div>
  )
}

interface ColumnMenuItem {
  readonly label: string
  readonly keys?: string
  readonly disabled?: boolean
  readonly run: () => void
}

/** What can be done with a column, with the keys that do the same. */
function ColumnMenu({
  anchor,
  items,
  onClose,
}: {
  readonly anchor: HTMLElement | null
  readonly items: readonly ColumnMenuItem[]
  readonly onClose: () => void
}) {
  return (
    <Menu.Root
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      <Menu.Portal>
        <Menu.Positioner anchor={anchor} sideOffset={2} align="start" className="z-50 outline-none">
          <Menu.Popup
            aria-label="Column"
            finalFocus={{ current: anchor }}
            className="min-w-52 rounded-control border border-line bg-raised p-1 text-base text-text shadow-overlay outline-none"
          >
            {items.map(({ label, keys, disabled, run }) => (
              <Menu.Item
                key={label}
                disabled={disabled === true}
                onClick={run}
                className="flex h-7 items-center gap-2.5 rounded-small px-2 outline-none data-disabled:text-subtle data-highlighted:bg-control"
              >
                <span className="flex-1">{label}</span>
                {keys !== undefined && <Keys keys={keys} />}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

/** Hides columns, shows them again, and resets all changes. */
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
  const { dropped } = layoutOf(COLUMNS, choice, room)
  return (
    <>
      {orderedIds(COLUMNS, choice).map((id) => {
        const isShown = !choice.hidden.includes(id)
        return (
          <Menu.CheckboxItem
            key={id}
            checked={isShown}
            // The verdict is always shown.
            disabled={id === 'signature'}
            onCheckedChange={(checked) => {
              const hidden = choice.hidden.filter((each) => each !== id)
              setPreference('columns', { ...choice, hidden: checked ? hidden : [...hidden, id] })
            }}
            className="flex h-7 items-center gap-2.5 rounded-small px-2 outline-none data-disabled:text-subtle data-highlighted:bg-control"
          >
            <span className="size-[13px]">{isShown && <Check size={13} aria-hidden />}</span>
            <span className="flex-1">{COLUMNS.find((column) => column.id === id)?.title}</span>
            {isShown && dropped.includes(id) && (
              <span className="text-small text-subtle">no room</span>
            )}
          </Menu.CheckboxItem>
        )
      })}
      <MenuLine />
      <MenuItem
        onClick={() => {
          setPreference('columns', DEFAULT_COLUMNS)
        }}
      >
        <RotateCcw size={13} aria-hidden />
        Reset columns
      </MenuItem>
    </>
  )
}
