/** Statistics of the deliveries that the timeline shows: volume, shares and response times, as a whole and in groups. */
import { useState } from 'react'
import { statisticsSummaries, statisticsSummary, type Grouping } from '../../../shared/model/statistics.ts'
import { hookNames } from '../../../shared/query/meaning.ts'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Segments } from '../../ui/segments.tsx'
import { StatisticsTable } from '../../ui/statistics-table.tsx'
import { visibleText } from '../../ui/visible-text.ts'

const groupings = [
  { value: 'event', label: 'Event' },
  { value: 'hook', label: 'Hook' },
  { value: 'handler', label: 'Handler' },
] as const satisfies readonly { value: Grouping; label: string }[]

const without: Readonly<Record<Grouping, string>> = { event: 'Unknown event', hook: 'No hook', handler: 'No handler' }

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
    <section aria-label="Statistics" aria-busy={filling} className="@container mt-1 border-t border-line py-2">
      <div className="mb-1 flex h-7 items-center gap-3">
        <h2 className="text-base font-medium">Statistics</h2>
        <Segments label="Group by" options={groupings} value={by} onChange={setBy} />
        {problem === null ? (
          <span role="status" className="text-small text-muted">
            {filling ? 'Counting…' : ''}
          </span>
        ) : (
          <CountProblem problem={problem} />
        )}
      </div>
      {sum !== null && (
        <div className="max-h-52 overflow-auto" tabIndex={0} role="region" aria-label="Statistics by group">
          <StatisticsTable
            kind={by === 'handler' ? 'handled' : 'received'}
            by={groupings.find(({ value }) => value === by)?.label ?? ''}
            whole={statisticsSummary(sum.all)}
            groups={statisticsSummaries(sum[by])}
            nameOf={nameOf}
          />
        </div>
      )}
    </section>
  )
}

/** Why a count failed, with a retry. */
export function CountProblem({ problem }: { readonly problem: string }) {
  const reload = useApp((state) => state.timeline.reload)
  return (
    <p role="status" className="flex h-7 min-w-0 items-center gap-2 text-small text-bad">
      <span className="min-w-0 truncate">Couldn't count deliveries: {problem}</span>
      <Button kind="quiet" onClick={reload}>
        Try again
      </Button>
    </p>
  )
}
