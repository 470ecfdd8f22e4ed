/** Writes the times of a query in UTC: it may be read on a computer in another time zone than the one that shows times to the user. */
import { timeInUtc } from './meaning.ts'
import { parsePieces, type FieldValue } from './parse.ts'

const MAY_HAVE_TIMES = /(?:received|after|before):/i

/** Returns the query with local times in UTC. A query that can't be parsed is returned unchanged: its reader reports the problem. */
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
