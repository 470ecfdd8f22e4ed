/** Texts used instead of the timestamp header's value. */
import { parseTimestamp } from '../verify.ts'
import {
  createMistakeGroup,
  combineMismatches,
  type DiagnosisInput,
  type MistakeGroup,
  type KnownTimestamp,
  type Variant as AnyVariant,
} from './mismatch.ts'
import { javaDouble } from './body-values.ts'
import { printedTexts } from './printed-text.ts'
import { unsetTexts } from './unset.ts'

type Variant = AnyVariant<string>

/** Digits of a timestamp from 2001 to 2286, by unit. */
const units = [
  ['seconds', 10, 1],
  ['milliseconds', 13, 1],
  ['microseconds', 16, 3],
  ['nanoseconds', 19, 3],
] as const

/** Converts the time to other units, if the number of its digits shows its unit. */
function inOtherUnits(timestamp: string): Variant[] {
  const ownUnit = /^\d+$/.test(timestamp)
    ? units.find(([, digits]) => digits === timestamp.length)
    : undefined
  return ownUnit === undefined
    ? []
    : units
        .filter((unit) => unit !== ownUnit)
        .map(([unit, digits, rank]): Variant => [
          `timestamp:${unit}`,
          rank,
          `in ${unit}`,
          timestamp.slice(0, digits).padEnd(digits, '0'),
        ])
}

/** Largest difference in milliseconds between two readings of the clock. */
const MAX_READ_TWICE_MS = 30

/** Forms of a date, with its parts as `%w %d %m %y %t`. */
const DATE_TEXTS = [
  ['JavaScript', '%w %m %d %y %t GMT+0000 (Coordinated Universal Time)'],
  ['JavaScript', '%w %m %d %y %t GMT+0000 (GMT)'],
  ['JavaScript', '%w %m %d %y %t GMT+0000'],
  ['Java', '%w %m %d %t UTC %y'],
  ['Java', '%w %m %d %t GMT %y'],
  ['C', '%w %m %d %t %y'],
  ['an email', '%w, %d %m %y %t +0000'],
] as const

/** Fractions of a second, with `%` for its digits. */
const FRACTIONS = ['', '.%', '.%000', '.%0000', '.%000000']
const ZONES = ['Z', '+00:00', '', '+0000', ' UTC', ' +0000', ' +0000 UTC']

/** Returns the date in ISO 8601 and similar forms. */
function isoDates(iso: string): Variant[] {
  const [day, time, digits] = [iso.slice(0, 10), iso.slice(11, 19), iso.slice(20, 23)]
  return FRACTIONS.flatMap((fraction, places) =>
    ZONES.flatMap((zone, index) =>
      ['T', ' '].map((between): Variant => [
        'timestamp:iso',
        between === 'T' && places < 2 && index === 0 ? 1 : places < 3 && index < 3 ? 3 : 4,
        'as an ISO 8601 string',
        day + between + time + fraction.replace('%', digits) + zone,
      ]),
    ),
  )
}

/** Rewrites the header's value as proxies and printers do. */
const reformattedTexts = (text: string): Variant[] => [
  ...[',', '.', ' ', '\u00a0', '\u202f', "'", '\u2019', '_'].map((by): Variant => [
    'timestamp:grouped',
    4,
    'with grouped digits',
    /^\d{4,19}$/.test(text) ? BigInt(text).toLocaleString('en').replaceAll(',', by) : text,
  ]),
  ...[', ', ',', ''].map((by): Variant => [
    'timestamp:doubled',
    4,
    'twice, as proxies merge repeated headers',
    text + by + text,
  ]),
  ...(text.includes(',') ? (text.match(/\d{10,}/g) ?? []) : []).map((part): Variant => [
    'timestamp:several',
    2,
    'as one of the values of a merged header',
    part,
  ]),
  ...printedTexts.map(([how, print]): Variant => [
    'timestamp:printed',
    4,
    `printed ${how}`,
    print(text, Buffer.from(text)),
  ]),
]

/** Prints a time in milliseconds like common languages. */
function printedTimes(at: number): Variant[] {
  const date = new Date(at)
  if (!Number.isSafeInteger(at) || Number.isNaN(date.getTime())) return []
  const [w, d, m, y, t] = date.toUTCString().split(/,? /)
  const parts: Readonly<Record<string, string | undefined>> = { w, d, m, y, t }
  return [
    ['timestamp:seconds', 1, 'in seconds', String(Math.floor(at / 1_000))],
    ['timestamp:seconds', 2, 'in seconds, with a fraction', (at / 1_000).toFixed(3)],
    [
      'timestamp:seconds',
      2,
      'in seconds, with a fraction',
      at % 1_000 === 0 ? (at / 1_000).toFixed(1) : String(at / 1_000),
    ],
    ['timestamp:seconds', 3, 'in seconds, rounded up', String(Math.ceil(at / 1_000))],
    ...isoDates(date.toISOString()),
    ['timestamp:http-date', 3, 'as an HTTP date', date.toUTCString()],
    ...DATE_TEXTS.map(([language, text]): Variant => [
      'timestamp:date-text',
      4,
      `as ${language} prints a date`,
      text.replaceAll(/%(.)/g, (_, part: string) => parts[part] ?? ''),
    ]),
  ]
}

const inMilliseconds = (timestamp: string) =>
  inOtherUnits(timestamp).find(([cause]) => cause === 'timestamp:milliseconds')?.[3]

/** Adds something around the text, or removes it. */
const surroundedTexts = (text: string): Variant[] => [
  ['timestamp:trimmed', 2, 'without surrounding whitespace', text.trim()],
  ['timestamp:suffix', 2, 'with a trailing newline', `${text}\n`],
  ['timestamp:suffix', 3, 'with its unit', `${text}ms`],
  ['timestamp:quoted', 3, 'in quotes', `"${text}"`],
  ['timestamp:float', 2, 'as a number with a fraction', `${text}.0`],
  ['timestamp:suffix', 4, 'as JavaScript prints a BigInt', `${text}n`],
]

/** Returns other spellings of the header's value. */
function otherSpellings(timestamp: string): Variant[] {
  const number = parseTimestamp(timestamp)
  const texts = [...surroundedTexts(timestamp), ...reformattedTexts(timestamp)]
  if (number === null) {
    const time = Date.parse(timestamp)
    if (Number.isNaN(time)) return texts
    return [
      ...texts,
      ['timestamp:milliseconds', 1, 'in milliseconds, although the header is a date', String(time)],
      ...printedTimes(time),
    ]
  }
  const nearbyTimes = Array.from({ length: MAX_READ_TWICE_MS }, (_, index) => index + 1).flatMap(
    (by): Variant[] => [
      ['timestamp:read-twice', 4, `${by} ms before the header`, String(number - by)],
      ['timestamp:read-twice', 4, `${by} ms after the header`, String(number + by)],
    ],
  )
  return [
    ...printedTimes(Number(inMilliseconds(timestamp) ?? number)),
    ...printedTimes(number),
    [
      'timestamp:seconds',
      3,
      'in milliseconds, rounded down to a second',
      String(Math.floor(number / 1_000) * 1_000),
    ],
    [
      'timestamp:float',
      3,
      'in scientific notation, like a floating-point number',
      javaDouble(number),
    ],
    [
      'timestamp:float',
      3,
      'in scientific notation, like a floating-point number',
      number.toExponential().toUpperCase(),
    ],
    ['timestamp:float', 3, 'as Go prints a float64', number.toExponential()],
    ...texts,
    ...nearbyTimes,
  ]
}

const causeByKind: Readonly<Record<KnownTimestamp['kind'], string>> = {
  'date-header': 'timestamp:date-header',
  'other-header': 'timestamp:other-header',
  receipt: 'timestamp:receipt',
}

/** Returns the text of another known time, also in milliseconds and seconds. */
function otherTimestampVariants({ kind, text, where }: KnownTimestamp): Variant[] {
  const cause = causeByKind[kind]
  const time = parseTimestamp(text) ?? Date.parse(text)
  const rank = kind === 'other-header' ? 3 : 2
  const asNumber: Variant[] = Number.isNaN(time)
    ? []
    : [
        [cause, rank, `as ${where}, in milliseconds`, String(time)],
        [cause, rank, `as ${where}, in seconds`, String(Math.floor(time / 1_000))],
      ]
  return [[cause, rank, `as ${where}`, text], ...asNumber]
}

export function timestampMismatches({
  timestamp,
  otherTimestamps,
}: DiagnosisInput): MistakeGroup<string> {
  return createMistakeGroup<string>({
    variants: [
      ...inOtherUnits(timestamp),
      ...otherSpellings(timestamp),
      ...otherTimestamps.flatMap(otherTimestampVariants),
      ...unsetTexts.map(([text, rank]): Variant => [
        'timestamp:unset',
        rank,
        'as an unset variable',
        text,
      ]),
    ],
    twice: (single) => combineMismatches(single, surroundedTexts),
    except: [timestamp, ''],
    keyOf: String,
    describe: (how, text) => ({
      what: `The timestamp was signed ${how} (${text}), but the header is ${timestamp}.`,
      fix: 'Sign the exact text of the timestamp header: milliseconds since the epoch, in decimal.',
    }),
  })
}
