/** The timeline as plain data: its frame, classes, bar heights and labels. */
import {
  EMPTY_BIN,
  RESPONSE_CLASSES,
  sumOf,
  VERDICT_CLASSES,
  type Bin,
} from '../../../shared/model/statistics.ts'
import type { TimelineChoice } from '../../ui-state/preferences-slice.ts'
import { type TimelineSpan, minuteText } from './timeline-span.ts'

type TimelineRange = TimelineChoice['range']

export type TimelineView = TimelineChoice['view']

export const RANGE_WORDS: Readonly<Record<TimelineRange, string>> = {
  hour: 'Last hour',
  day: 'Last day',
  week: 'Last 7 days',
  all: 'All',
}

const MINUTE = 60_000

const HOUR = 60 * MINUTE

const DAY = 24 * HOUR

/** Bars of a timeline: `start` of the first, width in milliseconds, and number of bars. */
export interface TimelineFrame {
  readonly start: number
  readonly width: number
  readonly bins: number
}

const FIXED_FRAMES: Readonly<Record<Exclude<TimelineRange, 'all'>, Omit<TimelineFrame, 'start'>>> =
  {
    hour: { width: MINUTE, bins: 60 },
    day: { width: 15 * MINUTE, bins: 96 },
    week: { width: 2 * HOUR, bins: 84 },
  }

const MAX_BARS = 96

const WIDTHS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * MINUTE)

/** Returns the frame of a range that ends now, with bars on full hours and days of local time. */
export function frameOf(range: TimelineRange, now: number, first: number | null): TimelineFrame {
  if (range !== 'all') return endingNow(FIXED_FRAMES[range], now)
  const length = Math.max(HOUR, now - (first ?? now))
  const width =
    WIDTHS.find((choice) => length / choice < MAX_BARS) ??
    Math.ceil(length / (MAX_BARS - 1) / DAY) * DAY
  return endingNow({ width, bins: Math.max(12, Math.ceil(length / width) + 1) }, now)
}

function endingNow({ width, bins }: Omit<TimelineFrame, 'start'>, now: number): TimelineFrame {
  const zone = new Date(now).getTimezoneOffset() * MINUTE
  const last = Math.floor((now - zone) / width) * width + zone
  return { start: Math.max(0, last - (bins - 1) * width), width, bins }
}

/** Formats a time for bars of a width in milliseconds: a day, a minute, or both. */
export function timeText(time: number, width: number): string {
  const date = new Date(time)
  const day = `${date.toLocaleString('en', { month: 'short' })} ${date.getDate()}`
  if (width >= DAY) return day
  return width >= HOUR ? `${day} ${minuteText(date)}` : minuteText(date)
}

export function barsInSpan(
  { start, width, bins }: TimelineFrame,
  span: TimelineSpan | null,
): { first: number; last: number } {
  const first = span?.from == null ? 0 : Math.floor((span.from - start) / width)
  const last = span?.to == null ? bins - 1 : Math.ceil((span.to - start) / width) - 1
  return { first, last }
}

/** Returns the span between two bars, in any order; the last bar ends now. */
export function spanOfBars(
  { start, width, bins }: TimelineFrame,
  left: number,
  right: number,
): TimelineSpan {
  const first = Math.min(left, right)
  const last = Math.max(left, right)
  return { from: start + first * width, to: last >= bins - 1 ? null : start + (last + 1) * width }
}

/** Class of deliveries; each bar has one part per class. */
export interface TimelineClass {
  readonly word: string
  readonly doc: string
  /** SVG paint. */
  readonly paint: string
  readonly isHatched?: true
}

const GREEN = 'color-mix(in srgb, var(--mark-green) 62%, var(--ground))'

const GREY = 'var(--edge)'

/** Parts of a bar from the bottom up, in the order of the counts. */
export const CLASSES: Readonly<Record<TimelineView, readonly TimelineClass[]>> = {
  verdict: [
    { word: 'Valid', doc: 'valid and fresh', paint: GREEN },
    {
      word: 'Stale',
      doc: 'valid, but signed more than five minutes before or after receipt',
      paint: 'var(--mark-amber)',
    },
    {
      word: 'Unverified',
      doc: 'unsigned, unknown hook, or imported and not verified here',
      paint: GREY,
    },
    { word: 'Invalid', doc: 'signature matches no known secret', paint: 'var(--mark-red)' },
    { word: 'Malformed', doc: 'not valid HTTP', paint: 'var(--mark-red)', isHatched: true },
  ],
  response: [
    { word: 'Acknowledged', doc: 'your handler acknowledged a valid delivery', paint: GREEN },
    {
      word: 'Rejected',
      doc: 'your handler rejected a forged delivery, as expected',
      paint: 'var(--mark-blue)',
    },
    { word: 'Neutral', doc: 'the response proves nothing', paint: GREY },
    { word: 'Failing', doc: 'your handler returned the wrong response', paint: 'var(--mark-red)' },
    {
      word: 'Not recorded',
      doc: 'no handler response recorded',
      paint: 'color-mix(in srgb, var(--edge) 45%, var(--ground))',
    },
  ],
}

export function partsOf(
  { verdicts, responses }: Pick<Bin, 'verdicts' | 'responses'>,
  view: TimelineView,
): readonly number[] {
  return view === 'verdict' ? verdicts : [...responses, sumOf(verdicts) - sumOf(responses)]
}

/** Sums the parts over the bars of a span. */
export function totalParts(
  bins: readonly Bin[],
  { first, last }: { first: number; last: number },
  view: TimelineView,
): number[] {
  const sums = Array.from(
    { length: Math.max(VERDICT_CLASSES.length, RESPONSE_CLASSES.length + 1) },
    () => 0,
  )
  for (const bin of bins)
    if (bin.index >= first && bin.index <= last)
      for (const [part, count] of partsOf(bin, view).entries())
        sums[part] = (sums[part] ?? 0) + count
  return sums
}

export function binAt(bins: readonly Bin[], index: number): Bin {
  return bins.find((bin) => bin.index === index) ?? { ...EMPTY_BIN, index }
}

/** Least height of a part that isn't empty, in pixels. */
const MIN_PART_HEIGHT = 2

/** Returns the round, even number at the top of the axis. */
export function axisTop(maximum: number): number {
  if (maximum <= 2) return 2
  const size = 10 ** Math.floor(Math.log10(maximum))
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * size >= maximum) ?? 10
  return step * size === 1 ? 2 : step * size
}

/** Returns bottom and height of each part of a bar, in pixels from the axis. */
export function stackOf(
  parts: readonly number[],
  top: number,
  height: number,
): { readonly y: number; readonly height: number }[] {
  let y = 0
  return parts.map((count) => {
    const part = { y, height: count === 0 ? 0 : Math.max(MIN_PART_HEIGHT, (count / top) * height) }
    y += part.height
    return part
  })
}

/**
 * Returns the distance of labels in bars, and the bar of the first label; labels are at round
 * times.
 * @param limit Labels that fit.
 */
export function labelStep(
  { start, width, bins }: TimelineFrame,
  limit: number,
): { readonly step: number; readonly first: number } {
  const units = [
    MINUTE * 5,
    MINUTE * 10,
    MINUTE * 30,
    HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    14 * DAY,
    28 * DAY,
  ]
  const unit = units.find((choice) => choice % width === 0 && (bins * width) / choice <= limit)
  const step = unit === undefined ? Math.ceil(bins / limit) : unit / width
  const zone = new Date(start).getTimezoneOffset() * MINUTE
  const offset = unit === undefined ? 0 : (unit - ((start - zone) % unit)) % unit
  return { step, first: Math.round(offset / width) }
}
