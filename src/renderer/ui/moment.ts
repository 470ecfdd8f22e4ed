/** Formats times and durations; `useNow` is the clock. */
import { useEffect, useState } from 'react'
import { localStamp } from '../../shared/text/time-text.ts'

export { byteCount, byteSize } from '../../shared/text/english.ts'

/** Returns `14:03:07.512`, in the user's time zone. */
export function clockTime(iso: string): string {
  return localStamp(iso).slice(11)
}

/** Creates a format that remembers days: formatting one takes longer than drawing a row. */
function dayFormat(options: Intl.DateTimeFormatOptions): (iso: string) => string {
  const texts = new Map<string, string>()
  return (iso) => {
    const key = dayKey(iso)
    const text = texts.get(key) ?? new Date(iso).toLocaleDateString('en-GB', options)
    texts.set(key, text)
    return text
  }
}

/** Format such as `21 Nov 2026`, in the user's time zone. */
export const calendarDay = dayFormat({ day: 'numeric', month: 'short', year: 'numeric' })

const weekday = dayFormat({ weekday: 'long' })

/** Returns a name of a day in the user's time zone, for comparisons. */
export const dayKey = (time: string | number): string => new Date(time).toDateString()

/** Returns `21 Nov`, with the year if it isn't the current one. */
function shortDay(iso: string): string {
  return calendarDay(iso).replace(` ${new Date().getFullYear()}`, '')
}

/** Returns `21 Nov`; null for today. */
export function dayUnlessToday(iso: string): string | null {
  return dayKey(iso) === dayKey(Date.now()) ? null : shortDay(iso)
}

/** Returns `14:03:07.512`, or `21 Nov 14:03:07` for another day. */
export function timeWithDay(iso: string): string {
  const day = dayUnlessToday(iso)
  return day === null ? clockTime(iso) : `${day} ${clockTime(iso).slice(0, 8)}`
}

/** Returns `Saturday 21 Nov`, with the year if it isn't the current one. */
export function dayName(iso: string): string {
  return `${weekday(iso)} ${shortDay(iso)}`
}

/** Returns `2026-11-21 14:03:07.512 UTC`. */
export function exactTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)} UTC`
}

/** Returns `just now`, `12 s ago`, `5 min ago`, `3 h ago` or `2 days ago`. */
export function ago(iso: string, now: number): string {
  const seconds = Math.round((now - Date.parse(iso)) / 1_000)
  if (seconds < 5) return 'just now'
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`
  const days = Math.floor(seconds / 86_400)
  return days === 1 ? '1 day ago' : `${days} days ago`
}

/**
 * Returns a duration as exact as needed: `640 ms`, `4.2 s`, `6 min 12 s`, `2 h 5 min`, `3 days`.
 */
export function duration(ms: number): string {
  const size = Math.abs(ms)
  if (size < 1_000) return `${Math.round(size)} ms`
  if (size < 60_000) return `${(size / 1_000).toFixed(1)} s`
  const seconds = Math.round(size / 1_000)
  if (seconds < 3_600) return inUnits(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  if (seconds < 86_400)
    return inUnits(Math.floor(seconds / 3_600), 'h', Math.floor((seconds % 3_600) / 60), 'min')
  const days = Math.floor(seconds / 86_400)
  return days === 1 ? '1 day' : `${days.toLocaleString('en')} days`
}

function inUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}

/** Rounds a duration to one unit, at least a minute, for headlines and rows. */
export function roundedDuration(ms: number): {
  readonly count: number
  readonly unit: 'minute' | 'hour' | 'day'
} {
  const minutes = Math.max(1, Math.round(Math.abs(ms) / 60_000))
  if (minutes < 120) return { count: minutes, unit: 'minute' }
  const hours = Math.round(minutes / 60)
  return hours < 48
    ? { count: hours, unit: 'hour' }
    : { count: Math.round(hours / 24), unit: 'day' }
}

/** Returns a duration with hours after days: `3 days 4 h`, `1 day`. */
export function longDuration(ms: number): string {
  const size = Math.abs(ms)
  if (size < 86_400_000) return duration(ms)
  const hours = Math.floor((size % 86_400_000) / 3_600_000)
  return `${duration(Math.floor(size / 86_400_000) * 86_400_000)}${hours === 0 ? '' : ` ${hours} h`}`
}

/** Returns the milliseconds of a response: `0.8`, `12`, `1,204`. */
export function milliseconds(ms: number): string {
  if (ms < 9.95) return ms.toFixed(1)
  return ms < 999.5 ? String(Math.round(ms)) : Math.round(ms).toLocaleString('en')
}

/** Returns `1st`, `2nd`, `3rd`, `11th`. */
export function ordinal(value: number): string {
  const rest = value % 100
  const ending = rest >= 11 && rest <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th')
  return `${value}${ending}`
}

/** Returns the current time in milliseconds since the epoch, updated every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
