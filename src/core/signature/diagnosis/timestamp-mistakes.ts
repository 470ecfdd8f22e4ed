/** Texts used instead of the timestamp header's value. */
import { parseTimestamp } from '../verify.ts'
import type { DiagnosisInput, KnownTimestamp } from './diagnosis-input.ts'
import {
  combineLikely,
  describeVariants,
  variant,
  type PartMistakes,
  type Variant,
} from './mistake.ts'
import { javaDouble } from './json-value-mistakes.ts'
import { printedTexts } from './printed-forms.ts'
import { unsetTexts } from './unset-texts.ts'

export function timestampMistakes({
  timestamp,
  otherTimestamps,
}: DiagnosisInput): PartMistakes<string> {
  return describeVariants<string>({
    variants: [
      ...inOtherUnits(timestamp),
      ...otherSpellings(timestamp),
      ...otherTimestamps.flatMap(otherTimestampVariants),
      ...unsetTexts.map(({ text, rank }) =>
        variant('timestamp:unset', rank, 'as an unset variable', text),
      ),
    ],
    pairsOf: (variants) => combineLikely(variants, surroundedTexts),
    except: [timestamp, ''],
    identityOf: String,
    describe: ({ how, value }) => ({
      what: `The timestamp was signed ${how} (${value}), but the header is ${timestamp}.`,
      fix: 'Sign the exact text of the timestamp header: milliseconds since the epoch, in decimal.',
    }),
  })
}

const MILLISECOND_DIGITS = 13

/** Units, with the number of digits of a timestamp from 2001 to 2286. */
const units = [
  { unit: 'seconds', digits: 10, rank: 1 },
  { unit: 'milliseconds', digits: MILLISECOND_DIGITS, rank: 1 },
  { unit: 'microseconds', digits: 16, rank: 3 },
  { unit: 'nanoseconds', digits: 19, rank: 3 },
] as const

const convert = (timestamp: string, digits: number) =>
  timestamp.slice(0, digits).padEnd(digits, '0')

const unitOf = (timestamp: string) =>
  /^\d+$/.test(timestamp) ? units.find(({ digits }) => digits === timestamp.length) : undefined

function inOtherUnits(timestamp: string): Variant<string>[] {
  const ownUnit = unitOf(timestamp)
  if (ownUnit === undefined) return []
  return units
    .filter((other) => other !== ownUnit)
    .map(({ unit, digits, rank }) =>
      variant(`timestamp:${unit}`, rank, `in ${unit}`, convert(timestamp, digits)),
    )
}

/** Largest difference in milliseconds if code reads the clock twice. */
const MAX_READ_TWICE_MS = 30

/** Forms of a date by who prints it, with its parts as `%w %d %m %y %t`. */
const DATE_TEXTS = [
  { printer: 'JavaScript', form: '%w %m %d %y %t GMT+0000 (Coordinated Universal Time)' },
  { printer: 'JavaScript', form: '%w %m %d %y %t GMT+0000 (GMT)' },
  { printer: 'JavaScript', form: '%w %m %d %y %t GMT+0000' },
  { printer: 'Java', form: '%w %m %d %t UTC %y' },
  { printer: 'Java', form: '%w %m %d %t GMT %y' },
  { printer: 'C', form: '%w %m %d %t %y' },
  { printer: 'an email', form: '%w, %d %m %y %t +0000' },
]

/** Fractions with `%` for digits, and zones, each likeliest first. */
const FRACTIONS = ['', '.%', '.%000', '.%0000', '.%000000']
const ZONES = ['Z', '+00:00', '', '+0000', ' UTC', ' +0000', ' +0000 UTC']

function isoDates(iso: string): Variant<string>[] {
  const [day, time, digits] = [iso.slice(0, 10), iso.slice(11, 19), iso.slice(20, 23)]
  return FRACTIONS.flatMap((fraction, fractionIndex) =>
    ZONES.flatMap((zone, zoneIndex) =>
      ['T', ' '].map((between) =>
        variant(
          'timestamp:iso',
          between === 'T' && fractionIndex < 2 && zoneIndex === 0
            ? 1
            : fractionIndex < 3 && zoneIndex < 3
              ? 3
              : 4,
          'as an ISO 8601 string',
          day + between + time + fraction.replace('%', digits) + zone,
        ),
      ),
    ),
  )
}

const reformattedTexts = (text: string): Variant<string>[] => [
  ...[',', '.', ' ', '\u00a0', '\u202f', "'", '\u2019', '_'].map((separator) =>
    variant(
      'timestamp:grouped',
      4,
      'with grouped digits',
      /^\d{4,19}$/.test(text) ? BigInt(text).toLocaleString('en').replaceAll(',', separator) : text,
    ),
  ),
  ...[', ', ',', ''].map((separator) =>
    variant(
      'timestamp:doubled',
      4,
      'twice, as proxies merge repeated headers',
      text + separator + text,
    ),
  ),
  ...(text.includes(',') ? (text.match(/\d{10,}/g) ?? []) : []).map((one) =>
    variant('timestamp:several', 2, 'as one of the values of a merged header', one),
  ),
  ...printedTexts.map(({ how, print }) =>
    variant('timestamp:printed', 4, `printed ${how}`, print(text, Buffer.from(text))),
  ),
]

function printedTimes(at: number): Variant<string>[] {
  const date = new Date(at)
  if (!Number.isSafeInteger(at) || Number.isNaN(date.getTime())) return []
  // Sample: `Fri, 21 Nov 2025 04:40:07 GMT`.
  const [w, d, m, y, t] = date.toUTCString().split(/,? /)
  const parts: Readonly<Record<string, string | undefined>> = { w, d, m, y, t }
  return [
    variant('timestamp:seconds', 1, 'in seconds', String(Math.floor(at / 1_000))),
    variant('timestamp:seconds', 2, 'in seconds, with a fraction', (at / 1_000).toFixed(3)),
    variant(
      'timestamp:seconds',
      2,
      'in seconds, with a fraction',
      at % 1_000 === 0 ? (at / 1_000).toFixed(1) : String(at / 1_000),
    ),
    variant('timestamp:seconds', 3, 'in seconds, rounded up', String(Math.ceil(at / 1_000))),
    ...isoDates(date.toISOString()),
    variant('timestamp:http-date', 3, 'as an HTTP date', date.toUTCString()),
    ...DATE_TEXTS.map(({ printer, form }) =>
      variant(
        'timestamp:date-text',
        4,
        `as ${printer} prints a date`,
        form.replaceAll(/%(.)/g, (_, part: string) => parts[part] ?? ''),
      ),
    ),
  ]
}

const surroundedTexts = (text: string): Variant<string>[] => [
  variant('timestamp:trimmed', 2, 'without surrounding whitespace', text.trim()),
  variant('timestamp:suffix', 2, 'with a trailing newline', `${text}\n`),
  variant('timestamp:suffix', 3, 'with its unit', `${text}ms`),
  variant('timestamp:quoted', 3, 'in quotes', `"${text}"`),
  variant('timestamp:float', 2, 'as a number with a fraction', `${text}.0`),
  variant('timestamp:suffix', 4, 'as JavaScript prints a BigInt', `${text}n`),
]

function otherSpellings(timestamp: string): Variant<string>[] {
  const number = parseTimestamp(timestamp)
  const texts = [...surroundedTexts(timestamp), ...reformattedTexts(timestamp)]
  if (number === null) {
    const time = Date.parse(timestamp)
    if (Number.isNaN(time)) return texts
    return [
      ...texts,
      variant(
        'timestamp:milliseconds',
        1,
        'in milliseconds, although the header is a date',
        String(time),
      ),
      ...printedTimes(time),
    ]
  }
  const nearbyTimes = Array.from({ length: MAX_READ_TWICE_MS }, (_, index) => index + 1).flatMap(
    (by) => [
      variant('timestamp:read-twice', 4, `${by} ms before the header`, String(number - by)),
      variant('timestamp:read-twice', 4, `${by} ms after the header`, String(number + by)),
    ],
  )
  return [
    ...printedTimes(
      unitOf(timestamp) === undefined ? number : Number(convert(timestamp, MILLISECOND_DIGITS)),
    ),
    ...printedTimes(number),
    variant(
      'timestamp:seconds',
      3,
      'in milliseconds, rounded down to a second',
      String(Math.floor(number / 1_000) * 1_000),
    ),
    variant(
      'timestamp:float',
      3,
      'in scientific notation, like a floating-point number',
      javaDouble(number),
    ),
    variant(
      'timestamp:float',
      3,
      'in scientific notation, like a floating-point number',
      number.toExponential().toUpperCase(),
    ),
    variant('timestamp:float', 3, 'as Go prints a float64', number.toExponential()),
    ...texts,
    ...nearbyTimes,
  ]
}

/** Returns the text of another known time, also in milliseconds and seconds. */
function otherTimestampVariants({ kind, text, where }: KnownTimestamp): Variant<string>[] {
  const cause = `timestamp:${kind}`
  const time = parseTimestamp(text) ?? Date.parse(text)
  const rank = kind === 'other-header' ? 3 : 2
  const asNumber = Number.isNaN(time)
    ? []
    : [
        variant(cause, rank, `as ${where}, in milliseconds`, String(time)),
        variant(cause, rank, `as ${where}, in seconds`, String(Math.floor(time / 1_000))),
      ]
  return [variant(cause, rank, `as ${where}`, text), ...asNumber]
}
