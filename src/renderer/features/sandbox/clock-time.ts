/** Time of the sandbox clock, as text and from text. */
import { duration, longDuration } from '../../ui/moment.ts'
import type { ClockReading } from './use-sandbox.ts'

const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS

/** Returns the sandbox time in milliseconds since the epoch, for `now` in real time. */
export function sandboxNow({ state, readAt }: ClockReading, now: number): number {
  const stood = Date.parse(state.now)
  return state.paused ? stood : stood + Math.max(0, now - readAt) * state.speed
}

/** Returns `in 2 days`, `in 4 h 12 min`, `due now`. */
export function untilWords(ms: number): string {
  return ms <= 0
    ? 'due now'
    : `in ${ms < 1_000 ? '1 s' : duration(ms).replace(/^(\d+)\.\d s$/, '$1 s')}`
}

/** Returns the lead of the sandbox over real time: `real time`, `2 days 5 h ahead`. */
export function aheadWords(ms: number): string {
  if (Math.abs(ms) < 1_500) return 'real time'
  // Advancing by 72 h takes a moment: from an hour on, seconds don't count.
  const shown = Math.abs(ms) < HOUR_MS ? ms : Math.round(ms / MINUTE_MS) * MINUTE_MS
  return `${longDuration(shown).replace(/^(\d+)\.\d s$/, '$1 s')} ${ms > 0 ? 'ahead' : 'behind'}`
}

/** Returns `2026-11-23 12:00:00` in UTC, like the times of the service. */
export function clockText(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}

/** Parses a typed time: ISO 8601 with a space or T, UTC without a zone. Null if invalid. */
export function readTime(text: string): string | null {
  const match =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)\s*(Z|UTC|[+-]\d\d:\d\d)?)?$/i.exec(
      text.trim(),
    )
  if (match === null) return null
  const [, day = '', time = '00:00', zone = 'Z'] = match
  const at = new Date(`${day}T${time}${/^(z|utc)$/i.test(zone) ? 'Z' : zone}`)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}
