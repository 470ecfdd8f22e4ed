/** Response times of the last hour by minute: two lines in SVG with failures below. */
import type { HandlerPage } from '../../../shared/model/handler.ts'
import { clockTime, milliseconds } from '../../ui/moment.ts'
import { useWidth } from '../../ui/use-place.ts'
import { linePath, scaleOf } from './chart-scale.ts'
import { PageSection } from './handler-parts.tsx'

const PLOT = { left: 52, right: 20, top: 8, height: 120, failed: 16, axis: 20 }
const HEIGHT = PLOT.top + PLOT.height + PLOT.failed + PLOT.axis + 4

/** Fewer minutes with requests draw no line worth a look. */
const FEWEST_POINTS = 10

const lines = [
  { name: 'p95', words: '95% within', stroke: 'stroke-mark-violet', mark: 'bg-mark-violet' },
  { name: 'p50', words: 'median', stroke: 'stroke-mark-blue', mark: 'bg-mark-blue' },
] as const

const valueWords = (page: HandlerPage, { name, words }: (typeof lines)[number]) =>
  `${words} ${milliseconds(page[name] ?? 0)} ms`

/** Shows response times once enough minutes of the hour have requests. */
export function ResponseTimes({ page }: { readonly page: HandlerPage }) {
  const { ref, width } = useWidth()
  if (page.minutes.filter(({ count }) => count > 0).length < FEWEST_POINTS) return null
  return (
    <PageSection
      name="Response time"
      note="Last hour, ms, by minute"
      action={lines.map((line) => (
        <span key={line.name} className="flex shrink-0 items-center gap-1.5 text-small text-muted">
          <span aria-hidden className={`h-0.5 w-2.5 forced-color-adjust-none ${line.mark}`} />
          {valueWords(page, line)}
        </span>
      ))}
    >
      <div ref={ref} className="border-t border-line py-2" style={{ minHeight: HEIGHT }}>
        {width !== null && width > 0 && <Plot page={page} width={width} />}
      </div>
    </PageSection>
  )
}

function Plot({ page, width }: { readonly page: HandlerPage; readonly width: number }) {
  const { minutes } = page
  const last = minutes.length - 1
  const inner = Math.max(0, width - PLOT.left - PLOT.right)
  const x = (index: number) => (last === 0 ? inner : (index / last) * inner)
  const { top, step } = scaleOf(Math.max(0, ...minutes.map(({ p95 }) => p95 ?? 0)))
  const y = (value: number) => PLOT.height * (1 - value / top)
  return (
    <svg
      width={width}
      height={HEIGHT}
      role="img"
      aria-label={`Response times of ${page.requests} requests: ${lines.map((line) => valueWords(page, line)).join(', ')}`}
      className="block font-mono text-tiny"
    >
      <g transform={`translate(${PLOT.left} ${PLOT.top})`}>
        <Grid top={top} step={step} width={inner} y={y} />
        <TimeAxis minutes={minutes} x={x} />
        {lines.map(({ name, stroke }) => (
          <path
            key={name}
            d={linePath(
              minutes.map((minute) => minute[name]),
              x,
              y,
            )}
            fill="none"
            strokeWidth={1.75}
            strokeLinecap="round"
            strokeLinejoin="round"
            className={stroke}
          />
        ))}
        <Failures minutes={minutes} x={x} />
      </g>
    </svg>
  )
}

function Grid({
  top,
  step,
  width,
  y,
}: {
  readonly top: number
  /** Distance of the lines. */
  readonly step: number
  readonly width: number
  readonly y: (value: number) => number
}) {
  return Array.from({ length: Math.round(top / step) + 1 }, (_, line) => (
    <g key={line}>
      <line
        x2={width}
        y1={y(line * step)}
        y2={y(line * step)}
        className={line === 0 ? 'stroke-edge' : 'stroke-line'}
      />
      <text x={-8} y={y(line * step) + 4} textAnchor="end" className="fill-subtle">
        {(line * step).toLocaleString('en')}
      </text>
    </g>
  ))
}

interface MinutesProps {
  readonly minutes: HandlerPage['minutes']
  readonly x: (index: number) => number
}

/** Shows the time below every tenth minute and "now" below the last. */
function TimeAxis({ minutes, x }: MinutesProps) {
  const last = minutes.length - 1
  return minutes.map(({ at }, index) =>
    (index % 10 === 0 && last - index >= 5) || index === last ? (
      <text
        key={at}
        x={x(index)}
        y={PLOT.height + PLOT.failed + PLOT.axis}
        textAnchor={index === 0 ? 'start' : index === last ? 'end' : 'middle'}
        className="fill-subtle"
      >
        {index === last ? 'now' : clockTime(at).slice(0, 5)}
      </text>
    ) : null,
  )
}

/** Marks the minutes with failed requests. */
function Failures({ minutes, x }: MinutesProps) {
  return (
    <>
      <text x={-8} y={PLOT.height + PLOT.failed} textAnchor="end" className="fill-subtle font-sans">
        Failed
      </text>
      {minutes.map(({ at, failed }, index) =>
        failed === 0 ? null : (
          <path
            key={at}
            d={`M${x(index) - 3.5} ${PLOT.height + PLOT.failed - 7}l7 7m0-7l-7 7`}
            strokeWidth={1.75}
            strokeLinecap="round"
            className="stroke-mark-red"
          />
        ),
      )}
    </>
  )
}
