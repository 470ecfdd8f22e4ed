/** What the timestamp header of a signature says: milliseconds since the epoch, in UTC (section 5.2 of the interface). */
import { duration, exactTime } from '../../../ui/moment.ts'

/** Null for any other header, and for what is no number of milliseconds. */
export function headerTime(name: string, value: string, receivedAt: string): string | null {
  if (!/-timestamp$/i.test(name) || !/^\d{1,15}$/.test(value)) return null
  const ms = Number(value)
  const distance = ms - Date.parse(receivedAt)
  const when = distance === 0 ? 'as it arrived' : `${duration(distance)} ${distance < 0 ? 'before' : 'after'} it arrived`
  return `${exactTime(new Date(ms).toISOString())} · ${when}`
}
