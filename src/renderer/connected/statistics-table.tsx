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
import { capitalized } from '../../shared/text/english.ts'
import { useApp } from '../ui-state/use-app.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { milliseconds } from '../ui/moment.ts'
import { Segments } from '../ui/segments.tsx'
import { TintedEvent } from '../ui/tinted-event.tsx'
import { visibleText } from '../ui/visible-text.ts'

/**
 * Rows of the table: deliveries with the receiver's or the handlers' response times, or requests.
 */
type StatisticsKind = 'received' | 'handled' | 'replayed'

interface Cell {
  readonly column: string
  readonly text: string
  readonly tone?: string
}

const TIMES = [
  ['Median', 'p50'],
  ['95% within', 'p95'],
  ['99% within', 'p99'],
] as const

/** Returns the cells of a row; zero shares are quiet. */
function cellsOf(kind: StatisticsKind, summary: StatisticsSummary): readonly Cell[] {
  const { count, shares } = summary
  const times = summary[kind === 'received' ? 'ours' : 'handlers']
  const shareOf = (
    column: string,
    part: keyof NonNullable<StatisticsSummary['shares']>,
    tone: string,
  ): Cell => {
    const share = shares?.[part]
    if (share === undefined) return { column, text: '–' }
    return { column, text: `${(100 * share).toFixed(1)}%`, tone: share > 0 ? tone : 'text-subtle' }
  }
  return [
    { column: kind === 'replayed' ? 'Requests' : 'Deliveries', text: count.toLocaleString('en') },
    ...(kind === 'replayed'
      ? [shareOf('Failed', 'failing', 'text-bad')]
      : [
          shareOf('Invalid', 'invalid', 'text-bad'),
          shareOf('Stale', 'stale', 'text-warn'),
          shareOf('Retried', 'retried', 'text-warn'),
        ]),
    ...TIMES.map(([column, key]) => {
      const ms = times[key]
      return { column, text: ms === null ? '–' : `${milliseconds(ms)} ms` }
    }),
  ]
}

const groupings = GROUPINGS.map((value) => ({ value, label: capitalized(value) }))

const cellFrame = 'h-7 border-b border-line/50'
const cell = `${cellFrame} pl-4 text-right whitespace-nowrap @max-[700px]:pl-2`

/** Shows volume, shares and response times, in total and by group. */
export function StatisticsSection({
  of,
  span,
  output: statistics,
  isEarlier,
  problem,
  readAgain,
  className,
}: {
  readonly of: 'deliveries' | 'requests'
  /** Time of the deliveries: `last hour`. */
  readonly span?: string
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
        <h2 className="text-base font-medium">Statistics{span && `, ${span}`}</h2>
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
  const all = statisticsSummary(statistics.all)
  const groups = statisticsSummaries(statistics[by])
  const nameOf = (key: string | null): string => {
    if (key === null) return by === 'event' ? 'Unknown event' : `No ${by}`
    const hook = by === 'hook' ? hooks.find(({ id }) => id === key) : undefined
    return visibleText(hook === undefined ? key : (hookNames(hook)[0] ?? key))
  }
  const row = (name: string, summary: StatisticsSummary) => (
    <>
      <th
        scope="row"
        className={`${cellFrame} max-w-80 truncate text-left [font-weight:inherit] @max-[700px]:max-w-46`}
        title={name}
      >
        {by === 'event' && summary !== all ? <TintedEvent event={name} /> : name}
      </th>
      {cellsOf(kind, summary).map(({ column, text, tone }) => (
        <td key={column} className={classNames(cell, tone)}>
          {text}
        </td>
      ))}
    </>
  )
  return (
    <table className="w-full border-collapse @max-[700px]:text-small">
      <caption className="sr-only">
        Counts and response times of {kind === 'received' ? 'the receiver' : 'your handlers'}
      </caption>
      <thead className="sticky top-0 bg-ground text-small text-subtle">
        <tr>
          <th scope="col" className={`${cellFrame} text-left font-medium`}>
            {capitalized(by)}
          </th>
          {cellsOf(kind, all).map(({ column }) => (
            <th key={column} scope="col" className={`${cell} font-medium`}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="data">
        {/* A single group has the same numbers. */}
        {groups.length !== 1 && <tr className="font-medium">{row('All', all)}</tr>}
        {groups.map((group) => (
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
