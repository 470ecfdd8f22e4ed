/** Timestamp headers that aren't milliseconds in plain digits (section 5.2). */

interface TimestampUnit {
  /** `family:detail`, as in `docs/diagnosis.md`. */
  readonly cause: string
  /** Text that completes "Timestamp is …". */
  readonly text: string
  readonly expected: string
}

// The length identifies the unit: seconds have ten digits until 2286.
const units: readonly (readonly [pattern: RegExp, cause: string, text: string])[] = [
  [/^\d{10}$/, 'timestamp:seconds', 'in seconds'],
  [/^\d{10}\.\d+$/, 'timestamp:seconds', 'in seconds with a fraction'],
  [/^\d{16}$/, 'timestamp:microseconds', 'in microseconds'],
  [/^\d{19}$/, 'timestamp:nanoseconds', 'in nanoseconds'],
  [/^(?:\d{13}\.\d+|\d(?:\.\d+)?e\+?\d{1,2})$/i, 'timestamp:float', 'a floating-point number'],
  [
    /^\d{4}-?\d\d-?\d\d[T ]\d\d:?\d\d(?::?\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/i,
    'timestamp:iso',
    'an ISO 8601 date',
  ],
  [
    /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
    'timestamp:http-date',
    'an HTTP date',
  ],
  [/^\d{10,19} ?[mun]?s$/, 'timestamp:suffix', 'a number followed by its unit'],
]

const spellings: typeof units = [
  [/^(["'])\d{10,19}\1$/, 'timestamp:quoted', 'in quotation marks'],
  // Seconds have eight hexadecimal digits, milliseconds eleven.
  [
    /^(?:0x[\da-f]{8,16}|(?=\d*[a-f])(?:[\da-f]{8}|[\da-f]{11}))$/i,
    'timestamp:hex',
    'in hexadecimal',
  ],
  [/^\+\d{10,19}$/, 'timestamp:plus', 'preceded by a plus sign'],
  [/^(?=\s|.*\s$)\s*\d{10,19}\s*$/, 'timestamp:whitespace', 'surrounded by whitespace'],
]

/** Returns the format of a header that isn't plain milliseconds, if known. */
export function timestampUnit(value: string | null): TimestampUnit | null {
  if (value === null) return null
  const matchIn = (formats: typeof units) => formats.find(([pattern]) => pattern.test(value))
  const [unit, spelling] = [matchIn(units), matchIn(spellings)]
  if (unit !== undefined) return { cause: unit[1], text: unit[2], expected: 'milliseconds' }
  return spelling === undefined
    ? null
    : { cause: spelling[1], text: spelling[2], expected: 'milliseconds in plain digits' }
}
