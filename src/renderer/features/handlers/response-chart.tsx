/** Response times of the last hour by minute: two lines in SVG with failures below, and the same as a table. */
import { useState, type KeyboardEvent } from 'react'
import type { HandlerPage } from '../../../shared/model/handler.ts'
import { classNames } from '../../ui/class-names.ts'
import { clockTime, milliseconds } from '../../ui/moment.ts'
import { useWidth } from '../../ui/use-place.ts'

const PLOT = { left: 52, right: 96, top: 8, height: 188, failed: 16, axis: 20 }
const GRID_LINES = 4

/** The axis: its top and the distance of its lines, both round numbers. */
export function scaleOf(most: number): { readonly top: number; readonly step: number } {
  const rough = Math.max(most, 1) / GRID_LINES
  const size = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * size >= rough) ?? 10) * size
  return { top: Math.ceil(Math.max(most, 1) / step) * step, step }
}

/** An SVG path through the minutes with a value. The others break it. */
export function linePath(
  values: readonly (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  return values
    .map((value, index) => {
      if (value === null) return ''
      const at = `${x(index).toFixed(1)} ${y(value).toFixed(1)}`
      const continues = index > 0 && values[index - 1] !== null
      return continues ? `L${at}` : `M${at}`
    })
    .join('')
}

/** Places of minutes without a value on either side: no line shows them. */
export function singleMinutes(values: readonly (number | null)[]): readonly number[] {
  return values.flatMap((value, index) =>
    value !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null
      ? [index]
      : [],
  )
}

type HandlerMinute = HandlerPage['minutes'][number]

const minuteOf = ({ at }: HandlerMinute) => clockTime(at).slice(0, 5)
const inMs = (ms: number | null) => (ms === null ? '–' : `${milliseconds(ms)} ms`)

export function ResponseChart({
  minutes,
  view,
}: {
  /** Oldest first. */
  readonly minutes: readonly HandlerMinute[]
  readonly view: 'chart' | 'table'
}) {
  return (
    <>
      {view === 'chart' && <Chart minutes={minutes} />}
      <Table minutes={minutes} hidden={view === 'chart'} />
    </>
  )
}

/** Minutes without requests are left out. Screen readers get this table in both views. */
function Table({
  minutes,
  hidden,
}: {
  readonly minutes: readonly HandlerMinute[]
  readonly hidden: boolean
}) {
  const busy = minutes.filter(({ count }) => count > 0).toReversed()
  const cell = 'h-7 border-b border-line/50 px-3 text-right'
  return (
    <div
      className={hidden ? 'sr-only' : 'max-h-60 overflow-auto px-5'}
      {...(hidden ? {} : { tabIndex: 0, role: 'region', 'aria-label': 'Response times' })}
    >
      <table className="w-full border-collapse">
        <caption className="sr-only">Response times of the last hour, newest minute first</caption>
        <thead className="sticky top-0 bg-surface text-small text-subtle">
          <tr>
            {['Minute', 'p50', 'p95', 'Requests', 'Failed'].map((name, index) => (
              <th
                key={name}
                scope="col"
                className={classNames(cell, 'font-medium', index === 0 && 'text-left')}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="data">
          {busy.map((minute) => (
            <tr key={minute.at}>
              <th scope="row" className={`${cell} text-left font-normal`}>
                {minuteOf(minute)}
              </th>
              <td className={cell}>{inMs(minute.p50)}</td>
              <td className={cell}>{inMs(minute.p95)}</td>
              <td className={cell}>{minute.count.toLocaleString('en')}</td>
              <td className={classNames(cell, minute.failed > 0 && 'text-bad')}>
                {minute.failed.toLocaleString('en')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Chart({ minutes }: { readonly minutes: readonly HandlerMinute[] }) {
  const { ref, width: measured } = useWidth()
  const width = measured ?? 0
  const [chosen, setChosen] = useState<number | null>(null)
  const last = minutes.length - 1
  const inner = Math.max(0, width - PLOT.left - PLOT.right)
  const x = (index: number) => (last === 0 ? inner : (index / last) * inner)
  const { top, step } = scaleOf(Math.max(0, ...minutes.map(({ p95 }) => p95 ?? 0)))
  const y = (value: number) => PLOT.height * (1 - value / top)
  const lines = [
    {
      name: 'p95',
      stroke: 'stroke-mark-violet',
      fill: 'fill-mark-violet',
      values: minutes.map(({ p95 }) => p95),
    },
    {
      name: 'p50',
      stroke: 'stroke-mark-blue',
      fill: 'fill-mark-blue',
      values: minutes.map(({ p50 }) => p50),
    },
  ]
  const ends = endLabels(
    lines
      .map(({ values }) => values.findLast((value) => value !== null) ?? null)
      .map((value) => value && y(value)),
  )
  const minute = chosen === null ? undefined : minutes[chosen]
  const choose = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (event.key === 'Escape' && chosen !== null) {
      event.stopPropagation()
      setChosen(null)
    } else if (by !== undefined) {
      event.preventDefault()
      setChosen(Math.min(last, Math.max(0, (chosen ?? last + (by > 0 ? 0 : 1)) + by)))
    }
  }
  return (
    <div ref={ref} className="relative h-[244px]">
      <div
        role="slider"
        aria-label="Response times, minute"
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={chosen ?? last}
        aria-valuetext={minute === undefined ? 'now' : minuteOf(minute)}
        tabIndex={0}
        onKeyDown={choose}
        onBlur={() => setChosen(null)}
        onPointerMove={(event) => {
          const at = event.clientX - event.currentTarget.getBoundingClientRect().left - PLOT.left
          const index = Math.round((at / Math.max(1, inner)) * last)
          setChosen(index < 0 || index > last ? null : index)
        }}
        onPointerLeave={() => setChosen(null)}
        className="h-full outline-offset-[-2px]"
      >
        {width > 0 && (
          <svg width={width} height={244} aria-hidden className="block font-mono text-tiny">
            <g transform={`translate(${PLOT.left} ${PLOT.top})`}>
              {Array.from({ length: Math.round(top / step) + 1 }, (_, line) => (
                <g key={line}>
                  <line
                    x2={inner}
                    y1={y(line * step)}
                    y2={y(line * step)}
                    className={line === 0 ? 'stroke-edge' : 'stroke-line'}
                  />
                  <text x={-8} y={y(line * step) + 4} textAnchor="end" className="fill-subtle">
                    {(line * step).toLocaleString('en')}
                  </text>
                </g>
              ))}
              {minutes.map((one, index) =>
                index % 10 === 0 || index === last ? (
                  <text
                    key={one.at}
                    x={x(index)}
                    y={PLOT.height + PLOT.failed + PLOT.axis}
                    textAnchor={index === 0 ? 'start' : index === last ? 'end' : 'middle'}
                    className="fill-subtle"
                    // It would touch the last label, the present minute.
                    visibility={index !== last && last - index < 5 ? 'hidden' : undefined}
                  >
                    {index === last ? 'now' : minuteOf(one)}
                  </text>
                ) : null,
              )}
              {minute !== undefined && chosen !== null && (
                <line
                  x1={x(chosen)}
                  x2={x(chosen)}
                  y2={PLOT.height + PLOT.failed}
                  className="stroke-edge"
                />
              )}
              {lines.map(({ name, stroke, values }) => (
                <path
                  key={name}
                  d={linePath(values, x, y)}
                  fill="none"
                  strokeWidth={1.75}
                  strokeLinecap="round"
                  strokeLinejoin="round"
                  className={stroke}
                />
              ))}
              {lines.flatMap(({ name, fill, values }) =>
                singleMinutes(values).map((index) => (
                  <circle
                    key={`${name} ${index}`}
                    cx={x(index)}
                    cy={y(values[index] ?? 0)}
                    r={2.5}
                    className={fill}
                  />
                )),
              )}
              {lines.map(({ name, fill, values }) => {
                const value = chosen === null ? null : (values[chosen] ?? null)
                return chosen === null || value === null ? null : (
                  <circle
                    key={name}
                    cx={x(chosen)}
                    cy={y(value)}
                    r={4}
                    strokeWidth={2}
                    className={`${fill} stroke-surface`}
                  />
                )
              })}
              {lines.map(({ name, fill, values }, index) => {
                const value = values.findLast((one) => one !== null) ?? null
                return value === null ? null : (
                  <text
                    key={name}
                    x={inner + 10}
                    y={(ends[index] ?? 0) + 4}
                    className={`${fill} font-medium`}
                  >
                    {`${name} ${milliseconds(value)} ms`}
                  </text>
                )
              })}
              <text
                x={-8}
                y={PLOT.height + PLOT.failed}
                textAnchor="end"
                className="fill-subtle font-sans"
              >
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
            </g>
          </svg>
        )}
      </div>
      {minute !== undefined && chosen !== null && (
        <div
          role="status"
          style={{ left: tipPlace(PLOT.left + x(chosen), width) }}
          className="pointer-events-none absolute top-1 w-[168px] rounded-control border border-edge bg-raised px-3 py-2 text-small shadow-overlay"
        >
          <p className="data mb-1 text-muted">{minuteOf(minute)}</p>
          <TipLine name="p95" value={inMs(minute.p95)} mark="bg-mark-violet" />
          <TipLine name="p50" value={inMs(minute.p50)} mark="bg-mark-blue" />
          <TipLine name="Requests" value={minute.count.toLocaleString('en')} />
          <TipLine
            name="Failed"
            value={minute.failed.toLocaleString('en')}
            bad={minute.failed > 0}
          />
        </div>
      )}
    </div>
  )
}

const LABEL_HEIGHT = 16

/** The heights of the two labels at the right end, moved apart if they would touch. */
export function endLabels(heights: readonly (number | null)[]): readonly (number | null)[] {
  const [upper = null, lower = null] = heights
  if (upper === null || lower === null || lower - upper >= LABEL_HEIGHT) return heights
  const middle = Math.min((upper + lower) / 2, PLOT.height - LABEL_HEIGHT / 2)
  return [middle - LABEL_HEIGHT / 2, middle + LABEL_HEIGHT / 2]
}

const TIP_WIDTH = 168

/** Left of the line if there is room, otherwise right of it. */
function tipPlace(at: number, width: number): number {
  const left = at - TIP_WIDTH - 12
  return left >= PLOT.left ? left : Math.min(at + 12, width - TIP_WIDTH)
}

function TipLine({
  name,
  value,
  mark,
  bad = false,
}: {
  readonly name: string
  readonly value: string
  readonly mark?: string
  readonly bad?: boolean
}) {
  return (
    <p className="flex h-5 items-center gap-1.5">
      {mark !== undefined && <span aria-hidden className={`h-0.5 w-2.5 ${mark}`} />}
      <span className="flex-1 text-muted">{name}</span>
      <span className={`data ${bad ? 'text-bad' : ''}`}>{value}</span>
    </p>
  )
}
