/** Days, times of day and durations in words, the first two in the user's time zone. */

/** `2026-11-21T14:03:07.512`, in the user's time zone. */
export function localStamp(at: Date | number | string): string {
  const date = new Date(at)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 23)
}

/** `21 Nov`. */
export function shortDay(at: Date): string {
  return at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
}

/** `10:02`; `21 Nov, 10:02` if `now` is another day. */
export function shortMoment(at: Date, now: Date): string {
  const time = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  return at.toDateString() === now.toDateString() ? time : `${shortDay(at)}, ${time}`
}

/** A duration in a sentence: `1.2 s`, `4 min`, `2 h 5 min`, `3 days 4 h`. */
export function spanText(ms: number): string {
  const size = Math.abs(ms)
  if (size < 1_000) return `${Math.round(size)} ms`
  if (size < 60_000) return `${Number((size / 1_000).toFixed(1))} s`
  const minutes = Math.round(size / 60_000)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return both(`${hours} h`, minutes % 60, 'min')
  const days = Math.floor(hours / 24)
  return both(days === 1 ? '1 day' : `${days} days`, hours % 24, 'h')
}

function both(first: string, rest: number, unit: string): string {
  return rest === 0 ? first : `${first} ${rest} ${unit}`
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** The milliseconds of a duration's unit, such as the `m` of 15m; without one, of `ms`. NaN for another unit. */
export function unitMs(duration: string): number {
  return UNIT_MS[/(?<![a-z])[a-z]+$/.exec(duration)?.[0] ?? 'ms'] ?? Number.NaN
}
