/** The cells of the list's columns; scrolling draws them often. */
import { Pin, StickyNote } from 'lucide-react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { formatSentAmount } from '../../../shared/text/amount.ts'
import { acknowledgementRule } from '../../core-data/environments.ts'
import { issuesOf } from '../../ui-state/row-issues.ts'
import { ExactText, MiddleTruncated } from '../../ui/exact-text.tsx'
import { calendarDay, clockTime, milliseconds, dayUnlessToday } from '../../ui/moment.ts'
import {
  VerdictGlyph,
  eventWord,
  handlerStatus,
  signatureStatus,
  verdictToneText,
} from '../../ui/verdict.tsx'
import { EventLabel } from '../../ui/tinted-event.tsx'
import { visibleText } from '../../ui/visible-text.ts'

/** Shows a text that is cut at the end. */
export function TruncatedText({ text }: { readonly text: string }) {
  return (
    <span className="truncate" title={visibleText(text)}>
      <ExactText text={text} />
    </span>
  )
}

export function SignatureCell(row: DeliveryRow) {
  const { tone, word, sentence, drawing } = signatureStatus(row)
  return (
    <span
      title={sentence}
      className={`flex min-w-0 items-center gap-1.5 font-medium ${verdictToneText[tone]}`}
    >
      <VerdictGlyph drawing={drawing} />
      <span className="truncate @max-[400px]:sr-only">{word}</span>
    </span>
  )
}

/** Shows the time, and the day unless it is today or the list is by time. */
export function TimeCell({ receivedAt }: DeliveryRow) {
  const time = clockTime(receivedAt)
  const day = dayUnlessToday(receivedAt)
  return (
    <span className="data truncate text-muted" title={`${calendarDay(receivedAt)} ${time}`}>
      {day !== null && (
        <span className="group-data-[by=time]/list:sr-only">
          {day}{' '}
          <span className="@max-[760px]:hidden group-data-[by=time]/list:hidden">
            {time.slice(0, 5)}
          </span>
        </span>
      )}
      <span className={day === null ? '' : 'not-group-data-[by=time]/list:hidden'}>
        {time.slice(0, 8)}
        <span className="@max-[760px]:hidden">{time.slice(8)}</span>
      </span>
    </span>
  )
}

/** Longest amount, as sent, in its column; a longer one begins in the event's. In characters. */
const SHORT_AMOUNT = 11

/** Shows the event, then pin and note. */
export function EventCell(row: DeliveryRow) {
  const { text, color } = eventWord(row)
  return (
    <>
      <span
        aria-hidden
        className={`mr-1.5 size-1.5 shrink-0 rounded-full bg-current @max-[520px]:hidden ${color}`}
      />
      <EventLabel event={text} className={color} />
      <Marks row={row} />
      {(row.amount?.length ?? 0) > SHORT_AMOUNT && (
        <span className="w-9 shrink-0 @max-[640px]:hidden" />
      )}
    </>
  )
}

/** Shows that a delivery is pinned, and its note. */
function Marks({ row: { pinned, note } }: { readonly row: DeliveryRow }) {
  return (
    <>
      {pinned && <PinMark />}
      {note !== null && (
        <span className="ml-1.5 shrink-0 text-muted" title={visibleText(note)}>
          <StickyNote size={12} />
          <span className="sr-only">Note: {visibleText(note)}</span>
        </span>
      )}
    </>
  )
}

export function PinMark() {
  return (
    <span className="ml-1.5 inline-flex shrink-0 text-muted" title="Pinned">
      <Pin size={12} fill="currentColor" />
      <span className="sr-only">, pinned</span>
    </span>
  )
}

export function AmountCell({ amount, currency }: DeliveryRow) {
  if (amount === null) return null
  return (
    <span className="data mr-3 flex shrink-0">
      <span className="max-w-[132px] truncate font-medium" title={visibleText(amount)}>
        {visibleText(formatSentAmount(amount, currency))}
      </span>
      <span className="w-[30px] shrink-0 truncate pl-2 text-subtle">
        {visibleText(currency ?? '')}
      </span>
    </span>
  )
}

/** Shows why a malformed request couldn't be read, then its first bytes. */
export function MalformedCell({ row }: { readonly row: DeliveryRow }) {
  const reason = visibleText(row.malformed?.reason ?? '')
  return (
    <span className="flex min-w-0 items-center gap-2 text-small" title={reason}>
      <span className="truncate font-medium text-bad">{reason}</span>
      {row.firstBytes !== null && (
        <span className="data min-w-16 shrink-[2] truncate text-muted">
          <span className="sr-only">First bytes: </span>
          {row.firstBytes.replaceAll(/(..)(?=.)/g, '$1 ')}
        </span>
      )}
      <Marks row={row} />
    </span>
  )
}

/** Shows the delivery's issues: the first in words, the others as glyphs. */
export function IssuesCell(row: DeliveryRow, environments: readonly Environment[]) {
  const [first, ...others] = issuesOf(row, acknowledgementRule(environments, row.environment))
  if (first === undefined) return null
  return (
    <span className="flex min-w-0 items-center gap-2 pr-1.5 text-small">
      <span
        title={visibleText(first.words)}
        className={`flex min-w-0 items-center gap-1.5 font-medium ${verdictToneText[first.tone]}`}
      >
        <VerdictGlyph drawing={first.drawing} />
        <span className="truncate @max-[599px]:sr-only">{visibleText(first.words)}</span>
      </span>
      {others.map(({ words, short, tone, drawing }) => (
        <span
          key={words}
          title={words}
          className={`flex shrink-0 items-center gap-1 @max-[690px]:sr-only ${verdictToneText[tone]}`}
        >
          <VerdictGlyph drawing={drawing} />
          <span className="data" aria-hidden>
            {short}
          </span>
          <span className="sr-only">{words}</span>
        </span>
      ))}
    </span>
  )
}

/** Shows the handler's last response, with the reason as hover text. */
export function HandlerCell({ handler, ...row }: DeliveryRow) {
  if (handler === null)
    return (
      <span title="Not recorded" className="data text-subtle">
        –
      </span>
    )
  const { word, short, tone, drawing, reason, from } = handlerStatus({ ...row, handler })
  const time = handler.ms === null ? '' : ` In ${milliseconds(handler.ms)} ms.`
  return (
    <span
      title={visibleText(`${from}: ${word}. ${reason}${time}`)}
      className={`data flex min-w-0 items-center gap-1 ${tone === 'ok' ? 'text-muted' : verdictToneText[tone]} ${tone === 'bad' ? 'font-medium' : ''}`}
    >
      <VerdictGlyph drawing={drawing} />
      <span className="truncate">{short}</span>
      <span className="sr-only">, {reason}</span>
    </span>
  )
}

/** Characters of a path's end, which differs most: the path is cut in the middle. */
const PATH_TAIL = 16

export function PathCell({ method, path }: DeliveryRow) {
  return (
    <span className="data flex min-w-0 gap-1.5 text-muted">
      {method !== null && method !== 'POST' && (
        <span className="shrink-0 text-warn">{visibleText(method)}</span>
      )}
      <MiddleTruncated text={path ?? ''} tail={PATH_TAIL} />
    </span>
  )
}
