/** The timeline above the list: its range, what its bars are divided by, their legend, and the statistics panel below. */
import { ChartNoAxesColumn, ChevronDown, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { TIMELINE_RANGES } from '../../state/preferences-slice.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ButtonMenu, MenuItem } from '../../ui/menu.tsx'
import { Segments } from '../../ui/segments.tsx'
import { CountProblem, GROUPING_OPTIONS, StatisticsTable } from '../../ui/statistics-table.tsx'
import { useWidth } from '../../ui/use-place.ts'
import { Bars, Swatch, TICK_MS, useSpan } from './timeline-bars.tsx'
import {
  barsInSpan,
  CLASSES,
  RANGE_WORDS,
  totalParts,
  type TimelineRange,
  type TimelineView,
} from './timeline-facts.ts'
import type { Grouping } from '../../../shared/model/statistics.ts'

/** Below this width in pixels, the head has no legend, and the bars no axis. */
const NARROW = 700
/** Below this width, the legend needs the room of the word on the button. */
const TIGHT = 900

/** Nothing is shown before the first delivery. */
export function Timeline() {
  const hasDeliveries = useApp((state) => (state.core.status?.store.deliveries ?? 0) > 0)
  return hasDeliveries ? <TimelineStrip /> : null
}

function TimelineStrip() {
  const { ref, width: measured } = useWidth()
  const width = measured ?? 0
  const { frame, problem, reload } = useParts('timeline', 'frame', 'problem', 'reload')
  const isOpen = useApp((state) => state.timeline.statistics !== null)
  const changed = useApp((state) => state.timeline.changed)
  useEffect(() => {
    const timer = setInterval(changed, TICK_MS)
    return () => clearInterval(timer)
  }, [changed])
  const isNarrow = width < NARROW
  return (
    <section
      ref={ref}
      aria-label="Timeline"
      className="shrink-0 border-b border-line bg-ground px-4 pt-2 pb-1"
    >
      {width > 0 && <TimelineHead isNarrow={isNarrow} isTight={width < TIGHT} />}
      {problem !== null ? (
        <div className="h-16">
          <CountProblem counted="deliveries" problem={problem} onRetry={reload} />
        </div>
      ) : frame === null || width === 0 ? (
        <div className="h-16">
          <div className="late mt-2 skeleton h-11" />
        </div>
      ) : (
        <Bars frame={frame} width={width - 32} isNarrow={isNarrow} />
      )}
      {isOpen && <StatisticsPanel />}
    </section>
  )
}

const views = [
  { value: 'verdict', label: 'Verdict' },
  { value: 'response', label: 'Response' },
] as const satisfies readonly { value: TimelineView; label: string }[]

function TimelineHead({
  isNarrow,
  isTight,
}: {
  readonly isNarrow: boolean
  readonly isTight: boolean
}) {
  const { frame, bins, statistics, setView, setRange, selectSpan, toggleStatistics } = useApp(
    (state) => state.timeline,
  )
  const { range, view } = useApp((state) => state.preferences.timeline)
  const { span, text } = useSpan()
  // Before they are counted there are no totals: a zero would claim that nothing was received.
  const totals = frame === null ? null : totalParts(bins, barsInSpan(frame, span), view)
  const legend = (
    <ul className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1">
      {CLASSES[view].map((part, index) => (
        <li
          key={part.word}
          title={part.doc}
          className="flex shrink-0 items-center gap-1.5 text-muted"
        >
          <Swatch of={part} />
          {part.word}
          {totals !== null && (
            <span className="data font-medium text-text">
              {(totals[index] ?? 0).toLocaleString('en')}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
  return (
    <div className="mb-2 flex min-h-7 flex-wrap items-center gap-x-4 gap-y-1 text-small">
      <RangeMenu range={range} onRange={setRange} />
      <Segments label="Bars by" options={views} value={view} onChange={setView} />
      {!isNarrow && legend}
      <span className="flex-1" />
      {span !== null && !isNarrow && (
        <span className="flex shrink-0 items-center gap-1 font-medium text-accent">
          <span className="data">{text}</span>
          <IconButton
            label="Clear the time span"
            icon={<X size={14} aria-hidden />}
            onClick={() => selectSpan(null)}
          />
        </span>
      )}
      {isTight ? (
        <IconButton
          label="Statistics"
          icon={<ChartNoAxesColumn size={14} aria-hidden />}
          aria-expanded={statistics !== null}
          onClick={toggleStatistics}
        />
      ) : (
        <Button
          kind="quiet"
          icon={<ChartNoAxesColumn size={14} aria-hidden />}
          aria-expanded={statistics !== null}
          onClick={toggleStatistics}
        >
          Statistics
        </Button>
      )}
    </div>
  )
}

function RangeMenu({
  range,
  onRange,
}: {
  readonly range: TimelineRange
  readonly onRange: (range: TimelineRange) => void
}) {
  return (
    <ButtonMenu
      align="start"
      look="min-w-36"
      trigger={
        <button
          type="button"
          className="inline-flex h-6 shrink-0 items-center gap-1 font-medium text-text"
        >
          <span className="sr-only">Time range: </span>
          {RANGE_WORDS[range]}
          <ChevronDown size={14} aria-hidden className="text-muted" />
        </button>
      }
    >
      {TIMELINE_RANGES.map((one) => (
        <MenuItem key={one} onClick={() => onRange(one)}>
          {RANGE_WORDS[one]}
        </MenuItem>
      ))}
    </ButtonMenu>
  )
}

// Statistics of the deliveries that the timeline shows: volume, shares and response times, as a whole and in groups.

function StatisticsPanel() {
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
