/** Times and durations as texts. */

/** Formats local time: `2026-11-21T14:03:07.512`. */
export function localStamp(at: Date | number | string): string {
  const date = new Date(at)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 23)
}

export function shortDay(at: Date): string {
  return at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
}

/** Formats `10:02`, or `21 Nov, 10:02` on another day. */
export function shortMoment(at: Date, now: Date): string {
  const time = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  return at.toDateString() === now.toDateString() ? time : `${shortDay(at)}, ${time}`
}

/** Formats `1.2 s`, `4 min`, `2 h 5 min`, `3 days 4 h`. */
export function spanText(ms: number): string {
  const size = Math.abs(ms)
  if (size < 1_000) return `${Math.round(size)} ms`
  if (size < 60_000) return `${Number((size / 1_000).toFixed(1))} s`
  const minutes = Math.round(size / 60_000)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return joinUnits(`${hours} h`, minutes % 60, 'min')
  const days = Math.floor(hours / 24)
  return joinUnits(days === 1 ? '1 day' : `${days} days`, hours % 24, 'h')
}

function joinUnits(first: string, rest: number, unit: string): string {
  return rest === 0 ? first : `${first} ${rest} ${unit}`
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** Returns the milliseconds of the `m` in `15m`. */
export function unitMs(duration: string): number {
  return UNIT_MS[/(?<![a-z])[a-z]+$/.exec(duration)?.[0] ?? 'ms'] ?? Number.NaN
}
