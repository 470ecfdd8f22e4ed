/** Rounds amounts to their currency and formats times in a time zone. */
import { minorDigits } from '../../shared/text/amount.ts'

export function roundAmount(amount: number, currency: string): number {
  return Number(amount.toFixed(minorDigits(currency) ?? 2))
}

/** Time formats by time zone, because making one is slow. */
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(timezone: string): Intl.DateTimeFormat {
  const cached = formatters.get(timezone)
  if (cached !== undefined) return cached
  const formatter = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
  formatters.set(timezone, formatter)
  return formatter
}

/** Formats a time as local ISO 8601 without zone (`datetime` in section 2.6). */
export function localTimeAt(time: number, timezone: string): string {
  const parts = formatterOf(timezone).formatToParts(time)
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((candidate) => candidate.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}`
}
