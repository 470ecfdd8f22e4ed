/** Times in search syntax, in this computer's time zone unless they have one. */
import { localStamp } from '../text/moment.ts'

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
const LENGTH = /^(\d+(?:\.\d+)?)(ms|s|min|m|h|d|w)$/i
const MOMENT =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?(Z|[-+]\d\d:\d\d)?)?$/i
const OF_TODAY = /^\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/

/** Returns the milliseconds of `90s`, `10m`, `2h` or `1.5d`. */
export function readLength(text: string): number | null {
  const [, amount, unit] = LENGTH.exec(text) ?? []
  return amount === undefined || unit === undefined
    ? null
    : Number(amount) * (UNITS[unit.toLowerCase()] ?? 0)
}

/** Reads a time; its last part determines the period. */
function readMoment(text: string): TimeSpan | null {
  const [, year, month, day, hour, minute, second, fraction, zone] = MOMENT.exec(text) ?? []
  if (year === undefined || month === undefined || day === undefined) return null
  const [y, mo, d, h, mi, s] = [year, month, day, hour ?? 0, minute ?? 0, second ?? 0].map(
    Number,
  ) as [number, number, number, number, number, number]
  const milliseconds = Number((fraction ?? '').padEnd(3, '0'))
  const calendar = new Date(Date.UTC(y, mo - 1, d, h, mi, s, milliseconds))
  calendar.setUTCFullYear(y)
  if (
    calendar.getUTCMonth() !== mo - 1 ||
    calendar.getUTCDate() !== d ||
    h > 23 ||
    mi > 59 ||
    s > 59
  )
    return null
  if (hour === undefined) return { from: localTime(y, mo, d), to: localTime(y, mo, d + 1) }
  const width = fraction !== undefined ? 1 : second !== undefined ? 1_000 : 60_000
  const from =
    zone === undefined
      ? localTime(y, mo, d, h, mi, s, milliseconds)
      : calendar.getTime() - offsetOf(zone)
  return { from, to: from + width }
}

function localTime(
  year: number,
  month: number,
  day: number,
  hour = 0,
  minute = 0,
  second = 0,
  millisecond = 0,
): number {
  const date = new Date(2000, month - 1, day, hour, minute, second, millisecond)
  date.setFullYear(year, month - 1, day)
  return date.getTime()
}

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
    localTime(today.getFullYear(), today.getMonth() + 1, today.getDate() + offset)
  if (lower === 'today') return { from: dayAt(0), to: dayAt(1) }
  if (lower === 'yesterday') return { from: dayAt(-1), to: dayAt(0) }
  if (!OF_TODAY.test(text)) return readMoment(text)
  return readMoment(`${localStamp(today).slice(0, 10)}T${text}`)
}
