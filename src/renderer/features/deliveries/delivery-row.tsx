/** One row of the list. It has a fixed height and is drawn again only when its delivery changes. */
import { Check, Highlighter } from 'lucide-react'
import { memo, useRef } from 'react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { classNames } from '../../ui/class-names.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { byteSize, clockTime, milliseconds } from '../../ui/moment.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { PinAndColour, RowNote } from './marks.tsx'
import { StaleMark, Verdict, answerTone, answerWord, attemptWord, eventWord, freshnessWord, toneText } from './verdict.tsx'

export interface DeliveryRowProps {
  readonly row: DeliveryRow | undefined
  readonly index: number
  readonly height: number
  readonly selected: boolean
  readonly fresh: boolean
  /** Matches the filter, where the filter marks instead of hiding. */
  readonly marked: boolean
  /** One of those that were selected, beside the one that the list stands on. */
  readonly picked: boolean
  /** `adds`: with Ctrl or ⌘, which adds it to the selection or takes it out. */
  readonly onSelect: (row: DeliveryRow, index: number, adds: boolean) => void
}

export function rowId(seq: number): string {
  return `delivery-${seq}`
}

export const DeliveryRowView = memo(function DeliveryRowView({
  row,
  index,
  height,
  selected,
  picked,
  fresh,
  marked,
  onSelect,
}: DeliveryRowProps) {
  // While its delivery is read, a row keeps the cells of the one before, unseen: filling them in costs a fifth of making new ones.
  const before = useRef(row)
  if (row !== undefined) before.current = row
  const drawn = row ?? before.current
  // The header is row 1.
  const place = { role: 'row', 'aria-rowindex': index + 2, style: { height } } as const
  return (
    <div
      {...place}
      {...(row === undefined ? { 'aria-busy': true } : { id: rowId(row.seq), 'aria-selected': selected || picked })}
      onClick={(click) => {
        if (row !== undefined) onSelect(row, index, click.ctrlKey || click.metaKey)
      }}
      className={classNames(
        'delivery-columns contain-strict border-b border-line/50',
        row === undefined
          ? 'delivery-absent'
          : selected
            ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)] group-focus-visible/list:shadow-[inset_0_0_0_1px_var(--accent),inset_2px_0_0_var(--accent)]'
            : picked
              ? 'bg-selected-quiet'
              : marked
                ? 'bg-accent/12 hover:bg-accent/20'
                : 'hover:bg-raised',
        fresh && 'arrive',
      )}
    >
      {drawn !== undefined && <Cells row={drawn} picked={picked} marked={marked} />}
    </div>
  )
})

interface CellsProps {
  readonly row: DeliveryRow
  readonly picked: boolean
  readonly marked: boolean
}

const Cells = memo(function Cells({ row, picked, marked }: CellsProps) {
  const event = eventWord(row)
  const attempt = attemptWord(row)
  const stale = freshnessWord(row)
  return (
    <>
      <span role="gridcell" className="flex min-w-0 items-center">
        {picked && (
          <span className="mr-1.5 inline-flex size-3.5 shrink-0 items-center justify-center rounded-small bg-accent-solid text-on-accent">
            <Check size={10} strokeWidth={3} aria-hidden />
          </span>
        )}
        <Verdict of={row} />
        {marked && (
          <span className="ml-1.5 inline-flex text-accent" title="Matches the filter">
            <Highlighter size={12} aria-hidden />
            <span className="sr-only">, matches the filter</span>
          </span>
        )}
      </span>
      <span role="gridcell" className="data self-center text-muted">
        {clockTime(row.receivedAt)}
      </span>
      <span
        role="gridcell"
        title={visibleText(event.text)}
        className={classNames('flex min-w-0 items-center', event.certain ? 'text-text' : 'text-subtle')}
      >
        <span className="data truncate">
          <ExactText text={event.text} />
        </span>
        <PinAndColour marks={row} />
      </span>
      <span
        role="gridcell"
        title={visibleText(row.malformed?.reason ?? row.path ?? '')}
        className="data col-path self-center truncate text-muted"
      >
        {row.malformed === null ? (
          <>
            {row.method !== null && row.method !== 'POST' && <span className="text-warn">{row.method} </span>}
            <ExactText text={row.path ?? ''} />
          </>
        ) : (
          <span className="font-sans">{row.malformed.reason}</span>
        )}
      </span>
      <span role="gridcell" className="col-notes flex min-w-0 items-center gap-2 overflow-hidden">
        {attempt !== null && <span className="truncate text-small text-muted">{attempt}</span>}
        {stale !== null && <StaleMark word={stale} />}
        {row.note !== null && <RowNote note={row.note} />}
      </span>
      <span role="gridcell" className={`data col-answer self-center text-right ${toneText[answerTone(row.answer)]}`}>
        {answerWord(row.answer)}
      </span>
      <span role="gridcell" className="data col-ms self-center text-right text-subtle">
        {row.answer.ms === null ? '' : milliseconds(row.answer.ms)}
      </span>
      <span role="gridcell" className="data col-size self-center text-right text-subtle">
        {byteSize(row.bodySize)}
      </span>
    </>
  )
})

/** The names of the columns, in their order. */
export function DeliveryColumns() {
  const name = (text: string, className = '') => (
    <span role="columnheader" className={`truncate ${className}`}>
      {text}
    </span>
  )
  return (
    <div
      role="row"
      aria-rowindex={1}
      className="delivery-columns h-7 items-center border-b border-line bg-surface text-tiny font-medium text-subtle"
    >
      {name('Signature')}
      {name('Time')}
      {name('Event')}
      {name('Path', 'col-path')}
      {name('Notes', 'col-notes')}
      {name('Answer', 'col-answer text-right')}
      {name('ms', 'col-ms text-right')}
      {name('Size', 'col-size text-right')}
    </div>
  )
}
