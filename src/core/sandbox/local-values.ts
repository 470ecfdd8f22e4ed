/** Shows amounts and times as a place has them. */
import { minorDigits } from '../../shared/text/amount.ts'

export function roundAmount(amount: number, currency: string): number {
  return Number(amount.toFixed(minorDigits(currency) ?? 2))
}

/** Formats by time zone, because making one is slow. */
const wallClocks = new Map<string, Intl.DateTimeFormat>()

function wallClockOf(timezone: string): Intl.DateTimeFormat {
  const cached = wallClocks.get(timezone)
  if (cached !== undefined) return cached
  const wallClock = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
  wallClocks.set(timezone, wallClock)
  return wallClock
}

/** Shows the local time in ISO 8601 without zone (`datetime` in section 2.6). */
export function localTimeAt(time: number, timezone: string): string {
  const parts = wallClockOf(timezone).formatToParts(time)
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((each) => each.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}`
}
