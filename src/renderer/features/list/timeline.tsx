/**
 * The timeline above the list: small bars by verdict that open into bars with an axis, their legend, and statistics. A span of time
 * is selected over the bars.
 */
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useId, useState, type KeyboardEvent, type PointerEvent } from 'react'
import { sumOf, type Bin } from '../../../shared/model/statistics.ts'
import { counted } from '../../../shared/text/counted.ts'
import { useRead } from '../../core-data/use-read.ts'
import { TIMELINE_RANGES } from '../../ui-state/preferences-slice.ts'
import { useApp, useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button, FootButton, IconButton } from '../../ui/button.tsx'
import { ButtonMenu, MenuItem } from '../../ui/menu.tsx'
import { Segments } from '../../ui/segments.tsx'
import { CountProblem, StatisticsSection } from '../../ui/statistics-table.tsx'
import { useNow } from '../../ui/moment.ts'
import { useWidth } from '../../ui/use-place.ts'
import {
  axisTop,
  barsInSpan,
  binAt,
  CLASSES,
  frameOf,
  labelStep,
  partsOf,
  RANGE_WORDS,
  shownSpan,
  spanOfBars,
  splitQuery,
  stackOf,
  timeText,
  totalParts,
  withSpan,
  type TimelineClass,
  type TimelineFrame,
  type TimelineView,
} from './timeline-facts.ts'

/** Height of the bars, in pixels. */
const SPARKLINE = 28
const BARS = 56
const LABELS = 20
const AXIS = 36
const TIP_WIDTH = 172
/** Between two bars, in pixels. */
const GAP = 2
/** How often the time range moves forward. */
const TICK_MS = 15_000

/** The filter at this time, apart from the span that it selects, and that span; and what the bars are. */
function useChosen() {
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

interface CountedBars {
  readonly frame: TimelineFrame
  readonly bins: readonly Bin[]
}

/** The bars of the filter and range; until they are counted, those counted last. The list's first rows come before any count. */
function useBars() {
  const { rest: query, range, now } = useChosen()
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

export function Timeline() {
  const { ref, width } = useWidth()
  const { bars, filling, problem, readAgain } = useBars()
  const { showsStatistics: isOpen, toggleStatistics } = useParts(
    'filter',
    'showsStatistics',
    'toggleStatistics',
  )
  return (
    <section
      ref={ref}
      aria-label="Timeline"
      className="shrink-0 border-b border-line bg-ground px-4"
    >
      {isOpen && <TimelineHead bars={problem === null ? bars : null} />}
      <div className="flex items-start gap-2">
        <div className={`min-w-0 flex-1 ${isOpen ? 'min-h-20' : 'h-[35px]'}`}>
          {problem !== null ? (
            <CountProblem counted="deliveries" problem={problem} onRetry={readAgain} />
          ) : bars === null || width === null ? (
            <div className="late mt-1 skeleton h-7" />
          ) : (
            <Bars
              {...bars}
              filling={filling}
              width={Math.max(0, width - 32 - 36)}
              isOpen={isOpen}
            />
          )}
        </div>
        <IconButton
          label="Statistics"
          icon={isOpen ? ChevronUp : ChevronDown}
          aria-expanded={isOpen}
          className="mt-1 -mr-1"
          onClick={toggleStatistics}
        />
      </div>
      {isOpen && <Statistics />}
    </section>
  )
}

const views = [
  { value: 'verdict', label: 'Verdict' },
  { value: 'response', label: 'Response' },
] as const satisfies readonly { value: TimelineView; label: string }[]

/** What the bars are divided by, and the legend with their sums. */
function TimelineHead({ bars }: { readonly bars: CountedBars | null }) {
  const { span, view, setView } = useChosen()
  // Before they are counted there are no totals: a zero would claim that nothing was received.
  const totals = bars && totalParts(bars.bins, barsInSpan(bars.frame, span), view)
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 py-1 text-small">
      <Segments label="Bars by" options={views} value={view} onChange={setView} />
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
    </div>
  )
}

/** The range of the bars; or the span that the filter selects, and how to clear it. */
export function SpanMenu() {
  const selectSpan = useApp((state) => state.filter.selectSpan)
  const { span, now, range, setRange } = useChosen()
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
          <Button kind="quiet" className="px-1.5 font-normal">
            <span className="sr-only">Time range: </span>
            {RANGE_WORDS[range]}
            <ChevronDown size={13} />
          </Button>
        }
      >
        {TIMELINE_RANGES.map((one) => (
          <MenuItem key={one} onClick={() => setRange(one)}>
            {RANGE_WORDS[one]}
          </MenuItem>
        ))}
      </ButtonMenu>
    </>
  )
}

function Swatch({ of: { paint, isHatched } }: { readonly of: TimelineClass }) {
  const background =
    isHatched === true
      ? `repeating-linear-gradient(45deg, ${paint} 0 2px, var(--ground) 2px 3.5px)`
      : paint
  return <span aria-hidden className="size-2 rounded-[2px]" style={{ background }} />
}

/** Between which bars the pointer drags. */
interface Drag {
  readonly from: number
  readonly to: number
}

function Bars({
  frame,
  bins,
  filling,
  width,
  isOpen,
}: CountedBars & {
  /** Whether they are of an earlier filter or range. */
  readonly filling: boolean
  /** Without the padding. */
  readonly width: number
  /** Whether they have an axis. */
  readonly isOpen: boolean
}) {
  const selectSpan = useApp((state) => state.filter.selectSpan)
  const { span: known, range, setRange, ...chosenBars } = useChosen()
  const view = isOpen ? chosenBars.view : 'verdict'
  const height = isOpen ? BARS : SPARKLINE
  const id = useId()
  const [drag, setDrag] = useState<Drag | null>(null)
  const [chosen, setChosen] = useState<number | null>(null)
  const left = isOpen ? AXIS : 0
  const inner = Math.max(1, width - left)
  const place = inner / frame.bins
  const classes = CLASSES[view]
  const most = Math.max(0, ...bins.map((bin) => sumOf(partsOf(bin, view))))
  const top = axisTop(most)
  const span = drag === null ? known : spanOfBars(frame, drag.from, drag.to)
  const inSpan = barsInSpan(frame, span)
  const isInSpan = (index: number) => index >= inSpan.first && index <= inSpan.last
  const last = frame.bins - 1
  const x = (index: number) => index * place
  const edge = (index: number) => Math.min(inner, Math.max(0, x(index)))

  const barAt = (event: PointerEvent<HTMLElement>) => {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left - left
    return Math.min(last, Math.max(0, Math.floor(at / place)))
  }
  const finish = () => {
    if (drag !== null) selectSpan(spanOfBars(frame, drag.from, drag.to))
    setDrag(null)
  }
  /** Dragging near an end of the span moves that end. */
  const begin = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const bar = barAt(event)
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left - left
    const isNear = (index: number) => Math.abs(at - edge(index)) <= 6
    if (known !== null && isNear(inSpan.first))
      setDrag({ from: Math.min(last, inSpan.last), to: bar })
    else if (known !== null && isNear(inSpan.last + 1))
      setDrag({ from: Math.max(0, inSpan.first), to: bar })
    else setDrag({ from: bar, to: bar })
  }
  const leave = () => {
    setDrag(null)
    setChosen(null)
  }
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (by !== undefined) {
      const before = chosen ?? last + (by > 0 ? 0 : 1)
      const next = Math.min(last, Math.max(0, before + by))
      setDrag(event.shiftKey ? { from: drag?.from ?? chosen ?? next, to: next } : null)
      setChosen(next)
    } else if (event.key === 'Enter' && chosen !== null) {
      selectSpan(spanOfBars(frame, drag?.from ?? chosen, chosen))
      setDrag(null)
    } else if (event.key === 'Escape' && (chosen !== null || known !== null)) {
      if (chosen === null) selectSpan(null)
      leave()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  const isEmpty = bins.length === 0 && !filling
  return (
    <div className="relative">
      <div
        role="slider"
        aria-label="Deliveries over time, bar"
        aria-describedby={`${id}-keys`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={chosen ?? last}
        aria-valuetext={barText(
          frame,
          chosen ?? last,
          partsOf(binAt(bins, chosen ?? last), view),
          classes,
        )}
        aria-busy={filling}
        tabIndex={0}
        onKeyDown={press}
        onBlur={leave}
        onPointerDown={begin}
        onPointerMove={(event) => {
          const bar = barAt(event)
          setChosen(bar)
          if (drag !== null && event.buttons === 1) setDrag({ ...drag, to: bar })
        }}
        onPointerUp={finish}
        onPointerCancel={() => setDrag(null)}
        onPointerLeave={() => setChosen(null)}
        className="block cursor-crosshair touch-none outline-offset-2 select-none"
      >
        <svg
          width={width}
          height={height + 4 + (isOpen ? LABELS : 0)}
          aria-hidden
          className="block overflow-visible font-mono text-tiny"
        >
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
            {[true, false].map((selected) => (
              <g key={String(selected)} opacity={selected ? 1 : 0.45}>
                {classes.map(({ word, paint, isHatched }, part) => (
                  <path
                    key={word}
                    fill={isHatched === true ? 'url(#timeline-hatch)' : paint}
                    d={bins
                      .filter(
                        ({ index }) => index >= 0 && index <= last && isInSpan(index) === selected,
                      )
                      .map((bin) => {
                        const one = stackOf(partsOf(bin, view), top, height)[part]
                        const barWidth = Math.max(1, place - GAP)
                        return one === undefined || one.height === 0
                          ? ''
                          : `M${x(bin.index) + GAP / 2} ${height - one.y}h${barWidth}v${-one.height}h${-barWidth}z`
                      })
                      .join('')}
                  />
                ))}
              </g>
            ))}
            <line x2={inner} y1={height + 0.5} y2={height + 0.5} className="stroke-edge" />
            {chosen !== null && (
              <rect
                x={x(chosen)}
                y={-4}
                width={place}
                height={height + 4}
                className="fill-text"
                opacity={0.08}
              />
            )}
            {span !== null &&
              [inSpan.first, inSpan.last + 1]
                .filter((index) => index >= 0 && index <= frame.bins)
                .map((index) => (
                  <g key={index} transform={`translate(${edge(index)} 0)`}>
                    <line y1={-4} y2={height} strokeWidth={1.5} className="stroke-accent" />
                    <rect
                      x={-3}
                      y={height / 2 - 8}
                      width={6}
                      height={16}
                      rx={3}
                      className="fill-accent"
                    />
                  </g>
                ))}
            {isOpen && <AxisLabels frame={frame} x={x} inner={inner} />}
          </g>
        </svg>
      </div>
      <p id={`${id}-keys`} className="sr-only">
        Arrow keys with Shift choose a span of time, and Enter selects it.
      </p>
      {isEmpty && (
        <p className="absolute inset-x-0 top-1.5 flex items-center justify-center gap-2 text-small text-muted">
          <span>
            {range === 'all'
              ? 'No deliveries to count'
              : `No deliveries in the ${RANGE_WORDS[range].toLowerCase()}`}
          </span>
          {range !== 'all' && <FootButton onClick={() => setRange('all')}>Show all</FootButton>}
        </p>
      )}
      {chosen !== null && (
        <Tip
          time={barTime(frame, chosen)}
          parts={partsOf(binAt(bins, chosen), view)}
          classes={classes}
          left={tipPlace(left + x(chosen), width)}
        />
      )}
    </div>
  )
}

/** `14:32 to 14:33: 3 deliveries, 2 valid, 1 invalid`. */
function barText(
  frame: TimelineFrame,
  index: number,
  parts: readonly number[],
  classes: readonly TimelineClass[],
): string {
  const each = parts.flatMap((count, part) =>
    count === 0 ? [] : `${count.toLocaleString('en')} ${classes[part]?.word.toLowerCase() ?? ''}`,
  )
  return `${barTime(frame, index)}: ${[counted(sumOf(parts), 'delivery', 'deliveries'), ...each].join(', ')}`
}

function barTime({ start, width, bins }: TimelineFrame, index: number): string {
  const at = start + index * width
  return `${timeText(at, width)} to ${index >= bins - 1 ? 'now' : timeText(at + width, width)}`
}

/** Room before "now", in pixels. */
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
  const y = BARS + 15
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

/** Right of the bar if there is room, otherwise left of it. */
function tipPlace(at: number, width: number): number {
  const right = at + 24
  return right + TIP_WIDTH <= width ? right : Math.max(0, at - TIP_WIDTH - 8)
}

function Tip({
  time,
  parts,
  classes,
  left,
}: {
  readonly time: string
  readonly parts: readonly number[]
  readonly classes: readonly TimelineClass[]
  readonly left: number
}) {
  return (
    <div
      role="tooltip"
      style={{ left, width: TIP_WIDTH }}
      className="pointer-events-none absolute top-full z-20 rounded-control border border-edge bg-raised px-3 py-2 text-small shadow-overlay"
    >
      <p className="data mb-1 text-muted">{time.replace(' to ', ' – ')}</p>
      {classes.map((part, place) => (
        <p key={part.word} className="flex h-5 items-center gap-1.5">
          <Swatch of={part} />
          <span className="flex-1 text-muted">{part.word}</span>
          <span className="data">{(parts[place] ?? 0).toLocaleString('en')}</span>
        </p>
      ))}
    </div>
  )
}

function Statistics() {
  const { query, span, range, now } = useChosen()
  const waits = useApp((state) => state.list.awaitsFirstPage)
  const shown =
    span !== null || range === 'all'
      ? query
      : withSpan(query, { from: frameOf(range, now, null).start, to: null }, now)
  const read = useRead('statistics.read', waits ? null : { query: shown }, { keep: true })
  return <StatisticsSection of="deliveries" {...read} className="border-t border-line" />
}
