/** The timeline as plain data: its range, the selected span as part of the query, and the heights of the bars. */
import { localStamp } from '../../../shared/text/moment.ts'
import {
  EMPTY_BIN,
  RESPONSE_CLASSES,
  sumOf,
  VERDICT_CLASSES,
  type Bin,
} from '../../../shared/model/statistics.ts'
import { parsePieces, type Parsed } from '../../../shared/query/parse.ts'
import { readTimeSpan } from '../../../shared/query/time.ts'
import type { TimelineChoice } from '../../ui-state/preferences-slice.ts'

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

/** The bars: `start` of the first one, their width in milliseconds, and their number. */
export interface TimelineFrame {
  readonly start: number
  readonly width: number
  readonly bins: number
}

const FIXED: Readonly<Record<Exclude<TimelineRange, 'all'>, Omit<TimelineFrame, 'start'>>> = {
  hour: { width: MINUTE, bins: 60 },
  day: { width: 15 * MINUTE, bins: 96 },
  week: { width: 2 * HOUR, bins: 84 },
}
const MOST_BARS = 96
const WIDTHS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * MINUTE)

/** The frame of a range that ends now. Bars of hours and days start on full hours and days in this computer's time zone. */
export function frameOf(range: TimelineRange, now: number, first: number | null): TimelineFrame {
  if (range !== 'all') return endingNow(FIXED[range], now)
  const length = Math.max(HOUR, now - (first ?? now))
  const width =
    WIDTHS.find((one) => length / one < MOST_BARS) ??
    Math.ceil(length / (MOST_BARS - 1) / DAY) * DAY
  return endingNow({ width, bins: Math.max(12, Math.ceil(length / width) + 1) }, now)
}

function endingNow({ width, bins }: Omit<TimelineFrame, 'start'>, now: number): TimelineFrame {
  const zone = new Date(now).getTimezoneOffset() * MINUTE
  const last = Math.floor((now - zone) / width) * width + zone
  return { start: Math.max(0, last - (bins - 1) * width), width, bins }
}

/** Times between which deliveries are selected; null: open. */
export interface TimelineSpan {
  readonly from: number | null
  readonly to: number | null
}

export interface SplitQuery {
  /** The query without its `after:` and `before:`. */
  readonly rest: string
  /** Null if it has neither. */
  readonly span: TimelineSpan | null
}

const SPAN_TERM = /^(after|before):(\S+)$/i

function parsed(query: string): Parsed | null {
  try {
    return parsePieces(query)
  } catch {
    return null
  }
}

/** A query to combine with other terms: alternatives get parentheses, unless they have them. */
function besideOthers(query: string): string {
  if (parsed(query)?.expression.kind !== 'any') return query
  return query.startsWith('(') && parsed(query.slice(1, -1)) !== null ? query : `(${query})`
}

/** Separates the selected span from the rest of a query. Alternatives and negations stay in the rest. */
export function splitQuery(query: string, now: number): SplitQuery {
  const pieces = parsed(query)?.pieces
  if (pieces === undefined) return { rest: query, span: null }
  let from: number | null = null
  let to: number | null = null
  const rest: string[] = []
  for (const piece of pieces) {
    const text = query.slice(piece.from, piece.to)
    const [, field = '', value = ''] = SPAN_TERM.exec(text) ?? []
    const time = value === '' ? null : readTimeSpan(value, now)
    if (time === null) rest.push(text)
    else if (field.toLowerCase() === 'after') from = Math.max(from ?? 0, time.from)
    else to = Math.min(to ?? Number.POSITIVE_INFINITY, time.from)
  }
  return { rest: rest.join(' '), span: from === null && to === null ? null : { from, to } }
}

const minuteText = (date: Date) => localStamp(date).slice(11, 16)

/** A full minute as the query writes it: short if it is today. */
export function writtenMinute(time: number, now: number): string {
  const date = new Date(time)
  const isToday = date.toDateString() === new Date(now).toDateString()
  return localStamp(date).slice(isToday ? 11 : 0, 16)
}

/** The query with another span; a span that ends now has `after:` only. */
export function withSpan(query: string, { from, to }: TimelineSpan, now: number): string {
  const { rest } = splitQuery(query, now)
  const terms = [
    besideOthers(rest),
    from === null ? '' : `after:${writtenMinute(from, now)}`,
    to === null ? '' : `before:${writtenMinute(to, now)}`,
  ]
  return terms.filter((term) => term !== '').join(' ')
}

/** A time below the bars or in a sentence. */
export function timeText(time: number, width: number): string {
  const date = new Date(time)
  const day = `${date.toLocaleString('en', { month: 'short' })} ${date.getDate()}`
  if (width >= DAY) return day
  return width >= HOUR ? `${day} ${minuteText(date)}` : minuteText(date)
}

/** The span as a person reads it, such as "14:12 – now". */
export function shownSpan({ from, to }: TimelineSpan, now: number): string {
  const text = (time: number) => writtenMinute(time, now).replace('T', ' ')
  return `${from === null ? 'start' : text(from)} – ${to === null ? 'now' : text(to)}`
}

export function barsInSpan(
  { start, width, bins }: TimelineFrame,
  span: TimelineSpan | null,
): { first: number; last: number } {
  const first = span?.from == null ? 0 : Math.floor((span.from - start) / width)
  const last = span?.to == null ? bins - 1 : Math.ceil((span.to - start) / width) - 1
  return { first, last }
}

/** The span of some bars, in any order; the last bar ends now. */
export function spanOfBars(
  { start, width, bins }: TimelineFrame,
  one: number,
  other: number,
): TimelineSpan {
  const first = Math.min(one, other)
  const last = Math.max(one, other)
  return { from: start + first * width, to: last >= bins - 1 ? null : start + (last + 1) * width }
}

/** A part of every bar. */
export interface TimelineClass {
  readonly word: string
  readonly doc: string
  /** An SVG paint. */
  readonly paint: string
  readonly isHatched?: true
}

const GREEN = 'color-mix(in srgb, var(--mark-green) 62%, var(--ground))'
const GREY = 'var(--edge)'

/** The parts from the bottom to the top, in the order of the counts. */
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

/** Sums of the parts over the bars of a span. */
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

/** The least height of a part that isn't empty, in pixels. */
const LEAST = 2

/** A round number at the top of the axis whose half is an integer too. */
export function axisTop(most: number): number {
  if (most <= 2) return 2
  const size = 10 ** Math.floor(Math.log10(most))
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * size >= most) ?? 10
  return step * size === 1 ? 2 : step * size
}

/** Bottom and height of each part of a bar, in pixels from the axis; parts that aren't empty can be seen. */
export function stackOf(
  parts: readonly number[],
  top: number,
  height: number,
): { readonly y: number; readonly height: number }[] {
  let y = 0
  return parts.map((count) => {
    const part = { y, height: count === 0 ? 0 : Math.max(LEAST, (count / top) * height) }
    y += part.height
    return part
  })
}

/** How many bars apart labels are: about six fit, at round times. */
export function labelStep(
  { start, width, bins }: TimelineFrame,
  most: number,
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
  const unit = units.find((one) => one % width === 0 && (bins * width) / one <= most)
  const step = unit === undefined ? Math.ceil(bins / most) : unit / width
  const zone = new Date(start).getTimezoneOffset() * MINUTE
  const offset = unit === undefined ? 0 : (unit - ((start - zone) % unit)) % unit
  return { step, first: Math.round(offset / width) }
}
