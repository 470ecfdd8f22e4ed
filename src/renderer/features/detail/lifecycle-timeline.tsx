/**
 * Draws the events of a lifecycle on two axes with one scale, event time above and time received
 * below; the slope of each event's line is its delay.
 */
import type { Lifecycle, LifecycleStage } from '../../../shared/model/lifecycle.ts'
import { colorGroupOf } from '../../../shared/service/event-type.ts'
import { shortDay } from '../../../shared/text/time-text.ts'
import { clockTime, duration } from '../../ui/moment.ts'
import { useWidth } from '../../ui/use-place.ts'
import { eventColors } from '../../ui/verdict.tsx'

/** Returns the color of a stage; the clearing of a refund has the color of refunds. */
export function stageColor({ event, part }: Pick<LifecycleStage, 'event' | 'part'>): string {
  return eventColors[part === 'refund' ? 'refund' : (colorGroupOf(event) ?? 'clearing')]
}

/** Layout in pixels: start and right margin of the axes, their positions, and the height. */
const MARGIN = 92
const RIGHT = 4
const EVENT_Y = 30
const RECEIVED_Y = 74
const HEIGHT = 100
/** Least distance of dots in pixels; closer ones are moved apart to show their order. */
const MIN_GAP = 16

export function LifecycleTimeline({
  lifecycle: { stages, missing },
  presentId,
}: {
  readonly lifecycle: Lifecycle
  readonly presentId: string
}) {
  const { ref: frame, width } = useWidth()
  const due = missing.find(({ from, to }) => from !== null && to !== null && from !== to)
  const eventTimes = stages.map(({ happenedAt, receivedAt }) =>
    Date.parse(happenedAt ?? receivedAt),
  )
  const receivedTimes = stages.map(({ receivedAt }) => Date.parse(receivedAt))
  const ends = [
    ...eventTimes,
    ...receivedTimes,
    ...(due === undefined ? [] : [Date.parse(due.to ?? '')]),
  ]
  const range = { from: MARGIN, to: Math.max(MARGIN + 60, (width ?? 560) - RIGHT) }
  const top = dotPositions(eventTimes, ends, range)
  const bottom = dotPositions(receivedTimes, ends, range)
  const scale = scaleOf(ends, range)
  return (
    <div className="px-5 pt-2" aria-hidden>
      <div ref={frame} className="overflow-hidden">
        <svg width="100%" height={HEIGHT} className="block overflow-visible text-tiny select-none">
          <Axis y={EVENT_Y} range={range} name="Event time" ends={spanOf(ends)} isAbove />
          <Axis y={RECEIVED_Y} range={range} name="Received" ends={spanOf(ends)} />
          {due !== undefined && (
            <line
              x1={scale(Date.parse(due.from ?? ''))}
              x2={scale(Date.parse(due.to ?? ''))}
              y1={EVENT_Y}
              y2={EVENT_Y}
              className={due.isLate ? 'stroke-warn' : 'stroke-event-clearing'}
              strokeWidth={5}
              strokeDasharray="3 3"
            >
              <title>{due.name} expected</title>
            </line>
          )}
          {stages.map((stage, index) => {
            const [x1, x2] = [top[index] ?? MARGIN, bottom[index] ?? MARGIN]
            const isPresent = stage.deliveries.some(({ id }) => id === presentId)
            const dash = stage.isProved ? {} : { strokeDasharray: '3 3' }
            return (
              <g
                key={`${stage.objectId} ${stage.event} ${stage.name}`}
                className={stageColor(stage)}
                stroke="currentColor"
              >
                <path
                  d={`M${x1} ${EVENT_Y + 5}C${x1} ${EVENT_Y + 24} ${x2} ${RECEIVED_Y - 24} ${x2} ${RECEIVED_Y - 5}`}
                  fill="none"
                  strokeWidth={1.25}
                  opacity={0.7}
                  {...dash}
                />
                <Dot x={x1} y={EVENT_Y} isProved={stage.isProved} isPresent={isPresent} />
                <Dot x={x2} y={RECEIVED_Y} isProved={stage.isProved} isPresent={isPresent} />
                <title>{stage.name}</title>
              </g>
            )
          })}
        </svg>
      </div>
    </div>
  )
}

interface AxisRange {
  readonly from: number
  readonly to: number
}

function spanOf(times: readonly number[]): readonly [number, number] {
  return [Math.min(...times), Math.max(...times)]
}

function scaleOf(times: readonly number[], { from, to }: AxisRange): (time: number) => number {
  const [first, last] = spanOf(times)
  return (time) =>
    last === first ? from + 8 : from + 8 + ((time - first) / (last - first)) * (to - from - 16)
}

/** Returns positions on the axis in order of time, without overlaps if there is room. */
function dotPositions(
  times: readonly number[],
  ends: readonly number[],
  range: AxisRange,
): number[] {
  const scale = scaleOf(ends, range)
  const gap = Math.min(MIN_GAP, (range.to - range.from - 16) / Math.max(1, times.length))
  const order = times
    .map((time, index) => ({ index, x: scale(time) }))
    .sort((left, right) => left.x - right.x || left.index - right.index)
  for (const [at, item] of order.entries())
    item.x = Math.max(item.x, (order[at - 1]?.x ?? Number.NEGATIVE_INFINITY) + gap)
  let limit = range.to - 8
  for (const item of order.toReversed()) {
    item.x = Math.min(item.x, limit)
    limit = item.x - gap
  }
  const xs: number[] = []
  for (const { index, x } of order) xs[index] = x
  return xs
}

function Axis({
  y,
  range,
  name,
  ends: [first, last],
  isAbove,
}: {
  readonly y: number
  readonly range: AxisRange
  readonly name: string
  readonly ends: readonly [number, number]
  readonly isAbove?: true
}) {
  const labelY = isAbove === true ? y - 14 : y + 22
  const isSameDay = new Date(first).toDateString() === new Date(last).toDateString()
  const label = (time: number) => {
    const at = new Date(time)
    return isSameDay ? clockTime(at.toISOString()).slice(0, 8) : shortDay(at)
  }
  // Ends within a second differ by their milliseconds.
  const isShort = last !== first && label(last) === label(first)
  return (
    <g>
      <text x={0} y={y + 4} className="fill-subtle">
        {name}
      </text>
      <line x1={range.from} x2={range.to} y1={y} y2={y} className="stroke-line" strokeWidth={1} />
      <text x={range.from} y={labelY} className="fill-subtle font-mono">
        {isShort ? clockTime(new Date(first).toISOString()) : label(first)}
      </text>
      {last !== first && (
        <text x={range.to} y={labelY} textAnchor="end" className="fill-subtle font-mono">
          {isShort ? `+${duration(last - first)}` : label(last)}
        </text>
      )}
    </g>
  )
}

function Dot({
  x,
  y,
  isProved,
  isPresent,
}: {
  readonly x: number
  readonly y: number
  readonly isProved: boolean
  readonly isPresent: boolean
}) {
  return (
    <>
      {isPresent && (
        <circle cx={x} cy={y} r={8} fill="none" className="stroke-accent" strokeWidth={1.5} />
      )}
      <circle
        cx={x}
        cy={y}
        r={4.5}
        strokeWidth={1.5}
        className={isProved ? 'fill-current' : 'fill-surface'}
      />
    </>
  )
}
