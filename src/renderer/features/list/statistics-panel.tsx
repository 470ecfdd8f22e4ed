/** Statistics of the deliveries that the timeline shows: volume, shares and response times, as a whole and in groups. */
import { useState } from 'react'
import {
  statisticsSummaries,
  statisticsSummary,
  type Grouping,
  type StatisticsSummary,
} from '../../../shared/model/statistics.ts'
import { hookNames } from '../../../shared/query/meaning.ts'
import { useApp } from '../../state/use-app.ts'
import { classNames } from '../../ui/class-names.ts'
import { milliseconds } from '../../ui/moment.ts'
import { Segments } from '../../ui/segments.tsx'
import { visibleText } from '../../ui/visible-text.ts'

const groupings = [
  { value: 'event', label: 'Event' },
  { value: 'hook', label: 'Hook' },
  { value: 'handler', label: 'Handler' },
] as const satisfies readonly { value: Grouping; label: string }[]

const without: Readonly<Record<Grouping, string>> = { event: 'Unknown event', hook: 'No hook', handler: 'No handler' }

const percent = (share: number | undefined) => (share === undefined ? '–' : `${(100 * share).toFixed(1)}%`)
const inMs = (ms: number | null) => (ms === null ? '–' : `${milliseconds(ms)} ms`)

export function StatisticsPanel() {
  const statistics = useApp((state) => state.timeline.statistics)
  const hooks = useApp((state) => state.core.hooks)
  const [by, setBy] = useState<Grouping>('event')
  if (statistics === null) return null
  const { sum, filling, problem } = statistics
  const nameOf = (key: string | null): string => {
    if (key === null) return without[by]
    const hook = by === 'hook' ? hooks.find(({ id }) => id === key) : undefined
    return visibleText(hook === undefined ? key : (hookNames(hook)[0] ?? key))
  }
  return (
    <section aria-label="Statistics" aria-busy={filling} className="mt-1 border-t border-line py-2">
      <div className="mb-1 flex h-7 items-center gap-3">
        <h2 className="text-base font-medium">Statistics</h2>
        <Segments label="Group by" options={groupings} value={by} onChange={setBy} />
        <span role="status" className={classNames('text-small', problem === null ? 'text-muted' : 'text-bad')}>
          {problem === null ? (filling ? 'Counting…' : '') : `Couldn't count deliveries: ${problem}`}
        </span>
      </div>
      <div className="max-h-52 overflow-auto" tabIndex={0} role="region" aria-label="Statistics by group">
        <SummaryTable whole={statisticsSummary(sum.all)} groups={statisticsSummaries(sum[by])} by={by} nameOf={nameOf} />
      </div>
    </section>
  )
}

interface SummaryTableProps {
  readonly whole: StatisticsSummary
  readonly groups: readonly StatisticsSummary[]
  readonly by: Grouping
  readonly nameOf: (key: string | null) => string
}

const bare = 'h-7 border-b border-line/50'
const cell = `${bare} px-3 text-right`

function SummaryTable({ whole, groups, by, nameOf }: SummaryTableProps) {
  const isHandler = by === 'handler'
  const headings = ['Deliveries', 'Invalid', 'Stale', 'Retried', 'p50', 'p95', 'p99']
  return (
    <table className="w-full border-collapse">
      <caption className="sr-only">
        {isHandler ? "Deliveries and your handlers' response times" : 'Deliveries and our response times'}
      </caption>
      <thead className="sticky top-0 bg-ground text-small text-subtle">
        <tr>
          <th scope="col" className={`${bare} pr-3 text-left font-medium`}>
            {groupings.find(({ value }) => value === by)?.label}
          </th>
          {headings.map((name) => (
            <th key={name} scope="col" className={`${cell} font-medium`}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="data">
        <SummaryRow name="All" summary={whole} isHandler={isHandler} />
        {groups.map((group) => (
          <SummaryRow key={group.key} name={nameOf(group.key)} summary={group} isHandler={isHandler} />
        ))}
      </tbody>
    </table>
  )
}

interface SummaryRowProps {
  readonly name: string
  readonly summary: StatisticsSummary
  readonly isHandler: boolean
}

function SummaryRow({ name, summary: { count, shares, ours, handlers }, isHandler }: SummaryRowProps) {
  const times = isHandler ? handlers : ours
  return (
    <tr>
      <th scope="row" className={`${bare} max-w-80 truncate pr-3 text-left font-normal`} title={name}>
        {name}
      </th>
      <td className={cell}>{count.toLocaleString('en')}</td>
      <td className={classNames(cell, (shares?.invalid ?? 0) > 0 && 'text-bad')}>{percent(shares?.invalid)}</td>
      <td className={classNames(cell, (shares?.stale ?? 0) > 0 && 'text-warn')}>{percent(shares?.stale)}</td>
      <td className={classNames(cell, (shares?.retried ?? 0) > 0 && 'text-warn')}>{percent(shares?.retried)}</td>
      <td className={cell}>{inMs(times.p50)}</td>
      <td className={cell}>{inMs(times.p95)}</td>
      <td className={cell}>{inMs(times.p99)}</td>
    </tr>
  )
}
