/** Timestamp headers that are not in milliseconds (section 5.2): a sender's seconds, finer units, or a date. */

export interface TimestampUnit {
  /** `timestamp:detail`, as in `docs/diagnosis.md`. */
  readonly cause: string
  /** Completes "Timestamp is …". */
  readonly text: string
}

// Seconds have ten digits from 2001 to 2286, milliseconds thirteen, and so on: the length alone tells the unit.
const units: readonly (readonly [pattern: RegExp, cause: string, text: string])[] = [
  [/^\d{10}$/, 'timestamp:seconds', 'in seconds'],
  [/^\d{10}\.\d+$/, 'timestamp:seconds', 'in seconds with a fraction'],
  [/^\d{16}$/, 'timestamp:microseconds', 'in microseconds'],
  [/^\d{19}$/, 'timestamp:nanoseconds', 'in nanoseconds'],
  [/^(?:\d{13}\.\d+|\d(?:\.\d+)?e\+?\d{1,2})$/i, 'timestamp:float', 'a floating-point number'],
  [/^\d{4}-?\d\d-?\d\d[T ]\d\d:?\d\d(?::?\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/i, 'timestamp:iso', 'an ISO 8601 date'],
  [/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/, 'timestamp:http-date', 'an HTTP date'],
  [/^\d{10,19} ?[mun]?s$/, 'timestamp:suffix', 'a number followed by its unit'],
  [/^(["'])\d{10,19}\1$/, 'timestamp:quoted', 'in quotation marks'],
]

/** What the header is in place of milliseconds; null if it is in milliseconds, missing, or nothing known. */
export function timestampUnit(value: string | null): TimestampUnit | null {
  if (value === null) return null
  const found = units.find(([pattern]) => pattern.test(value))
  return found === undefined ? null : { cause: found[1], text: found[2] }
}
