/** Conversion of a query's times to UTC, for a reader in another time zone. */
import { timeInUtc } from './interpret-time.ts'
import { parsePieces, type FieldValue } from './parse.ts'

const MAY_HAVE_TIMES = /(?:received|after|before):/i

/** Writes times in UTC; an invalid query stays, since its reader reports the problem. */
export function withUtcTimes(query: string, now: number): string {
  if (!MAY_HAVE_TIMES.test(query)) return query
  let values: readonly FieldValue[]
  try {
    values = parsePieces(query).values
  } catch {
    return query
  }
  return values.toReversed().reduce((text, { from, to, field, item }) => {
    const utc = timeInUtc(field, item, now)
    return utc === null ? text : text.slice(0, from) + utc + text.slice(to)
  }, query)
}
