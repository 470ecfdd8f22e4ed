/** Times in search syntax, in this computer's time zone unless they have one. */
import { localStamp } from '../text/time-text.ts'

/** Period in milliseconds since the epoch, excluding its end. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}
/** `1.5d` */
const LENGTH = /^(\d+(?:\.\d+)?)(ms|s|min|m|h|d|w)$/i
/** `2026-11-20`, `2026-11-20T14:03:07.5+01:00` */
const MOMENT =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?(Z|[-+]\d\d:\d\d)?)?$/i
/** `14:03`, `14:03:07.5` */
const TIME_OF_TODAY = /^\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/

/** Returns the milliseconds of `90s`, `10m`, `2h` or `1.5d`. */
export function readLength(text: string): number | null {
  const [, amount, unit] = LENGTH.exec(text) ?? []
  return amount === undefined || unit === undefined
    ? null
    : Number(amount) * (UNITS[unit.toLowerCase()] ?? 0)
}

interface CalendarTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour?: number
  readonly minute?: number
  readonly second?: number
  readonly ms?: number
}

/** Reads a time; the smallest part that it has is the length of the period. */
function readMoment(text: string): TimeSpan | null {
  const match = MOMENT.exec(text)
  if (match === null) return null
  const [, year, month, day, hour, minute, second, fraction, zone] = match
  const time = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour ?? 0),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
    ms: Number((fraction ?? '').padEnd(3, '0')),
  }
  const utc = utcTime(time)
  if (utc === null) return null
  if (hour === undefined)
    return { from: localTime(time), to: localTime({ ...time, day: time.day + 1 }) }
  const length = fraction !== undefined ? 1 : second !== undefined ? 1_000 : 60_000
  const from = zone === undefined ? localTime(time) : utc - offsetOf(zone)
  return { from, to: from + length }
}

/** Returns null for a time that doesn't exist, such as 30 February. */
function utcTime({ year, month, day, hour, minute, second, ms }: Required<CalendarTime>) {
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second, ms))
  // `Date.UTC` takes years below 100 as 19xx.
  date.setUTCFullYear(year)
  const exists =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 59
  return exists ? date.getTime() : null
}

function localTime({
  year,
  month,
  day,
  hour = 0,
  minute = 0,
  second = 0,
  ms = 0,
}: CalendarTime): number {
  const date = new Date(2000, month - 1, day, hour, minute, second, ms)
  date.setFullYear(year, month - 1, day)
  return date.getTime()
}

/** Returns the milliseconds of `+01:00`. */
function offsetOf(zone: string): number {
  const [, sign, hours, minutes] = /^([-+])(\d\d):(\d\d)$/.exec(zone) ?? []
  if (sign === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** Parses `2h` (ago), `2026-11-20T14:03`, `14:03`, `today`, `yesterday` or `now`. */
export function readTimeSpan(text: string, now: number): TimeSpan | null {
  const length = readLength(text)
  if (length !== null) return { from: now - length, to: now - length + 1 }
  const lower = text.toLowerCase()
  if (lower === 'now') return { from: now, to: now + 1 }
  const today = new Date(now)
  const dayAt = (offset: number) =>
    localTime({
      year: today.getFullYear(),
      month: today.getMonth() + 1,
      day: today.getDate() + offset,
    })
  if (lower === 'today') return { from: dayAt(0), to: dayAt(1) }
  if (lower === 'yesterday') return { from: dayAt(-1), to: dayAt(0) }
  if (!TIME_OF_TODAY.test(text)) return readMoment(text)
  return readMoment(`${localStamp(today).slice(0, 10)}T${text}`)
}
