/** One row of the list. It has a fixed height and is redrawn only when its delivery changes. */
import { Check, Clock, Copy, Highlighter, RotateCw, Workflow } from 'lucide-react'
import { memo, useRef } from 'react'
import type { DeliveryFlow, DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { acknowledgementRule } from '../../state/acknowledgement.ts'
import { useAppStore } from '../../state/use-app.ts'
import { classNames } from '../../ui/class-names.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { byteSize, clockTime, milliseconds } from '../../ui/moment.ts'
import { tourPlace } from '../../ui/tour-place.ts'
import {
  StaleMark,
  VerdictGlyph,
  answerTone,
  answerWord,
  attemptWord,
  eventWord,
  freshnessWord,
  handlerLook,
  verdictToneText,
  verdictLook,
} from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { PinAndColour, RowNote } from './marks.tsx'

export interface DeliveryRowProps {
  readonly row: DeliveryRow | undefined
  readonly index: number
  /** Offset among all positions, in pixels. */
  readonly top: number
  /** Whether keys act on it, which a ring shows while the list has the focus. */
  readonly cursor: boolean
  readonly selected: boolean
  readonly fresh: boolean
  /** Whether it matches the filter, if the filter highlights instead of hiding. */
  readonly marked: boolean
  /** Environments decide what acknowledges. The array changes only when one of them does. */
  readonly environments: readonly Environment[]
  /** Part of the multiple selection, besides the current row. */
  readonly picked: boolean
  /** `adds`: clicked with Ctrl or ⌘, which toggles it in the selection. */
  readonly onSelect: (row: DeliveryRow, index: number, adds: boolean) => void
}

export function rowId(seq: number): `delivery-${number}` {
  return `delivery-${seq}`
}

export function seqOfRow(id: string): number {
  return Number(id.slice('delivery-'.length))
}

export const DeliveryRowView = memo(function DeliveryRowView({
  row,
  index,
  top,
  cursor,
  selected,
  picked,
  fresh,
  marked,
  environments,
  onSelect,
}: DeliveryRowProps) {
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
        : { id: rowId(row.seq), ...tourPlace(rowId(row.seq)), 'aria-selected': selected || picked })}
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
              : marked
                ? 'bg-accent/12 hover:bg-accent/20'
                : 'bg-ground hover:bg-raised',
        cursor && 'group-focus-visible/list:shadow-[inset_0_0_0_1px_var(--accent),inset_2px_0_0_var(--accent)]',
        fresh && 'arrive',
      )}
    >
      {drawn !== undefined && <Cells row={drawn} picked={picked} marked={marked} environments={environments} />}
    </div>
  )
})

interface CellsProps {
  readonly row: DeliveryRow
  readonly picked: boolean
  readonly marked: boolean
  readonly environments: readonly Environment[]
}

const Cells = memo(function Cells({ row, picked, marked, environments }: CellsProps) {
  const verdict = verdictLook(row)
  const event = eventWord(row)
  const eventTone = event.certain ? 'text-text' : 'text-subtle'
  const attempt = attemptWord(row)
  const stale = freshnessWord(row)
  const answer = answerTone(row.answer, acknowledgementRule(environments, row.environment))
  return (
    <>
      <span
        role="gridcell"
        title={row.verifiedHere ? undefined : verdict.sentence}
        className={classNames(
          verdictToneText[verdict.tone],
          verdict.tone === 'bad' && 'font-medium',
          !row.verifiedHere && 'cell-cut',
        )}
      >
        {picked && (
          <span className="mr-1.5 inline-flex size-3.5 items-center justify-center rounded-small bg-accent-solid align-[-0.5px] text-on-accent">
            <Check size={10} strokeWidth={3} aria-hidden />
          </span>
        )}
        <VerdictGlyph drawing={verdict.drawing} />
        {verdict.word}
        {marked && (
          <span className="ml-1.5 inline-block align-[-2px] text-accent" title="Matches the filter">
            <Highlighter size={12} aria-hidden />
            <span className="sr-only">, matches the filter</span>
          </span>
        )}
      </span>
      <span role="gridcell" className="data col-time text-muted">
        {clockTime(row.receivedAt)}
      </span>
      {row.pinned || row.colour !== null || row.flowRun !== null || attempt !== null || stale !== null ? (
        <span role="gridcell" title={visibleText(event.text)} className={`cell-cut flex items-center ${eventTone}`}>
          <span className="data truncate">
            <ExactText text={event.text} />
          </span>
          <PinAndColour marks={row} />
          {row.flowRun !== null && <FlowMark flowRun={row.flowRun} />}
          <NarrowNotes attempt={attempt} stale={stale} />
        </span>
      ) : (
        <span role="gridcell" title={visibleText(event.text)} className={`data cell-cut ${eventTone}`}>
          <ExactText text={event.text} />
        </span>
      )}
      <span
        role="gridcell"
        title={visibleText(row.malformed?.reason ?? row.path ?? '')}
        className="data cell-cut col-path text-muted"
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
      <span role="gridcell" className="cell-cut col-notes flex items-center gap-2">
        {attempt !== null && <span className="truncate text-small text-muted">{attempt}</span>}
        {row.origin === 'imported' && <span className="text-small text-muted">imported</span>}
        {stale !== null && <StaleMark word={stale} />}
        {row.note !== null && <RowNote note={row.note} />}
      </span>
      <span role="gridcell" className={`data col-answer text-right ${verdictToneText[answer]}`}>
        {answerWord(row.answer)}
      </span>
      <span role="gridcell" className="data col-ms text-right text-subtle">
        {row.answer.ms === null ? '' : milliseconds(row.answer.ms)}
      </span>
      <HandlerCell row={row} />
      <span role="gridcell" className="data col-size text-right text-subtle">
        {byteSize(row.bodySize)}
      </span>
    </>
  )
})

/** What the user's handler last returned, with the reason as hover text. */
function HandlerCell({ row: { handler, ...row } }: { readonly row: DeliveryRow }) {
  if (handler === null)
    return (
      <span role="gridcell" title="Not recorded" className="data col-handler text-subtle">
        –
      </span>
    )
  const { word, short, tone, drawing, reason, from } = handlerLook({ ...row, handler })
  return (
    <span
      role="gridcell"
      title={visibleText(`${from}: ${word}. ${reason}`)}
      className={`data col-handler cell-cut ${verdictToneText[tone]} ${tone === 'bad' ? 'font-medium' : ''}`}
    >
      <VerdictGlyph drawing={drawing} />
      {short}
      <span className="sr-only">, {reason}</span>
      {handler.status !== null && handler.ms !== null && (
        <span className="handler-ms font-normal text-subtle"> {milliseconds(handler.ms)} ms</span>
      )}
    </span>
  )
}

/** Marks a flow's delivery. A click shows all deliveries of that flow. */
function FlowMark({ flowRun: { flow, step } }: { readonly flowRun: DeliveryFlow }) {
  const store = useAppStore()
  return (
    <button
      type="button"
      tabIndex={-1}
      title={visibleText(`Flow ${flow}${step === null ? '' : `, step ${step}`}`)}
      aria-label={`Show deliveries of flow ${visibleText(flow)}`}
      onClick={(click) => {
        click.stopPropagation()
        store.getState().filter.setDraft(`flow:${/^[\w.-]+$/.test(flow) ? flow : JSON.stringify(flow)}`)
      }}
      className="ml-1.5 inline-flex shrink-0 rounded-small p-0.5 text-subtle hover:bg-control hover:text-text"
    >
      <Workflow size={12} aria-hidden />
    </button>
  )
}

/** Icons after the event, shown only if the list is too narrow for the notes. */
function NarrowNotes({ attempt, stale }: { readonly attempt: string | null; readonly stale: string | null }) {
  const Repeated = attempt === 'duplicate' ? Copy : RotateCw
  return (
    <>
      {attempt !== null && (
        <span className="narrow-note text-muted" title={attempt}>
          <Repeated size={12} aria-hidden />
          <span className="sr-only">, {attempt}</span>
        </span>
      )}
      {stale !== null && (
        <span className="narrow-note text-warn" title={stale}>
          <Clock size={12} aria-hidden />
          <span className="sr-only">, {stale}</span>
        </span>
      )}
    </>
  )
}

/** The column names, in order. */
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
      {name('Response', 'col-answer text-right')}
      {name('ms', 'col-ms text-right')}
      {name('My handler', 'col-handler')}
      {name('Size', 'col-size text-right')}
    </div>
  )
}
