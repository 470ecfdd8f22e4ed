/** Statistics of the deliveries that the timeline shows: volume, shares and response times, as a whole and in groups. */
import { useState } from 'react'
import type { Grouping } from '../../../shared/model/statistics.ts'
import { useParts } from '../../state/use-app.ts'
import { Segments } from '../../ui/segments.tsx'
import { CountProblem, GROUPING_OPTIONS, StatisticsTable } from '../../ui/statistics-table.tsx'

export function StatisticsPanel() {
  const { statistics, reload } = useParts('timeline', 'statistics', 'reload')
  const [by, setBy] = useState<Grouping>('event')
  if (statistics === null) return null
  const { sum, filling, problem } = statistics
  return (
    <section
      aria-label="Statistics"
      aria-busy={filling}
      className="@container mt-1 border-t border-line py-2"
    >
      <div className="mb-1 flex h-7 items-center gap-3">
        <h2 className="text-base font-medium">Statistics</h2>
        <Segments label="Group by" options={GROUPING_OPTIONS} value={by} onChange={setBy} />
        <span role="status" className="text-small text-muted">
          {filling && 'Counting…'}
        </span>
        {problem !== null && (
          <CountProblem counted="deliveries" problem={problem} onRetry={reload} />
        )}
      </div>
      {sum !== null && (
        <div
          className="max-h-52 overflow-auto"
          tabIndex={0}
          role="region"
          aria-label="Statistics by group"
        >
          <StatisticsTable kind={by === 'handler' ? 'handled' : 'received'} by={by} sum={sum} />
        </div>
      )}
    </section>
  )
}
