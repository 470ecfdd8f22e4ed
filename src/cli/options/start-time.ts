import { readTimeSpan } from '../../shared/query/search-time.ts'
import { UsageError } from '../context.ts'

/**
 * Returns a typed time in UTC, for several searches. Throws `UsageError`.
 * @param now Milliseconds since the epoch.
 */
export function readStart(text: string, now: number): string {
  const span = readTimeSpan(text, now)
  if (span === null)
    throw new UsageError(
      `"${text}" isn't a time. Use a time such as 2026-11-20, 14:03 or yesterday, or a duration such as 2d.`,
    )
  return new Date(span.from).toISOString()
}
