/** JSON bodies whose values or keys were changed before signing. */
import { capitalized } from '../../../shared/text/counted.ts'
import type { JsonNode } from '../../../shared/json/tree.ts'
import { asWritten, floatNumber, shortNumber, writeJson, type Spelling } from './json-spelling.ts'
import type { Variant as AnyVariant } from './mismatch.ts'
import { printedBytes } from './printed-text.ts'

type Variant = AnyVariant<string>

/** Texts that may have null or empty members. */
const CAN_BE_EMPTY = /null|""|\[\]|\{\}/

/** Ways in which typed objects leave out unset values. */
const withoutNulls: readonly (readonly [rank: number, how: string, spelling: Partial<Spelling>])[] =
  [
    [2, 'without null members', { omits: (written) => written === 'null' }],
    [
      3,
      'without null and empty members',
      { omits: (written) => ['null', '""', '[]', '{}'].includes(written) },
    ],
    [
      3,
      'without null members at its top level',
      { omits: (written, depth) => depth === 1 && written === 'null' },
    ],
    [3, 'with null as ""', { word: (raw) => (raw === 'null' ? '""' : raw) }],
  ]

const DATES = /"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z?)"/g

/** Forms of a date with a zone: separator, fraction, and end. */
const dateForms: readonly (readonly [
  rank: number,
  how: string,
  between: string,
  fraction: (digits: string) => string,
  end: string,
])[] = [
  [2, 'without trailing zeros', 'T', (digits) => digits.replace(/(?<!0)0+$/, ''), 'Z'],
  [
    2,
    "like Python's isoformat",
    'T',
    (digits) => (Number(digits) === 0 ? '' : digits.padEnd(6, '0')),
    '+00:00',
  ],
  [3, 'without fractions', 'T', () => '', 'Z'],
  [3, 'with +00:00 instead of Z', 'T', (digits) => digits, '+00:00'],
  [3, 'with +0000 instead of Z', 'T', (digits) => digits, '+0000'],
  [3, 'without fractions, with +00:00', 'T', () => '', '+00:00'],
  [3, 'with six digits', 'T', (digits) => digits.padEnd(6, '0'), 'Z'],
  [3, 'with seven digits, like .NET', 'T', (digits) => digits.padEnd(7, '0'), 'Z'],
  [4, 'with nine digits', 'T', (digits) => digits.padEnd(9, '0'), 'Z'],
  [3, 'with a space', ' ', () => '', ''],
  [4, 'with a space and UTC', ' ', () => '', ' UTC'],
  [4, 'without a time zone', 'T', (digits) => digits, ''],
  [4, 'without fractions and time zone', 'T', () => '', ''],
]

type DatePrinter = (day: string, time: string, digits: string) => string

/** Changes the dates in a JSON text, or only `zoned` ones. */
const withDates = (text: string, zoned: boolean, print: DatePrinter) =>
  text.replaceAll(
    DATES,
    (raw, day: string, time: string, digits: string | undefined, zone: string) =>
      zoned && zone === '' ? raw : print(day, time, digits ?? ''),
  )

const epochPrinter =
  (by: number): DatePrinter =>
  (day, time, digits) =>
    String(Date.parse(`${day}T${time}.${digits.padEnd(3, '0')}Z`) / by)

/** Strings, keys with their colon, and numbers of a JSON text. */
const LEAVES = /("(?:[^"\\]|\\.?)*(?:"(?:\s*:)?|$)|-?\d[\d.eE+-]*)/s

type Kind = 'string' | 'key' | 'number'
type Change = (raw: string) => string

const kindOf = (raw: string): Kind =>
  raw.endsWith(':') ? 'key' : raw.startsWith('"') ? 'string' : 'number'

/** Returns a function that changes all leaves of a kind in a JSON text. */
function createRewriter(text: string): (kind: Kind, change: Change) => string {
  const pieces = text.split(LEAVES)
  // The library runs in Node 20, without `Map.groupBy`.
  const raws = [...new Set(pieces.filter((_, index) => index % 2 === 1))]
  return (kind, change) => {
    const changedLeaves = new Map<string, string>()
    for (const raw of raws) {
      if (kindOf(raw) !== kind) continue
      const leaf = kind === 'key' ? raw.replace(/[^"]+/, change) : change(raw)
      if (leaf !== raw) changedLeaves.set(raw, leaf)
    }
    return changedLeaves.size === 0
      ? text
      : pieces.map((piece) => changedLeaves.get(piece) ?? piece).join('')
  }
}

const trimString: Change = (raw) => {
  const text = JSON.parse(raw) as string
  return text === text.trim() ? raw : JSON.stringify(text.trim())
}
const nullIfEmpty: Change = (raw) => (raw === '""' ? 'null' : raw)
/** Separates words with `_`; `logoURL` has two. */
const snakeCase: Change = (name) =>
  name.replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_').toLowerCase()
const asDouble: Change = (raw) => (/[.eE]/.test(raw) ? floatNumber(raw) : `${raw}.0`)

/** Formats a number like Java's `Double.toString`: `12.0`, `1.7637E12`. */
export function javaDouble(value: number): string {
  const size = Math.abs(value)
  const isPlain = size === 0 || (size >= 1e-3 && size < 1e7)
  const text = isPlain ? String(value) : value.toExponential().replace(/e\+?/, 'E')
  return text.includes('.') ? text : text.replace(/(?=E|$)/, '.0')
}

const onFractions =
  (print: Change): Change =>
  (raw) =>
    /[.eE]/.test(raw) ? print(raw) : raw
const withTwoDecimals: Change = (raw) => Number(raw).toFixed(2)

/** Changes by frameworks, naming policies and number types. */
const rewritings: readonly (readonly [kind: Kind, rank: number, how: string, change: Change])[] = [
  ['number', 1, 'with reformatted numbers (10.00 as 10)', shortNumber],
  ['number', 1, 'with reformatted numbers (10.00 as 10.0)', floatNumber],
  ['number', 3, 'with reformatted numbers (12 as 12.0)', asDouble],
  [
    'number',
    3,
    'with 17 digits, like PHP (277.2 as 277.19999999999999)',
    onFractions((raw) =>
      Number(raw)
        .toPrecision(17)
        .replace(/(?<=[1-9.])0+(?=e|$)/, '')
        .replace(/\.(?=e|$)/, ''),
    ),
  ],
  ['number', 4, 'with two decimals (12.5 as 12.50)', onFractions(withTwoDecimals)],
  ['number', 4, 'with two decimals (12 as 12.00)', withTwoDecimals],
  ['number', 4, "with Java's doubles (12000000 as 1.2E7)", (raw) => javaDouble(Number(raw))],
  ['number', 4, 'with numbers as strings', (raw) => `"${raw}"`],
  ['string', 3, 'with trimmed strings', trimString],
  ['string', 3, 'with empty strings as null', nullIfEmpty],
  [
    'string',
    3,
    'with trimmed strings, and empty ones as null, like Laravel',
    (raw) => nullIfEmpty(trimString(raw)),
  ],
  ['key', 3, 'with keys in PascalCase', capitalized],
  ['key', 3, 'with keys in snake_case', snakeCase],
  [
    'key',
    4,
    'with keys in camelCase',
    (name) => name.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (first) => first.toLowerCase()),
  ],
  ['key', 4, 'with keys in lowercase', (name) => name.toLowerCase()],
]

const rewrittenBodies = (text: string, isTried: (rank: number) => boolean): Variant[] => {
  const rewrite = createRewriter(text)
  return rewritings
    .filter(([, rank]) => isTried(rank))
    .map(([kind, rank, how, change]) => [`body:${kind}s`, rank, how, rewrite(kind, change)])
}

const quotesEscaped: readonly (readonly [how: string, of: RegExp, as: string])[] = [
  [String.raw`' as \', like API Gateway's escapeJavaScript`, /'/g, String.raw`\$&`],
  ["' as &#39;", /'/g, '&#39;'],
  ['quotes and backslashes escaped, like PHP', /['"\\]/g, String.raw`\$&`],
]

const AMOUNTS = /("amount"\s*:\s*)(-?\d+(?:\.\d+)?)/g

/** Yields rare mistakes in a body, likeliest first. */
export function* rareBodies(bytes: Buffer, text: string): Generator<Variant> {
  const row = (cause: string, how: string, body: string): Variant[] =>
    body === text ? [] : [[cause, 4, how, body]]
  for (const [how, of, as] of quotesEscaped)
    yield* row('body:escaped-quotes', `with ${how}`, text.replaceAll(of, as))
  const amounts = text.replaceAll(
    AMOUNTS,
    (_, key: string, amount) => key + Number(amount).toFixed(2),
  )
  yield* row('body:numbers', 'with amounts in two decimals', amounts)
  for (const [cause, , how, body] of rewrittenBodies(text, (rank) => rank > 3))
    yield* row(cause, how, body)
  for (const [how, print] of printedBytes)
    yield* row('body:printed', `printed ${how}`, print(text, bytes))
}

/** Returns what typed objects and frameworks make of a JSON text. */
export function typedJsonVariants(
  text: string,
  tree: JsonNode,
  layout: Partial<Spelling> | null,
): Variant[] {
  const nulls =
    layout === null || !CAN_BE_EMPTY.test(text)
      ? []
      : withoutNulls.map(([rank, how, spelling]): Variant => [
          'body:no-nulls',
          rank,
          how,
          writeJson(tree, { ...asWritten, ...layout, ...spelling }),
        ])
  const otherBodies = [...nulls, ...rewrittenBodies(text, (rank) => rank < 4)]
  if (text.search(DATES) < 0) return otherBodies
  const dated = (rank: number, how: string, print: DatePrinter, zoned = true): Variant => [
    'body:dates',
    rank,
    `with dates ${how}`,
    withDates(text, zoned, print),
  ]
  const dates = dateForms.map(([rank, how, between, fractionOf, end]) =>
    dated(rank, how, (day, time, digits) => {
      const fraction = fractionOf(digits)
      return `"${day}${between}${time}${fraction === '' ? '' : '.'}${fraction}${end}"`
    }),
  )
  const javaScript: DatePrinter = (day, time, digits) =>
    `"${day}T${time}.${digits.padEnd(3, '0').slice(0, 3)}Z"`
  return [
    ...otherBodies,
    ...dates,
    dated(3, 'like JavaScript', javaScript, false),
    dated(3, 'in milliseconds', epochPrinter(1)),
    dated(4, 'in seconds', epochPrinter(1_000)),
  ]
}
