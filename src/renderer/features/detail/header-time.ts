/** What the timestamp header of a signature says: milliseconds since the epoch, in UTC (section 5.2 of the interface). */
import { timestampUnit } from '../../../shared/service/timestamp-unit.ts'
import { duration, exactTime } from '../../ui/moment.ts'

/** Null for any other header, and for a value of no known unit. */
export function headerTime(name: string, value: string, receivedAt: string): string | null {
  if (!/-timestamp$/i.test(name)) return null
  const unit = timestampUnit(value)
  if (unit !== null) return `${unit.text}, not ${unit.expected}`
  if (!/^\d{1,15}$/.test(value)) return null
  const ms = Number(value)
  const distance = ms - Date.parse(receivedAt)
  const when = distance === 0 ? 'as it arrived' : `${duration(distance)} ${distance < 0 ? 'before' : 'after'} it arrived`
  return `${exactTime(new Date(ms).toISOString())} · ${when}`
}
