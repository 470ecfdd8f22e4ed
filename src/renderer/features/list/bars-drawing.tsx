/** The drawing of the timeline's bars. */
import type { CountedBars } from './use-timeline.ts'
import type { TimelineSpan } from './timeline-span.ts'
import { sumOf, type Bin } from '../../../shared/model/statistics.ts'
import {
  axisTop,
  type barsInSpan,
  CLASSES,
  labelStep,
  partsOf,
  stackOf,
  timeText,
  type TimelineFrame,
  type TimelineView,
} from './timeline-facts.ts'
import { edgeOf } from './bar-selection.ts'

/** Heights and widths in pixels. */
const SMALL_BARS_HEIGHT = 28
const BARS_HEIGHT = 56
const LABELS_HEIGHT = 20
const AXIS_WIDTH = 36
/** Distance between two bars, in pixels. */
const GAP = 2

export interface BarsLayout {
  readonly frame: TimelineFrame
  readonly view: TimelineView
  /** Whether the bars have an axis. */
  readonly isOpen: boolean
  /** Pixels: height of the bars, width of the axis, width of all bars, width per bar. */
  readonly height: number
  readonly left: number
  readonly inner: number
  readonly barWidth: number
  /** Number at the top of the axis. */
  readonly top: number
}

/** Returns the layout of bars for a width in pixels. */
export function barsLayout(
  { frame, bins }: CountedBars,
  view: TimelineView,
  isOpen: boolean,
  width: number,
): BarsLayout {
  const left = isOpen ? AXIS_WIDTH : 0
  const inner = Math.max(1, width - left)
  const maximum = Math.max(0, ...bins.map((bin) => sumOf(partsOf(bin, view))))
  return {
    frame,
    view,
    isOpen,
    height: isOpen ? BARS_HEIGHT : SMALL_BARS_HEIGHT,
    left,
    inner,
    barWidth: inner / frame.bins,
    top: axisTop(maximum),
  }
}

type BarRange = ReturnType<typeof barsInSpan>

export function BarsDrawing({
  layout,
  bins,
  width,
  span,
  inSpan,
  current,
}: {
  readonly layout: BarsLayout
  readonly bins: readonly Bin[]
  readonly width: number
  readonly span: TimelineSpan | null
  readonly inSpan: BarRange
  /** Index of the bar under the pointer or of the keys. */
  readonly current: number | null
}) {
  const { frame, isOpen, height, left, inner, barWidth, top } = layout
  const x = (index: number) => index * barWidth
  const edge = (index: number) => edgeOf(x(index), inner)
  return (
    <svg
      width={width}
      height={height + 4 + (isOpen ? LABELS_HEIGHT : 0)}
      aria-hidden
      className="block overflow-visible font-mono text-tiny"
    >
      <Hatch />
      {isOpen &&
        [top, top / 2, 0].map((value) => (
          <text
            key={value}
            x={left - 8}
            y={4 + height * (1 - value / top) + 4}
            textAnchor="end"
            className="fill-subtle"
          >
            {value.toLocaleString('en')}
          </text>
        ))}
      <g transform={`translate(${left} 4)`}>
        {span !== null && (
          <rect
            x={edge(inSpan.first)}
            y={-4}
            width={Math.max(0, edge(inSpan.last + 1) - edge(inSpan.first))}
            height={height + 4}
            className="fill-selected"
          />
        )}
        {isOpen && <line x2={inner} y1={height / 2} y2={height / 2} className="stroke-line" />}
        <BarStacks layout={layout} bins={bins} inSpan={inSpan} />
        <line x2={inner} y1={height + 0.5} y2={height + 0.5} className="stroke-edge" />
        {current !== null && (
          <rect
            x={x(current)}
            y={-4}
            width={barWidth}
            height={height + 4}
            className="fill-text"
            opacity={0.08}
          />
        )}
        {span !== null && <SpanHandles layout={layout} inSpan={inSpan} />}
        {isOpen && <AxisLabels frame={frame} x={x} inner={inner} />}
      </g>
    </svg>
  )
}

function Hatch() {
  return (
    <defs>
      <pattern
        id="timeline-hatch"
        width="4"
        height="4"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width="4" height="4" fill="var(--mark-red)" />
        <rect width="1.6" height="4" fill="var(--ground)" />
      </pattern>
    </defs>
  )
}

function BarStacks({
  layout: { frame, view, height, barWidth, top },
  bins,
  inSpan,
}: {
  readonly layout: BarsLayout
  readonly bins: readonly Bin[]
  readonly inSpan: BarRange
}) {
  const last = frame.bins - 1
  const isInSpan = (index: number) => index >= inSpan.first && index <= inSpan.last
  return [true, false].map((selected) => (
    <g key={String(selected)} opacity={selected ? 1 : 0.45}>
      {CLASSES[view].map(({ word, paint, isHatched }, part) => (
        <path
          key={word}
          fill={isHatched === true ? 'url(#timeline-hatch)' : paint}
          d={bins
            .filter(({ index }) => index >= 0 && index <= last && isInSpan(index) === selected)
            .map((bin) => {
              const segment = stackOf(partsOf(bin, view), top, height)[part]
              const drawnWidth = Math.max(1, barWidth - GAP)
              return segment === undefined || segment.height === 0
                ? ''
                : `M${bin.index * barWidth + GAP / 2} ${height - segment.y}h${drawnWidth}v${-segment.height}h${-drawnWidth}z`
            })
            .join('')}
        />
      ))}
    </g>
  ))
}

function SpanHandles({
  layout: { frame, height, inner, barWidth },
  inSpan,
}: {
  readonly layout: BarsLayout
  readonly inSpan: BarRange
}) {
  return [inSpan.first, inSpan.last + 1]
    .filter((index) => index >= 0 && index <= frame.bins)
    .map((index) => (
      <g key={index} transform={`translate(${edgeOf(index * barWidth, inner)} 0)`}>
        <line y1={-4} y2={height} strokeWidth={1.5} className="stroke-accent" />
        <rect x={-3} y={height / 2 - 8} width={6} height={16} rx={3} className="fill-accent" />
      </g>
    ))
}

/** Space kept free for "now", in pixels. */
const NOW_ROOM = 56

function AxisLabels({
  frame,
  x,
  inner,
}: {
  readonly frame: TimelineFrame
  readonly x: (index: number) => number
  readonly inner: number
}) {
  const { start, width, bins } = frame
  const { step, first } = labelStep(frame, Math.max(2, Math.floor(inner / 150)))
  const places = Array.from(
    { length: Math.max(0, Math.ceil((bins - first) / step)) },
    (_, label) => first + label * step,
  ).filter((index) => x(index) < inner - NOW_ROOM)
  const y = BARS_HEIGHT + 15
  return (
    <>
      {places.map((index) => (
        <text
          key={index}
          x={x(index)}
          y={y}
          textAnchor={x(index) < 20 ? 'start' : 'middle'}
          className="fill-subtle"
        >
          {timeText(start + index * width, width)}
        </text>
      ))}
      <text x={inner} y={y} textAnchor="end" className="fill-subtle">
        now
      </text>
    </>
  )
}
