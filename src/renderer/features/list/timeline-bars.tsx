/** The bars of the timeline, the span selected over them, and the same counts as a table. */
import { useId, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import { sumOf } from '../../../shared/model/statistics.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { useNow } from '../../ui/use-now.ts'
import {
  axisTop,
  barsInSpan,
  binAt,
  CLASSES,
  labelStep,
  partsOf,
  RANGE_WORDS,
  spanOfBars,
  shownSpan,
  splitQuery,
  stackOf,
  timeText,
  type TimelineClass,
  type TimelineFrame,
  type TimelineSpan,
} from './timeline-facts.ts'

const HEIGHT = 44
const LABELS = 20
const TIP_WIDTH = 172
/** Between two bars, in pixels. */
const GAP = 2
/** How often the time range moves forward. */
export const TICK_MS = 15_000

/** The selected span of the filter, and as text. */
export function useSpan(): { readonly span: TimelineSpan | null; readonly text: string } {
  const now = useNow(TICK_MS)
  const query = useApp((state) => state.filter.applied)
  const { span } = splitQuery(query, now)
  return { span, text: span === null ? '' : shownSpan(span, now) }
}

export function Swatch({ of: { paint, isHatched } }: { readonly of: TimelineClass }) {
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

export function Bars({
  frame,
  width,
  isNarrow,
}: {
  readonly frame: TimelineFrame
  /** Without the padding. */
  readonly width: number
  readonly isNarrow: boolean
}) {
  const { bins, filling, selectSpan, setRange } = useParts(
    'timeline',
    'bins',
    'filling',
    'selectSpan',
    'setRange',
  )
  const { range, view } = useApp((state) => state.preferences.timeline)
  const { span: known } = useSpan()
  const id = useId()
  const [drag, setDrag] = useState<Drag | null>(null)
  const [chosen, setChosen] = useState<number | null>(null)
  /** Where Shift with an arrow key started. */
  const anchor = useRef<number | null>(null)
  const left = isNarrow ? 0 : 36
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
  const press = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (by !== undefined) {
      event.preventDefault()
      event.stopPropagation()
      const before = chosen ?? last + (by > 0 ? 0 : 1)
      const next = Math.min(last, Math.max(0, before + by))
      if (event.shiftKey) {
        anchor.current ??= chosen ?? next
        setDrag({ from: anchor.current, to: next })
      } else {
        anchor.current = null
        setDrag(null)
      }
      setChosen(next)
    } else if (event.key === 'Enter' && (drag !== null || chosen !== null)) {
      event.preventDefault()
      event.stopPropagation()
      const one = chosen ?? last
      selectSpan(
        drag === null ? spanOfBars(frame, one, one) : spanOfBars(frame, drag.from, drag.to),
      )
      anchor.current = null
      setDrag(null)
    } else if (event.key === 'Escape' && (chosen !== null || drag !== null || known !== null)) {
      event.stopPropagation()
      if (drag === null && chosen === null) selectSpan(null)
      anchor.current = null
      setDrag(null)
      setChosen(null)
    }
  }
  /** Shift was released: the span is complete. */
  const release = (event: KeyboardEvent) => {
    if (event.key !== 'Shift' || anchor.current === null) return
    anchor.current = null
    finish()
  }

  const labels = labelStep(frame, Math.max(2, Math.floor(inner / 150)))
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
        aria-valuetext={barText(frame, chosen ?? last, sumOf(binAt(bins, chosen ?? last).verdicts))}
        aria-busy={filling}
        tabIndex={0}
        onKeyDown={press}
        onKeyUp={release}
        onBlur={() => {
          anchor.current = null
          setDrag(null)
          setChosen(null)
        }}
        onPointerDown={begin}
        onPointerMove={(event) => {
          const bar = barAt(event)
          setChosen(bar)
          if (drag !== null && anchor.current === null && drag.to !== bar)
            setDrag({ ...drag, to: bar })
        }}
        onPointerUp={() => {
          if (anchor.current === null) finish()
        }}
        onPointerCancel={() => setDrag(null)}
        onPointerLeave={() => setChosen(null)}
        className="block cursor-crosshair touch-none outline-offset-2 select-none"
      >
        <svg
          width={width}
          height={HEIGHT + 4 + LABELS}
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
          {!isNarrow &&
            [top, top / 2, 0].map((value) => (
              <text
                key={value}
                x={left - 8}
                y={4 + HEIGHT * (1 - value / top) + 4}
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
                height={HEIGHT + 4}
                className="fill-selected"
              />
            )}
            <line x2={inner} y1={HEIGHT / 2} y2={HEIGHT / 2} className="stroke-line" />
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
                        const { y, height } = stackOf(partsOf(bin, view), top, HEIGHT)[part] ?? {
                          y: 0,
                          height: 0,
                        }
                        return height === 0
                          ? ''
                          : `M${x(bin.index) + GAP / 2} ${HEIGHT - y}h${Math.max(1, place - GAP)}v${-height}h${-Math.max(1, place - GAP)}z`
                      })
                      .join('')}
                  />
                ))}
              </g>
            ))}
            <line x2={inner} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} className="stroke-edge" />
            {chosen !== null && (
              <rect
                x={x(chosen)}
                y={-4}
                width={place}
                height={HEIGHT + 4}
                className="fill-text"
                opacity={0.08}
              />
            )}
            {span !== null &&
              [inSpan.first, inSpan.last + 1]
                .filter((index) => index >= 0 && index <= frame.bins)
                .map((index) => (
                  <g key={index} transform={`translate(${edge(index)} 0)`}>
                    <line y1={-4} y2={HEIGHT} strokeWidth={1.5} className="stroke-accent" />
                    <rect
                      x={-3}
                      y={HEIGHT / 2 - 8}
                      width={6}
                      height={16}
                      rx={3}
                      className="fill-accent"
                    />
                  </g>
                ))}
            <AxisLabels
              frame={frame}
              {...labels}
              x={x}
              span={span}
              edge={edge(inSpan.first)}
              inner={inner}
            />
          </g>
        </svg>
      </div>
      <p id={`${id}-keys`} className="sr-only">
        Arrow keys with Shift select a span of time.
      </p>
      {isEmpty && (
        <p className="absolute inset-x-0 top-3 flex items-center justify-center gap-2 text-small text-muted">
          <span>
            {range === 'all'
              ? 'No deliveries to count'
              : `No deliveries in the ${RANGE_WORDS[range].toLowerCase()}`}
          </span>
          {range !== 'all' && (
            <Button kind="plain" onClick={() => setRange('all')}>
              Show all
            </Button>
          )}
        </p>
      )}
      {chosen !== null && (
        <Tip frame={frame} index={chosen} left={tipPlace(left + x(chosen), width)} />
      )}
      <BarTable frame={frame} />
    </div>
  )
}

function barText({ start, width, bins }: TimelineFrame, index: number, count: number): string {
  const at = start + index * width
  const end = index >= bins - 1 ? 'now' : timeText(at + width, width)
  return `${timeText(at, width)} to ${end}: ${count === 1 ? '1 delivery' : `${count.toLocaleString('en')} deliveries`}`
}

/** Room around the start of the span and around "now". */
const LABEL_ROOM = 56

function AxisLabels({
  frame: { start, width, bins },
  step,
  first,
  x,
  span,
  edge,
  inner,
}: {
  readonly frame: TimelineFrame
  readonly step: number
  readonly first: number
  readonly x: (index: number) => number
  readonly span: TimelineSpan | null
  readonly edge: number
  readonly inner: number
}) {
  const y = HEIGHT + 15
  const isMarked =
    span !== null && span.from !== null && span.from > start && edge < inner - LABEL_ROOM
  const places: number[] = []
  for (let index = first; index < bins; index += step)
    if (x(index) < inner - LABEL_ROOM && !(isMarked && Math.abs(x(index) - edge) < LABEL_ROOM))
      places.push(index)
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
      {isMarked && (
        <text
          x={edge}
          y={y}
          textAnchor={edge < 20 ? 'start' : 'middle'}
          className="fill-accent font-medium"
        >
          {timeText(span.from ?? 0, width)}
        </text>
      )}
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
  frame,
  index,
  left,
}: {
  readonly frame: TimelineFrame
  readonly index: number
  readonly left: number
}) {
  const bins = useApp((state) => state.timeline.bins)
  const view = useApp((state) => state.preferences.timeline.view)
  const bin = binAt(bins, index)
  const parts = partsOf(bin, view)
  return (
    <div
      role="tooltip"
      style={{ left, width: TIP_WIDTH }}
      className="pointer-events-none absolute top-full z-20 rounded-control border border-edge bg-raised px-3 py-2 text-small shadow-overlay"
    >
      <p className="data mb-1 text-muted">
        {barText(frame, index, sumOf(bin.verdicts)).split(': ')[0]?.replace(' to ', ' – ')}
      </p>
      {CLASSES[view].map((part, place) => (
        <p key={part.word} className="flex h-5 items-center gap-1.5">
          <Swatch of={part} />
          <span className="flex-1 text-muted">{part.word}</span>
          <span className="data">{(parts[place] ?? 0).toLocaleString('en')}</span>
        </p>
      ))}
    </div>
  )
}

/** The same for screen readers: bars without deliveries are left out. */
function BarTable({ frame }: { readonly frame: TimelineFrame }) {
  const bins = useApp((state) => state.timeline.bins)
  const view = useApp((state) => state.preferences.timeline.view)
  return (
    <table className="sr-only">
      <caption>Deliveries over time, newest first</caption>
      <thead>
        <tr>
          {['Time', ...CLASSES[view].map(({ word }) => word)].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {bins.toReversed().map((bin) => (
          <tr key={bin.index}>
            <th scope="row">{timeText(frame.start + bin.index * frame.width, frame.width)}</th>
            {partsOf(bin, view).map((count, part) => (
              <td key={CLASSES[view][part]?.word}>{count}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
