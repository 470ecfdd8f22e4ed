/** The timeline above the list, with its legend and statistics. */
import { ChartColumn, ChevronDown, X } from 'lucide-react'
import { useRead } from '../../core-data/use-read.ts'
import { TIMELINE_RANGES } from '../../ui-state/preferences-slice.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ButtonMenu, MenuItem } from '../../ui/menu.tsx'
import { Segments } from '../../ui/segments.tsx'
import { CountProblem, StatisticsSection } from '../../connected/statistics-table.tsx'
import { useWidth } from '../../ui/use-place.ts'
import {
  barsInSpan,
  CLASSES,
  frameOf,
  RANGE_WORDS,
  totalParts,
  type TimelineView,
} from './timeline-facts.ts'
import { shownSpan, withSpan } from './timeline-span.ts'
import { Bars } from './timeline-bars.tsx'
import { Swatch } from './timeline-tip.tsx'
import { useBars, useTimelineFilter, type CountedBars } from './use-timeline.ts'

export function Timeline() {
  const { ref, width } = useWidth()
  const { bars, filling, problem, readAgain } = useBars()
  const { showsStatistics, toggleStatistics } = useParts(
    'filter',
    'showsStatistics',
    'toggleStatistics',
  )
  const { span } = useTimelineFilter()
  // Without deliveries, one line says so.
  const isOpen = showsStatistics && !(bars?.bins.length === 0 && span === null)
  return (
    <section
      aria-label="Timeline"
      className="@container shrink-0 border-b border-line bg-ground px-4"
    >
      <div className="flex flex-wrap items-center gap-x-2">
        {isOpen && <TimelineHead bars={problem === null ? bars : null} />}
        <div
          ref={ref}
          className={isOpen ? 'order-1 min-h-20 w-full' : 'h-[35px] min-w-0 flex-1 basis-0'}
        >
          {problem !== null ? (
            // The list below says why.
            <div title={problem} className="mt-1">
              <CountProblem counted="deliveries" onRetry={readAgain} />
            </div>
          ) : bars === null || width === null ? (
            <div className="late mt-1 skeleton h-7" />
          ) : (
            <Bars {...bars} filling={filling} width={width} isOpen={isOpen} />
          )}
        </div>
        <span className="-mr-1 flex h-9 shrink-0 items-center gap-1 self-start">
          <SpanMenu />
          <IconButton
            label="Statistics"
            icon={ChartColumn}
            aria-expanded={showsStatistics}
            pressed={showsStatistics}
            onClick={toggleStatistics}
          />
        </span>
      </div>
      {isOpen && <Statistics />}
    </section>
  )
}

const views = [
  { value: 'verdict', label: 'Verdict' },
  { value: 'response', label: 'Response' },
] as const satisfies readonly { value: TimelineView; label: string }[]

/**
 * Shows the choice between verdicts and responses as parts of the bars, and the legend with sums.
 */
function TimelineHead({ bars }: { readonly bars: CountedBars | null }) {
  const { span, view, setView } = useTimelineFilter()
  // No totals before the first count: zero would claim that nothing was received.
  const totals = bars && totalParts(bars.bins, barsInSpan(bars.frame, span), view)
  return (
    <div className="flex min-h-9 min-w-0 flex-1 basis-0 items-center gap-x-4 text-small">
      <Segments label="Bars by" options={views} value={view} onChange={setView} />
      <ul className="flex min-w-0 flex-wrap gap-x-4">
        {CLASSES[view].map((part, index) => (
          <li
            key={part.word}
            title={part.doc}
            className="flex shrink-0 items-baseline gap-1.5 text-muted"
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
    </div>
  )
}

/** Shows the range of the bars, and the filter's span with a button that clears it. */
function SpanMenu() {
  const selectSpan = useApp((state) => state.filter.selectSpan)
  const { span, now, range, setRange } = useTimelineFilter()
  return (
    <>
      {span !== null && (
        <span className="flex shrink-0 items-center text-small font-medium text-accent">
          <span className="data @max-[700px]:sr-only">{shownSpan(span, now)}</span>
          <IconButton label="Clear the time span" icon={X} onClick={() => selectSpan(null)} />
        </span>
      )}
      <ButtonMenu
        className="min-w-36"
        trigger={
          <Button kind="quiet" className="gap-1 px-1 text-small font-normal">
            <span className="sr-only">Time range: </span>
            {RANGE_WORDS[range]}
            <ChevronDown size={12} />
          </Button>
        }
      >
        {TIMELINE_RANGES.map((choice) => (
          <MenuItem key={choice} onClick={() => setRange(choice)}>
            {RANGE_WORDS[choice]}
          </MenuItem>
        ))}
      </ButtonMenu>
    </>
  )
}

function Statistics() {
  const { query, span, range, now } = useTimelineFilter()
  const waits = useApp((state) => state.list.awaitsFirstPage)
  const shown =
    span !== null || range === 'all'
      ? query
      : withSpan(query, { from: frameOf(range, now, null).start, to: null }, now)
  const read = useRead('statistics.read', waits ? null : { query: shown }, { keep: true })
  return (
    <StatisticsSection
      of="deliveries"
      span={span === null ? RANGE_WORDS[range].toLowerCase() : shownSpan(span, now)}
      {...read}
      className="border-t border-line"
    />
  )
}
