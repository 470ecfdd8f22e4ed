/** The columns of the list, in one table: header, rows, chooser and sorting follow it. Cells are cheap, because scrolling redraws them. */
import type { HTMLAttributes, ReactElement } from 'react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { writtenAmount } from '../../../shared/text/amount.ts'
import { acknowledgementRule } from '../../state/acknowledgement.ts'
import { issuesOf, rowDrawings, signatureLook } from '../../state/row-issues.ts'
import { useAppStore } from '../../state/use-app.ts'
import { classNames } from '../../ui/class-names.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { byteSize, clockTime, milliseconds } from '../../ui/moment.ts'
import {
  VerdictGlyph,
  answerTone,
  answerWord,
  eventWord,
  handlerLook,
  verdictToneText,
} from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import {
  ROOM_FOR_STATUS,
  ROOM_FOR_WORD,
  eventIn,
  type CellSpan,
  type ColumnId,
  type ColumnSpec,
  type ShownColumn,
} from './column-layout.ts'
import { PinMark, RowNote } from './marks.tsx'

interface CellContext {
  /** Environments decide what acknowledges. */
  readonly environments: readonly Environment[]
  /** The cells that a long path takes; null if it keeps to its own. */
  readonly pathSpan: CellSpan | null
}

interface Column extends ColumnSpec {
  readonly cell: (row: DeliveryRow, column: ShownColumn, context: CellContext) => ReactElement
}

/** Columns without a narrow width keep their width. */
export const COLUMNS: readonly Column[] = [
  { id: 'signature', title: 'Signature', width: 100, sort: 'verdict', cell: signatureCell },
  { id: 'time', title: 'Time', width: 100, sort: 'time', cell: timeCell },
  { id: 'event', title: 'Event', width: 216, sort: 'event', cell: eventCell },
  { id: 'amount', title: 'Amount', width: 116, sort: 'amount', cell: amountCell },
  { id: 'merchant', title: 'Merchant', width: 140, sort: 'merchant', cell: merchantCell },
  { id: 'path', title: 'Path', width: 128, sort: 'path', cell: pathCell },
  { id: 'issues', title: 'Issues', width: 160, sort: 'schema-errors', cell: issuesCell },
  { id: 'source', title: 'Source', width: 124, sort: 'source', cell: sourceCell },
  {
    id: 'responded',
    title: 'Responded',
    width: 68,
    right: true,
    sort: 'responded',
    cell: respondedCell,
  },
  {
    id: 'handler',
    title: 'My handler',
    narrowTitle: 'Handler',
    width: 124,
    right: true,
    sort: 'handler',
    cell: handlerCell,
  },
  { id: 'size', title: 'Size', width: 56, right: true, sort: 'size', cell: sizeCell },
]

function signatureCell(row: DeliveryRow) {
  const { tone, word, sentence, drawing } = signatureLook(row)
  return (
    <span
      key="signature"
      role="gridcell"
      title={sentence === word ? undefined : sentence}
      className={classNames('cell-cut font-medium', verdictToneText[tone])}
    >
      <VerdictGlyph drawing={drawing} />
      {word}
    </span>
  )
}

function timeCell(row: DeliveryRow, { narrow }: ShownColumn) {
  const time = clockTime(row.receivedAt)
  return (
    <span
      key="time"
      role="gridcell"
      title={narrow ? time : undefined}
      className="data overflow-clip text-muted"
    >
      {narrow ? time.slice(0, 8) : time}
    </span>
  )
}

function eventCell(row: DeliveryRow, { width }: ShownColumn) {
  const event = eventWord(row)
  const tone = event.certain ? 'text-text' : 'text-subtle'
  const name = <ExactText text={eventIn(event.text, width)} />
  if (!row.pinned)
    return (
      <span
        key="event"
        role="gridcell"
        title={visibleText(event.text)}
        className={`data cell-cut ${tone}`}
      >
        {name}
      </span>
    )
  return (
    <span
      key="event"
      role="gridcell"
      title={visibleText(event.text)}
      className={`cell-cut flex items-center pr-2 ${tone}`}
    >
      <span className="data truncate">{name}</span>
      <PinMark />
    </span>
  )
}

function amountCell({ amount, currency }: DeliveryRow) {
  return (
    <span key="amount" role="gridcell" className="data cell-cut flex pr-3">
      {amount !== null && (
        <>
          <span
            className="min-w-0 flex-1 truncate text-right font-medium"
            title={visibleText(amount)}
          >
            {visibleText(writtenAmount(amount, currency))}
          </span>
          <span className="w-9 shrink-0 truncate pl-2 text-subtle">
            {visibleText(currency ?? '')}
          </span>
        </>
      )}
    </span>
  )
}

function merchantCell({ merchant }: DeliveryRow) {
  return (
    <span
      key="merchant"
      role="gridcell"
      title={visibleText(merchant ?? '')}
      className="cell-cut pr-3"
    >
      <ExactText text={merchant ?? ''} />
    </span>
  )
}

/** Attributes of a cell that takes several columns. */
export function spanned({
  from,
  to,
}: CellSpan): Pick<HTMLAttributes<HTMLSpanElement>, 'aria-colspan' | 'style'> {
  return { 'aria-colspan': to - from, style: { gridColumn: `${from + 1} / ${to + 1}` } }
}

/** What the Path column shows. */
export function methodAndPath({ method, path }: Pick<DeliveryRow, 'method' | 'path'>): string {
  return `${method === null || method === 'POST' ? '' : `${method} `}${path ?? ''}`
}

/** Whether a delivery has nothing to show in a column whose cell a long path may cover. */
export function isEmptyCell(row: DeliveryRow): (id: ColumnId) => boolean {
  return (id) =>
    (id === 'issues' && row.note === null && issuesOf(row).length === 0) ||
    (id === 'source' && originWords[row.origin] === null && row.flowRun === null)
}

function pathCell(row: DeliveryRow, _: ShownColumn, { pathSpan }: CellContext) {
  return (
    <span
      key="path"
      role="gridcell"
      {...(pathSpan === null ? {} : spanned(pathSpan))}
      title={visibleText(row.path ?? '')}
      className="data cell-cut pr-2 text-muted"
    >
      {row.method !== null && row.method !== 'POST' && (
        <span className="text-warn">{row.method} </span>
      )}
      <ExactText text={row.path ?? ''} />
    </span>
  )
}

/** The first issue in words, the others as glyphs; if narrow, the first as a glyph, and all as hover text. */
function issuesCell(row: DeliveryRow, { narrow }: ShownColumn, { environments }: CellContext) {
  const issues = issuesOf(row, acknowledgementRule(environments, row.environment))
  return (
    <span
      key="issues"
      role="gridcell"
      title={narrow && issues.length > 1 ? issues.map(({ words }) => words).join(', ') : undefined}
      className="cell-cut flex items-center gap-2 pr-2"
    >
      {(narrow ? issues.slice(0, 1) : issues).map(({ words, short, tone, drawing }, place) => (
        <span
          key={words}
          title={narrow && issues.length > 1 ? undefined : words}
          className={classNames(
            'text-small',
            verdictToneText[tone],
            place === 0 && !narrow ? 'truncate font-medium' : 'shrink-0',
          )}
        >
          <VerdictGlyph drawing={drawing} />
          {place === 0 && !narrow ? (
            <span className="pl-1.5">{words}</span>
          ) : (
            <>
              {short !== '' && (
                <span aria-hidden className="data pl-1">
                  {short}
                </span>
              )}
              <span className="sr-only">{words}</span>
            </>
          )}
        </span>
      ))}
      {narrow && issues.length > 1 && (
        <span className="sr-only">
          {issues
            .slice(1)
            .map(({ words }) => words)
            .join(', ')}
        </span>
      )}
      {row.note !== null && (!narrow || issues.length === 0) && <RowNote note={row.note} />}
    </span>
  )
}

const originWords: Readonly<Record<DeliveryRow['origin'], string | null>> = {
  received: null,
  imported: 'Imported',
  reported: 'Reported',
  shared: 'Shared',
}

/** Where the delivery comes from, if not from a sender. */
function sourceCell(row: DeliveryRow) {
  const origin = originWords[row.origin]
  return (
    <span
      key="source"
      role="gridcell"
      className="cell-cut flex items-center gap-2 pr-2 text-small text-muted"
    >
      {origin !== null && (
        <span className="shrink-0">
          <VerdictGlyph drawing={rowDrawings.file} />
          <span className="pl-1.5">{origin}</span>
        </span>
      )}
      {row.flowRun !== null && <FlowMark flow={row.flowRun.flow} step={row.flowRun.step} />}
    </span>
  )
}

/** The flow that caused a delivery. A click shows all deliveries of that flow. */
function FlowMark({ flow, step }: { readonly flow: string; readonly step: string | null }) {
  const store = useAppStore()
  return (
    <button
      type="button"
      tabIndex={-1}
      title={visibleText(`Flow ${flow}${step === null ? '' : `, step ${step}`}`)}
      aria-label={`Show deliveries of flow ${visibleText(flow)}`}
      onClick={(click) => {
        click.stopPropagation()
        store
          .getState()
          .filter.setDraft(`flow:${/^[\w.-]+$/.test(flow) ? flow : JSON.stringify(flow)}`)
      }}
      className="-ml-1 flex h-5 min-w-0 items-center gap-1.5 rounded-small px-1 hover:bg-control hover:text-text"
    >
      <VerdictGlyph drawing={rowDrawings.flow} />
      <span className="truncate">{visibleText(flow)}</span>
    </button>
  )
}

function respondedCell(row: DeliveryRow, _: ShownColumn, { environments }: CellContext) {
  const tone = answerTone(row, acknowledgementRule(environments, row.environment))
  return (
    <span
      key="responded"
      role="gridcell"
      title={row.answer.ms === null ? undefined : `Responded in ${milliseconds(row.answer.ms)} ms`}
      className={`data cell-cut text-right ${verdictToneText[tone]}`}
    >
      {answerWord(row)}
    </span>
  )
}

/** What the user's handler last returned, with the reason as hover text. */
function handlerCell({ handler, ...row }: DeliveryRow, { narrow, width }: ShownColumn) {
  if (handler === null)
    return (
      <span
        key="handler"
        role="gridcell"
        title="Not recorded"
        className="data text-right text-subtle"
      >
        –
      </span>
    )
  const { word, short, tone, drawing, reason, from } = handlerLook({ ...row, handler })
  return (
    <span
      key="handler"
      role="gridcell"
      title={visibleText(`${from}: ${word}. ${reason}`)}
      className={`data cell-cut text-right ${tone === 'ok' ? 'text-muted' : verdictToneText[tone]} ${tone === 'bad' ? 'font-medium' : ''}`}
    >
      <VerdictGlyph drawing={drawing} />
      <span
        className={
          width >= (handler.status === null ? ROOM_FOR_WORD : ROOM_FOR_STATUS)
            ? 'pl-1'
            : handler.status === null
              ? 'sr-only'
              : ''
        }
      >
        {short}
      </span>
      <span className="sr-only">, {reason}</span>
      {handler.ms !== null && handler.status !== null && !narrow && (
        <span className="inline-block w-14 font-normal text-subtle">
          {milliseconds(handler.ms)} ms
        </span>
      )}
    </span>
  )
}

function sizeCell(row: DeliveryRow) {
  return (
    <span key="size" role="gridcell" className="data cell-cut text-right text-subtle">
      {byteSize(row.bodySize)}
    </span>
  )
}
