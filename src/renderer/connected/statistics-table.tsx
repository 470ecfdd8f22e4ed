/**
 * Statistics as a table, in total and by group, of received deliveries or of a replay's requests.
 */
import { useState } from 'react'
import {
  GROUPINGS,
  statisticsSummaries,
  statisticsSummary,
  type Grouping,
  type Statistics,
  type StatisticsSummary,
} from '../../shared/model/statistics.ts'
import { hookNames } from '../../shared/query/interpret.ts'
import { useApp } from '../ui-state/use-app.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { milliseconds } from '../ui/moment.ts'
import { Segments } from '../ui/segments.tsx'
import { visibleText } from '../ui/visible-text.ts'

/**
 * Rows of the table: deliveries with the receiver's or the handlers' response times, or requests.
 */
type StatisticsKind = 'received' | 'handled' | 'replayed'

const captions: Readonly<Record<StatisticsKind, string>> = {
  received: "Deliveries and the receiver's response times",
  handled: "Deliveries and your handlers' response times",
  replayed: "Requests and your handlers' response times",
}

interface Column {
  readonly name: string
  readonly text: (summary: StatisticsSummary) => string
  readonly tone?: (summary: StatisticsSummary) => string
}

const percent = (share: number | undefined) =>
  share === undefined ? '–' : `${(100 * share).toFixed(1)}%`

const countOf = (name: string): Column => ({
  name,
  text: ({ count }) => count.toLocaleString('en'),
})

function shareOf(
  name: string,
  part: keyof NonNullable<StatisticsSummary['shares']>,
  style: string,
): Column {
  return {
    name,
    text: ({ shares }) => percent(shares?.[part]),
    tone: ({ shares }) => ((shares?.[part] ?? 0) > 0 ? style : 'text-subtle'),
  }
}

function timeOf(name: 'p50' | 'p95' | 'p99', of: 'ours' | 'handlers'): Column {
  return {
    name,
    text: (summary) => {
      const ms = summary[of][name]
      return ms === null ? '–' : `${milliseconds(ms)} ms`
    },
  }
}

function columnsOf(kind: StatisticsKind): readonly Column[] {
  const of = kind === 'received' ? 'ours' : 'handlers'
  const times = [timeOf('p50', of), timeOf('p95', of), timeOf('p99', of)]
  if (kind === 'replayed')
    return [countOf('Requests'), shareOf('Failing', 'failing', 'text-bad'), ...times]
  return [
    countOf('Deliveries'),
    shareOf('Invalid', 'invalid', 'text-bad'),
    shareOf('Stale', 'stale', 'text-warn'),
    shareOf('Retried', 'retried', 'text-warn'),
    ...times,
  ]
}

const headings: Readonly<Record<Grouping, string>> = {
  event: 'Event',
  hook: 'Hook',
  handler: 'Handler',
}
const emptyGroupNames: Readonly<Record<Grouping, string>> = {
  event: 'Unknown event',
  hook: 'No hook',
  handler: 'No handler',
}

const groupings = GROUPINGS.map((value) => ({ value, label: headings[value] }))

const cellFrame = 'h-7 border-b border-line/50'
const cell = `${cellFrame} pl-4 text-right whitespace-nowrap @max-[620px]:pl-2`

/** Shows volume, shares and response times, in total and by group. */
export function StatisticsSection({
  of,
  output: statistics,
  isEarlier,
  problem,
  readAgain,
  className,
}: {
  readonly of: 'deliveries' | 'requests'
  readonly output: Statistics | undefined
  /** Whether the output is of an earlier filter. */
  readonly isEarlier: boolean
  readonly problem: string | null
  readonly readAgain: () => void
  readonly className: string
}) {
  const [by, setBy] = useState<Grouping>('event')
  const isCounting = problem === null && (isEarlier || statistics === undefined)
  return (
    <section
      aria-label="Statistics"
      aria-busy={isCounting}
      className={classNames('@container py-2', className)}
    >
      <div className="mb-1 flex min-h-7 items-center gap-3">
        <h2 className="text-base font-medium">Statistics</h2>
        <Segments label="Group by" options={groupings} value={by} onChange={setBy} />
        <span role="status" className="text-small text-muted">
          {isCounting && 'Counting…'}
        </span>
        {problem !== null && <CountProblem counted={of} problem={problem} onRetry={readAgain} />}
      </div>
      {statistics !== undefined && (
        <div
          className="max-h-52 overflow-auto"
          tabIndex={0}
          role="region"
          aria-label="Statistics by group"
        >
          <StatisticsTable
            kind={of === 'requests' ? 'replayed' : by === 'handler' ? 'handled' : 'received'}
            by={by}
            statistics={statistics}
          />
        </div>
      )}
    </section>
  )
}

function StatisticsTable({
  kind,
  by,
  statistics,
}: {
  readonly kind: StatisticsKind
  readonly by: Grouping
  readonly statistics: Statistics
}) {
  const hooks = useApp((state) => state.core.hooks)
  const columns = columnsOf(kind)
  const nameOf = (key: string | null): string => {
    if (key === null) return emptyGroupNames[by]
    const hook = by === 'hook' ? hooks.find(({ id }) => id === key) : undefined
    return visibleText(hook === undefined ? key : (hookNames(hook)[0] ?? key))
  }
  const row = (name: string, summary: StatisticsSummary) => (
    <>
      <th
        scope="row"
        className={`${cellFrame} max-w-80 truncate text-left [font-weight:inherit] @max-[620px]:max-w-40`}
        title={name}
      >
        {name}
      </th>
      {columns.map((column) => (
        <td key={column.name} className={classNames(cell, column.tone?.(summary))}>
          {column.text(summary)}
        </td>
      ))}
    </>
  )
  return (
    <table className="w-full max-w-[1040px] border-collapse @max-[620px]:text-small">
      <caption className="sr-only">{captions[kind]}</caption>
      <thead className="sticky top-0 bg-ground text-small text-subtle">
        <tr>
          <th scope="col" className={`${cellFrame} text-left font-medium`}>
            {headings[by]}
          </th>
          {columns.map(({ name }) => (
            <th key={name} scope="col" className={`${cell} font-medium`}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="data">
        <tr className="font-medium">{row('All', statisticsSummary(statistics.all))}</tr>
        {statisticsSummaries(statistics[by]).map((group) => (
          <tr key={group.key}>{row(nameOf(group.key), group)}</tr>
        ))}
      </tbody>
    </table>
  )
}

export function CountProblem({
  counted,
  problem,
  onRetry,
}: {
  /** Plural noun of what couldn't be counted. */
  readonly counted: string
  readonly problem?: string
  readonly onRetry: () => void
}) {
  return (
    <p role="status" className="flex h-7 min-w-0 items-center gap-2 text-small text-bad">
      <span className="min-w-0 truncate">
        Couldn't count {counted}
        {problem !== undefined && `: ${problem}`}
      </span>
      <Button kind="quiet" onClick={onRetry}>
        Try again
      </Button>
    </p>
  )
}
