/**
 * Recognizes timestamp headers that aren't milliseconds in plain digits (section 5.2): seconds, finer units, dates and other
 * formats.
 */

interface TimestampUnit {
  /** `family:detail`, as in `docs/diagnosis.md`. */
  readonly cause: string
  /** Completes "Timestamp is …". */
  readonly text: string
  /** What the service sends instead. */
  readonly expected: string
}

// Seconds have ten digits from 2001 to 2286, milliseconds thirteen, and so on: the length identifies the unit.
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

// Whatever the unit, the service uses another notation.
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

/** The format of the header if it isn't plain milliseconds; null if it is, if it's missing, or if the format is unknown. */
export function timestampUnit(value: string | null): TimestampUnit | null {
  if (value === null) return null
  const found = (among: typeof units) => among.find(([pattern]) => pattern.test(value))
  const [unit, spelling] = [found(units), found(spellings)]
  if (unit !== undefined) return { cause: unit[1], text: unit[2], expected: 'milliseconds' }
  return spelling === undefined
    ? null
    : { cause: spelling[1], text: spelling[2], expected: 'milliseconds in plain digits' }
}
