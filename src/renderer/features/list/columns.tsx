/**
 * The columns of the list, in one table: header, rows, the menu that hides them, and sorting follow it. A column's width
 * follows the list's width, never its content. Cells are cheap, because scrolling draws them.
 */
import { Menu } from '@base-ui/react/menu'
import { ArrowDown, ArrowUp, Check, Pin, StickyNote } from 'lucide-react'
import { useMemo, useState, type KeyboardEvent, type ReactNode } from 'react'
import type { DeliveryRow, SortKey } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { writtenAmount } from '../../../shared/text/amount.ts'
import { acknowledgementRule } from '../../ui-state/environments.ts'
import { issuesOf, signatureStatus } from '../../ui-state/row-issues.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { classNames } from '../../ui/class-names.ts'
import { ExactText, Middle } from '../../ui/exact-text.tsx'
import { calendarDay, clockTime, milliseconds, otherDay } from '../../ui/moment.ts'
import { VerdictGlyph, eventWord, handlerStatus, verdictToneText } from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'

type ColumnId =
  'signature' | 'time' | 'event' | 'amount' | 'issues' | 'handler' | 'merchant' | 'path'

interface Column {
  readonly id: ColumnId
  readonly title: string
  /** Its width, and the list width below which it is narrower or hidden. */
  readonly className: string
  readonly sort: SortKey
  readonly isRight?: true
  readonly cell: (row: DeliveryRow, environments: readonly Environment[]) => ReactNode
}

export const COLUMNS: readonly Column[] = [
  {
    id: 'signature',
    title: 'Signature',
    className: 'w-[106px] shrink-0 @max-[840px]:w-[88px] @max-[520px]:w-[84px] @max-[400px]:w-6',
    sort: 'verdict',
    cell: Signature,
  },
  {
    id: 'time',
    title: 'Time',
    className:
      'w-[100px] shrink-0 @max-[840px]:w-[96px] @max-[600px]:w-[68px] @max-[520px]:w-[62px]',
    sort: 'time',
    cell: Time,
  },
  {
    id: 'event',
    title: 'Event',
    // It gets its whole width before anything else grows.
    className: 'max-w-[232px] min-w-0 flex-[100_1_0]',
    sort: 'event',
    cell: Event,
  },
  {
    id: 'amount',
    title: 'Amount',
    className: 'w-[116px] shrink-0 @max-[520px]:hidden',
    sort: 'amount',
    isRight: true,
    cell: Amount,
  },
  {
    id: 'issues',
    title: 'Issues',
    className:
      'min-w-0 flex-[1_0_168px] @max-[840px]:flex-[1_0_112px] @max-[690px]:w-11 @max-[690px]:flex-none',
    sort: 'schema-errors',
    cell: Issues,
  },
  {
    id: 'handler',
    title: 'My handler',
    className: 'w-[92px] shrink-0 @max-[840px]:w-[72px] @max-[520px]:w-[70px] @max-[400px]:w-14',
    sort: 'handler',
    isRight: true,
    cell: Handler,
  },
  {
    id: 'merchant',
    title: 'Merchant',
    className: 'w-[140px] shrink-0 pl-3 @max-[980px]:hidden',
    sort: 'merchant',
    cell: ({ merchant }) => <Cut text={merchant ?? ''} />,
  },
  {
    id: 'path',
    title: 'Path',
    className: 'min-w-0 flex-[3_0_120px] pl-3 @max-[1120px]:hidden',
    sort: 'path',
    cell: Path,
  },
]

/** The columns that the user doesn't hide. The array changes only with them. */
export function useColumns(): readonly Column[] {
  const { hidden } = useApp((state) => state.preferences.columns)
  return useMemo(() => COLUMNS.filter(({ id }) => !hidden.includes(id)), [hidden])
}

/** `merchant`, of the column that sorts by a key. */
export function columnWord(by: SortKey): string {
  return COLUMNS.find(({ sort }) => sort === by)?.title.toLowerCase() ?? by
}

/** Names, and the order by pointer or keyboard. One of its cells is a tab stop; arrow keys move between them. */
export function ColumnHeader({
  columns,
  day,
}: {
  readonly columns: readonly Column[]
  /** The day of the first row in view, which stands for the rows below; null for today. */
  readonly day: string | null
}) {
  const { sort, sortBy } = useParts('list', 'sort', 'sortBy')
  const [tabStop, setTabStop] = useState<ColumnId>('time')
  const stop = columns.some(({ id }) => id === tabStop) ? tabStop : columns[0]?.id
  // Times and amounts begin with the newest or largest, names with A.
  const sortNext = (by: SortKey) =>
    sortBy({
      by,
      descending:
        by === sort.by ? !sort.descending : !['verdict', 'event', 'merchant', 'path'].includes(by),
    })

  const onKeyDown = (key: KeyboardEvent<HTMLElement>, by: SortKey) => {
    if (key.altKey || key.shiftKey || key.ctrlKey || key.metaKey) return
    const step = { ArrowLeft: -1, ArrowRight: 1, Enter: 0, ' ': 0 }[key.key]
    if (step === undefined) return
    // Otherwise it would also act on the rows.
    key.preventDefault()
    key.stopPropagation()
    if (step === 0) {
      sortNext(by)
      return
    }
    const cells = [...(key.currentTarget.parentElement?.children ?? [])].filter(
      (cell): cell is HTMLElement => cell instanceof HTMLElement && cell.offsetWidth > 0,
    )
    cells[cells.indexOf(key.currentTarget) + step]?.focus()
  }

  return (
    <div
      role="row"
      aria-rowindex={1}
      className="flex h-7 shrink-0 items-center overflow-hidden border-b border-line bg-surface pr-3 pl-4 text-small text-subtle select-none [scrollbar-gutter:stable]"
    >
      {columns.map(({ id, title, className, sort: by, isRight }) => {
        const isSorted = by === sort.by
        return (
          <span
            key={id}
            role="columnheader"
            aria-sort={isSorted ? (sort.descending ? 'descending' : 'ascending') : 'none'}
            tabIndex={id === stop ? 0 : -1}
            title={title}
            onFocus={() => setTabStop(id)}
            onClick={() => sortNext(by)}
            onKeyDown={(key) => onKeyDown(key, by)}
            className={classNames(
              'flex h-full items-center gap-1 hover:text-text',
              className,
              isSorted && 'text-text',
              isRight && 'justify-end',
              id === 'amount' && 'pr-12',
            )}
          >
            <span className={classNames('truncate', id === 'signature' && '@max-[400px]:sr-only')}>
              {id === 'time' && day !== null ? (
                <>
                  <span className="sr-only">{title}, </span>
                  {day}
                </>
              ) : (
                title
              )}
            </span>
            {isSorted &&
              (sort.descending ? (
                <ArrowDown size={12} className="shrink-0" />
              ) : (
                <ArrowUp size={12} className="shrink-0" />
              ))}
          </span>
        )
      })}
    </div>
  )
}

/** Hides columns and shows them again. The verdict is always shown. */
export function ColumnItems() {
  const { hidden } = useApp((state) => state.preferences.columns)
  const setPreference = useApp((state) => state.preferences.set)
  return COLUMNS.map(({ id, title }) => {
    const isShown = !hidden.includes(id)
    const others = hidden.filter((one) => one !== id)
    return (
      <Menu.CheckboxItem
        key={id}
        checked={isShown}
        disabled={id === 'signature'}
        onCheckedChange={(checked) =>
          setPreference('columns', { hidden: checked ? others : [...others, id] })
        }
        className="flex h-7 items-center gap-2.5 rounded-small px-2 outline-none data-disabled:text-subtle data-highlighted:bg-control"
      >
        <span className="size-[13px]">{isShown && <Check size={13} />}</span>
        {title}
      </Menu.CheckboxItem>
    )
  })
}

/** A text in its cell, cut at the end. */
function Cut({ text }: { readonly text: string }) {
  return (
    <span className="truncate" title={visibleText(text)}>
      <ExactText text={text} />
    </span>
  )
}

function Signature(row: DeliveryRow) {
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

/** The time, and the day if it isn't today. In a list by time, the rows of the days show it. */
function Time({ receivedAt }: DeliveryRow) {
  const time = clockTime(receivedAt)
  const day = otherDay(receivedAt)
  return (
    <span className="data truncate text-muted" title={`${calendarDay(receivedAt)} ${time}`}>
      {day !== null && (
        <span className="group-data-[by=time]/list:sr-only">
          {day}{' '}
          <span className="@max-[600px]:hidden group-data-[by=time]/list:hidden">
            {time.slice(0, 5)}
          </span>
        </span>
      )}
      <span className={day === null ? '' : 'not-group-data-[by=time]/list:hidden'}>
        {time.slice(0, 8)}
        <span className="@max-[600px]:hidden">{time.slice(8)}</span>
      </span>
    </span>
  )
}

const LONG_START = 'transaction.'
/** An event with more characters than this has no room beside a delivery, a shorter one not in a narrow window. */
const SHORT_EVENT = 20
const startClasses = {
  long: ['@max-[752px]:sr-only', "@max-[752px]:before:content-['…']"],
  short: ['@max-[520px]:sr-only', "@max-[520px]:before:content-['…']"],
  none: [],
} as const

/** The name, without its first part if there is no room. Then the pin and the note. */
function Event(row: DeliveryRow) {
  const { text, color } = eventWord(row)
  const starts = text.startsWith(LONG_START)
  const [start, rest] =
    startClasses[!starts ? 'none' : text.length > SHORT_EVENT ? 'long' : 'short']
  return (
    <>
      <span aria-hidden className={`mr-1.5 size-1.5 shrink-0 rounded-full bg-current ${color}`} />
      <span title={visibleText(text)} className={`data truncate ${color}`}>
        {starts && <span className={start}>{LONG_START}</span>}
        <span className={rest}>
          <ExactText text={starts ? text.slice(LONG_START.length) : text} />
        </span>
      </span>
      {row.pinned && <PinMark />}
      {row.note !== null && (
        <span className="ml-1.5 shrink-0 text-muted" title={visibleText(row.note)}>
          <StickyNote size={12} />
          <span className="sr-only">Note: {visibleText(row.note)}</span>
        </span>
      )}
    </>
  )
}

/** The pin, shown after the event. */
export function PinMark() {
  return (
    <span className="ml-1.5 inline-flex shrink-0 text-muted" title="Pinned">
      <Pin size={12} fill="currentColor" />
      <span className="sr-only">, pinned</span>
    </span>
  )
}

function Amount({ amount, currency }: DeliveryRow) {
  if (amount === null) return null
  return (
    <span className="data flex min-w-0 flex-1 pr-3">
      <span className="min-w-0 flex-1 truncate text-right font-medium" title={visibleText(amount)}>
        {visibleText(writtenAmount(amount, currency))}
      </span>
      <span className="w-9 shrink-0 truncate pl-2 text-subtle">{visibleText(currency ?? '')}</span>
    </span>
  )
}

/** What is wrong with the delivery: the first in words, the others as glyphs. */
function Issues(row: DeliveryRow, environments: readonly Environment[]) {
  const [first, ...others] = issuesOf(row, acknowledgementRule(environments, row.environment))
  if (first === undefined) return null
  return (
    <span className="flex min-w-0 items-center gap-2 pr-2 text-small">
      <span
        title={visibleText(first.words)}
        className={`flex min-w-0 items-center gap-1.5 font-medium ${verdictToneText[first.tone]}`}
      >
        <VerdictGlyph drawing={first.drawing} />
        <span className="truncate @max-[690px]:sr-only">{visibleText(first.words)}</span>
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

/** What my handler last returned, with the reason as hover text. */
function Handler({ handler, ...row }: DeliveryRow) {
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

/** The last part of a path tells one from the other: it is cut in the middle. */
const PATH_TAIL = 16

function Path({ method, path }: DeliveryRow) {
  return (
    <span className="data flex min-w-0 gap-1.5 text-muted">
      {method !== null && method !== 'POST' && (
        <span className="shrink-0 text-warn">{visibleText(method)}</span>
      )}
      <Middle text={path ?? ''} tail={PATH_TAIL} />
    </span>
  )
}
