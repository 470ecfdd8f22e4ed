/**
 * The list of deliveries: one tab stop. At the top it follows new deliveries until a row is selected or the pointer moves over the
 * list; otherwise the visible rows stay in place while new ones arrive above.
 */
import { Check } from 'lucide-react'
import {
  memo,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type MouseEvent,
} from 'react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { rowValue } from '../../ui-state/delivery-actions.ts'
import { useAppParts, useAppStore } from '../../ui-state/use-app.ts'
import { classNames } from '../../ui/class-names.ts'
import { pointOf } from '../../ui/delivery-menu.tsx'
import { focusedRow, ROW_HEIGHT, Scroller, useRows } from '../../ui/list.tsx'
import { dayKey, dayName, otherDay, useNow } from '../../ui/moment.ts'
import { ColumnHeader, columnWord, useColumns } from './columns.tsx'
import { DAY_STEP, dayStarts, itemOfRow, rowOfItem } from './days.ts'
import { indexOfSeq, rowAt, rowCount } from './list-column.ts'
import { isFollowing, type ListSort } from './list-slice.ts'

/** Pause after which the list looks whether another day has begun, in milliseconds. */
const MINUTE_MS = 60_000

/** When the visible rows change, they are requested once scrolling pauses: dragging the scrollbar passes thousands of rows. */
const REST_MS = 40

export const LIST_ID = 'delivery-list'

export const rowId = (seq: number): `delivery-${number}` => `delivery-${seq}`

export function DeliveryList() {
  const store = useAppStore()
  const {
    list,
    generation,
    selectedSeq,
    following,
    freshAbove,
    reveal,
    sort,
    picked,
    environments,
  } = useAppParts((state) => ({
    list: state.list.rows,
    generation: state.list.generation,
    selectedSeq: state.list.selectedSeq,
    following: isFollowing(state.list),
    freshAbove: state.list.freshAbove,
    reveal: state.list.reveal,
    sort: state.list.sort,
    picked: state.selection.rows,
    environments: state.core.environments,
  }))
  const columns = useColumns()
  // A link can name a row before the list is drawn.
  const before = useRef<{
    generation: number
    reveal: typeof reveal
    first: number
    end: number
  }>({ generation, reveal: null, first: 0, end: 0 })
  const { seqs } = list
  const isByTime = sort.by === 'time'
  const today = dayKey(useNow(MINUTE_MS))
  const [step, setStep] = useState(0)
  const [knownDays] = useState(() => new Map<number, string>())
  const starts = useMemo(
    () => (isByTime ? dayStarts(list, step, today, knownDays) : []),
    [isByTime, list, step, today, knownDays],
  )
  const rows = useRows({
    count: rowCount(list) + starts.length,
    rowHeight: ROW_HEIGHT,
    keyOf: useCallback(
      (item: number) => {
        const { index, isDay } = rowOfItem(starts, item)
        const seq = seqs[index] ?? -index
        return isDay ? `day ${seq}` : seq
      },
      [seqs, starts],
    ),
    holds: !following && generation === before.current.generation,
  })
  const { top } = rows
  const first = rowOfItem(starts, rows.first).index
  const end = rowOfItem(starts, rows.end - 1).index + 1
  const shownStep = Math.floor(first / DAY_STEP)
  if (shownStep !== step) setStep(shownStep)

  useLayoutEffect(() => {
    const last = before.current
    const isAnother = generation !== last.generation
    before.current = { ...last, generation }
    if (isAnother) rows.toStart()
    // The place of a row in the view is known once the view is measured.
    if (reveal === null || reveal === last.reveal || rows.viewport === 0) return
    // A row that isn't listed yet is revealed once it is.
    const index = indexOfSeq(list, reveal.seq)
    if (index === null) return
    before.current.reveal = reveal
    rows.show(itemOfRow(starts, index))
  })

  useEffect(() => {
    const last = before.current
    const isJump = first >= last.end || end <= last.first
    before.current = { ...last, first, end }
    const report = () => store.getState().list.setVisible({ first, end, isAtStart: top < 1 })
    if (!isJump) {
      report()
      return
    }
    const timer = setTimeout(report, REST_MS)
    return () => clearTimeout(timer)
  }, [store, list, first, end, top])

  // Pointing at the list holds it still: a row must not move away under the pointer.
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

  const onMenu = (event: MouseEvent<HTMLDivElement>) => {
    const target = event.target instanceof Element ? event.target : null
    const line = target?.closest('[role=row][id]') ?? null
    const row = list.rows.get(Number(line?.id.slice('delivery-'.length)))
    if (line === null || row === undefined) return
    event.preventDefault()
    const state = store.getState()
    const isPicked = picked.has(row.seq)
    if (!isPicked) state.list.select(row)
    const chosen = isPicked ? [...picked.values()] : [row]
    const cell = target?.closest<HTMLElement>('[data-column]')?.dataset['column']
    const column = columns.find(({ id }) => id === cell)
    state.menu.open({
      at: pointOf(event, line),
      rows: chosen,
      value: column === undefined || chosen.length > 1 ? null : rowValue(row, column.id),
    })
  }

  const selectedIndex = selectedSeq === null ? null : indexOfSeq(list, selectedSeq)
  // Where keys act: without a selected row in view, they begin at the first one.
  const cursor =
    selectedIndex !== null && selectedIndex >= first && selectedIndex < end ? selectedIndex : first
  const active = rowAt(list, cursor)
  const firstAt = isByTime ? rowAt(list, first)?.receivedAt : undefined
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
      onContextMenu={onMenu}
      className="group/list @container flex min-h-0 flex-1 flex-col outline-none"
    >
      <ColumnHeader columns={columns} day={firstAt === undefined ? null : otherDay(firstAt)} />
      <Scroller rows={rows} listRole="rowgroup" className="min-h-0 flex-1">
        {rows.drawn.map((item) => {
          const { index, isDay } = rowOfItem(starts, item)
          const row = rowAt(list, index)
          if (isDay && row !== undefined)
            return <Day key={`day ${row.seq}`} name={dayName(row.receivedAt)} />
          return row === undefined ? (
            <AbsentRow key={seqs[index]} index={index} />
          ) : (
            <Row
              key={row.seq}
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

/** The day of the rows below. Their cells tell it to screen readers. */
function Day({ name }: { readonly name: string }) {
  return (
    <div
      aria-hidden
      className="flex h-7 items-center border-b border-line/50 bg-surface pl-4 text-small font-medium text-muted select-none"
    >
      {name}
    </div>
  )
}

/** `newest first`, `sorted by merchant`. */
function orderWords({ by, descending }: ListSort): string {
  if (by === 'time') return descending ? 'newest first' : 'oldest first'
  return `sorted by ${columnWord(by)}`
}

/** A row whose delivery is loading. */
function AbsentRow({ index }: { readonly index: number }) {
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
  /** Whether keys act on it, which a ring shows while the list has the focus. */
  readonly cursor: boolean
  readonly selected: boolean
  /** Part of the multiple selection, besides the current row. */
  readonly picked: boolean
  /** Arrived with the last change. */
  readonly fresh: boolean
  /** Environments decide what acknowledges. */
  readonly environments: readonly Environment[]
  /** `adds`: clicked with Ctrl or ⌘, which toggles it in the selection. */
  readonly onSelect: (row: DeliveryRow, adds: boolean) => void
}

/** One row. It has a fixed height and is drawn again only when its delivery or its place changes. */
export const Row = memo(function Row(props: RowProps) {
  const { row, columns, index, cursor, selected, picked, fresh, environments, onSelect } = props
  return (
    <div
      id={rowId(row.seq)}
      role="row"
      // The header is row 1.
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
      {/* In the margin, so that it moves no text. */}
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
  return columns.map(({ id, className, isRight, cell }) => (
    <span
      key={id}
      role="gridcell"
      data-column={id}
      className={classNames('flex h-full items-center', className, isRight && 'justify-end')}
    >
      {cell(row, environments)}
    </span>
  ))
})

const ANNOUNCED_EVERY_MS = 5_000

/** Says to screen readers how many deliveries arrived. */
export function ArrivalNotice() {
  const store = useAppStore()
  const announced = useRef(store.getState().list.rows.arrived)
  const [sentence, setSentence] = useState('')
  useEffect(() => {
    const timer = setInterval(() => {
      const { arrived } = store.getState().list.rows
      const count = arrived - announced.current
      announced.current = arrived
      if (count > 0)
        setSentence(count === 1 ? '1 new delivery' : `${count.toLocaleString('en')} new deliveries`)
    }, ANNOUNCED_EVERY_MS)
    return () => clearInterval(timer)
  }, [store])
  return (
    <p aria-live="polite" className="sr-only">
      {sentence}
    </p>
  )
}
