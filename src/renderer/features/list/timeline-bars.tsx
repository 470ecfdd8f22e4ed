/** The bars of the timeline, over which a span of time is selected. */
import { useId } from 'react'
import { useApp } from '../../ui-state/use-app.ts'
import { FootButton } from '../../ui/button.tsx'
import { binAt, CLASSES, partsOf, RANGE_WORDS } from './timeline-facts.ts'
import { useBarSelection } from './bar-selection.ts'
import { BarsDrawing, barsLayout } from './bars-drawing.tsx'
import { barText, barTime, Tip, tipPlace } from './timeline-tip.tsx'
import { useTimelineFilter, type CountedBars } from './use-timeline.ts'

export function Bars({
  frame,
  bins,
  filling,
  width,
  isOpen,
}: CountedBars & {
  /** Whether the bars are of an earlier filter or range. */
  readonly filling: boolean
  /** Pixels, without the padding. */
  readonly width: number
  /** Whether the bars have an axis. */
  readonly isOpen: boolean
}) {
  const { range, setRange, view: selectedView } = useTimelineFilter()
  const showsStatistics = useApp((state) => state.filter.showsStatistics)
  const id = useId()
  const view = isOpen ? selectedView : 'verdict'
  const classes = CLASSES[view]
  const layout = barsLayout({ frame, bins }, view, isOpen, width)
  const { left, barWidth } = layout
  const { span, inSpan, current, handlers } = useBarSelection(layout)
  const last = frame.bins - 1
  const isEmpty = bins.length === 0 && !filling
  return (
    <div className="relative">
      <div
        role="slider"
        aria-label="Deliveries over time, bar"
        aria-describedby={`${id}-keys`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={current ?? last}
        aria-valuetext={barText(
          frame,
          current ?? last,
          partsOf(binAt(bins, current ?? last), view),
          classes,
        )}
        aria-busy={filling}
        tabIndex={0}
        {...handlers}
        className="block cursor-crosshair touch-none outline-offset-2 select-none"
      >
        <BarsDrawing
          layout={layout}
          bins={bins}
          width={width}
          span={span}
          inSpan={inSpan}
          current={current}
        />
      </div>
      <p id={`${id}-keys`} className="sr-only">
        Arrow keys with Shift choose a span of time, and Enter selects it.
      </p>
      {isEmpty && (
        <p className="absolute inset-x-0 top-1.5 flex items-center justify-center gap-2 text-small text-muted">
          <span className="truncate">
            {showsStatistics ? 'No statistics: no deliveries ' : 'No deliveries '}
            {range === 'all' ? 'to count' : `in the ${RANGE_WORDS[range].toLowerCase()}`}
          </span>
          {range !== 'all' && <FootButton onClick={() => setRange('all')}>Show all</FootButton>}
        </p>
      )}
      {current !== null && (
        <Tip
          time={barTime(frame, current)}
          parts={partsOf(binAt(bins, current), view)}
          classes={classes}
          left={tipPlace(left + current * barWidth, width)}
        />
      )}
    </div>
  )
}
