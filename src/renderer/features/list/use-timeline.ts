/** The timeline's filter, and its counted bars. */
import { useState } from 'react'
import type { Bin } from '../../../shared/model/statistics.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import { useNow } from '../../ui/moment.ts'
import { frameOf, type TimelineFrame } from './timeline-facts.ts'
import { splitQuery } from './timeline-span.ts'

/** Interval at which the time range moves forward. */
const TICK_MS = 15_000

/**
 * Reads the applied filter, split into its span of time and the rest, and the range of the bars.
 */
export function useTimelineFilter() {
  const now = useNow(TICK_MS)
  const { query, range, view, set } = useAppParts(({ filter, preferences }) => ({
    query: filter.applied,
    ...preferences.timeline,
    set: preferences.set,
  }))
  return {
    now,
    query,
    ...splitQuery(query, now),
    range,
    view,
    setRange: (next: typeof range) => set('timeline', { range: next, view }),
    setView: (next: typeof view) => set('timeline', { range, view: next }),
  }
}

export interface CountedBars {
  readonly frame: TimelineFrame
  readonly bins: readonly Bin[]
}

/** Counts the bars after the list's first rows are read; until then, returns the last bars. */
export function useBars() {
  const { rest: query, range, now } = useTimelineFilter()
  const waits = useApp((state) => state.list.awaitsFirstPage)
  const start = useRead('timeline.start', range === 'all' && !waits ? {} : null, { keep: true })
  const first = range === 'all' ? start.output?.at : null
  const frame = first === undefined ? null : frameOf(range, now, first)
  const { output, isEarlier, problem, readAgain } = useRead(
    'timeline.read',
    waits || frame === null ? null : { query, ...frame },
    { keep: true },
  )
  const [last, setLast] = useState<CountedBars | null>(null)
  const isCounted = output !== undefined && !isEarlier && frame !== null
  const bars = isCounted ? { frame, bins: output.bins } : last
  if (isCounted && last?.bins !== output.bins) setLast(bars)
  return { bars, filling: !isCounted, problem: problem ?? start.problem, readAgain }
}
