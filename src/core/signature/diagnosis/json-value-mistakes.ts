/** JSON bodies whose values or keys were changed before signing. */
import { capitalized } from '../../../shared/text/english.ts'
import type { JsonNode } from '../../../shared/json/tree.ts'
import { asWritten, floatNumber, shortNumber, writeJson, type Spelling } from './json-spelling.ts'
import { variant, type Variant } from './mistake.ts'
import { printedBytes } from './printed-forms.ts'

const CAN_BE_EMPTY = /null|""|\[\]|\{\}/

const withoutNulls: readonly Variant<Partial<Spelling>>[] = [
  variant('body:no-nulls', 2, 'without null members', { omits: (written) => written === 'null' }),
  variant('body:no-nulls', 3, 'without null and empty members', {
    omits: (written) => ['null', '""', '[]', '{}'].includes(written),
  }),
  variant('body:no-nulls', 3, 'without null members at its top level', {
    omits: (written, depth) => depth === 1 && written === 'null',
  }),
  variant('body:no-nulls', 3, 'with null as ""', { word: (raw) => (raw === 'null' ? '""' : raw) }),
]

type Rewrite = (text: string) => string

/** Date as a JSON string: `"2026-01-31T23:59:59.123Z"`. */
const DATES = /"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z?)"/g

/** Printer of a date from its day, time and the digits of its fraction, which may be empty. */
type DatePrinter = (day: string, time: string, digits: string) => string

/** Prints a date; `fractionOf` changes the digits of its fraction. */
const isoPrinter =
  (separator: string, fractionOf: (digits: string) => string, zone: string): DatePrinter =>
  (day, time, digits) => {
    const fraction = fractionOf(digits)
    return `"${day}${separator}${time}${fraction === '' ? '' : '.'}${fraction}${zone}"`
  }

const sameFraction = (digits: string) => digits
const noFraction = () => ''
const paddedTo = (length: number) => (digits: string) => digits.padEnd(length, '0')
const milliseconds = (digits: string) => digits.padEnd(3, '0').slice(0, 3)
const withoutTrailingZeros = (digits: string) => digits.replace(/(?<!0)0+$/, '')
const microsecondsIfAny = (digits: string) => (Number(digits) === 0 ? '' : digits.padEnd(6, '0'))

const epochPrinter =
  (divisor: 1 | 1_000): DatePrinter =>
  (day, time, digits) =>
    String(Date.parse(`${day}T${time}.${digits.padEnd(3, '0')}Z`) / divisor)

/** Makes a form of all dates in a JSON text; `skipsUnzoned` leaves those without a zone. */
const dateForm = (
  rank: number,
  how: string,
  print: DatePrinter,
  { skipsUnzoned = true } = {},
): Variant<Rewrite> =>
  variant('body:dates', rank, `with dates ${how}`, (text) =>
    text.replaceAll(
      DATES,
      (raw, day: string, time: string, digits: string | undefined, zone: string) =>
        skipsUnzoned && zone === '' ? raw : print(day, time, digits ?? ''),
    ),
  )

const dateForms = [
  dateForm(2, 'without trailing zeros', isoPrinter('T', withoutTrailingZeros, 'Z')),
  dateForm(2, "like Python's isoformat", isoPrinter('T', microsecondsIfAny, '+00:00')),
  dateForm(3, 'without fractions', isoPrinter('T', noFraction, 'Z')),
  dateForm(3, 'with +00:00 instead of Z', isoPrinter('T', sameFraction, '+00:00')),
  dateForm(3, 'with +0000 instead of Z', isoPrinter('T', sameFraction, '+0000')),
  dateForm(3, 'without fractions, with +00:00', isoPrinter('T', noFraction, '+00:00')),
  dateForm(3, 'with six digits', isoPrinter('T', paddedTo(6), 'Z')),
  dateForm(3, 'with seven digits, like .NET', isoPrinter('T', paddedTo(7), 'Z')),
  dateForm(4, 'with nine digits', isoPrinter('T', paddedTo(9), 'Z')),
  dateForm(3, 'with a space', isoPrinter(' ', noFraction, '')),
  dateForm(4, 'with a space and UTC', isoPrinter(' ', noFraction, ' UTC')),
  dateForm(4, 'without a time zone', isoPrinter('T', sameFraction, '')),
  dateForm(4, 'without fractions and time zone', isoPrinter('T', noFraction, '')),
  dateForm(3, 'like JavaScript', isoPrinter('T', milliseconds, 'Z'), { skipsUnzoned: false }),
  dateForm(3, 'in milliseconds', epochPrinter(1)),
  dateForm(4, 'in seconds', epochPrinter(1_000)),
]

/** Strings, keys with their colon, and numbers of a JSON text: `"id":`, `"a\"b"`, `-1.5e3`. */
const LEAVES = /("(?:[^"\\]|\\.?)*(?:"(?:\s*:)?|$)|-?\d[\d.eE+-]*)/s

type LeafKind = 'string' | 'key' | 'number'

const kindOf = (raw: string): LeafKind =>
  raw.endsWith(':') ? 'key' : raw.startsWith('"') ? 'string' : 'number'

function createLeafRewriter(text: string): (kind: LeafKind, rewrite: Rewrite) => string {
  const pieces = text.split(LEAVES)
  // The library runs in Node 20, without `Map.groupBy`.
  const raws = [...new Set(pieces.filter((_, index) => index % 2 === 1))]
  return (kind, rewrite) => {
    const rewritten = new Map<string, string>()
    for (const raw of raws) {
      if (kindOf(raw) !== kind) continue
      const leaf = kind === 'key' ? raw.replace(/[^"]+/, rewrite) : rewrite(raw)
      if (leaf !== raw) rewritten.set(raw, leaf)
    }
    return rewritten.size === 0
      ? text
      : pieces.map((piece) => rewritten.get(piece) ?? piece).join('')
  }
}

const trimString: Rewrite = (raw) => {
  const text = JSON.parse(raw) as string
  return text === text.trim() ? raw : JSON.stringify(text.trim())
}
const nullIfEmpty: Rewrite = (raw) => (raw === '""' ? 'null' : raw)
/** Separates words with `_`; `logoURL` has two. */
const snakeCase: Rewrite = (name) =>
  name.replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_').toLowerCase()
const camelCase: Rewrite = (name) =>
  name.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (first) => first.toLowerCase())
const asDouble: Rewrite = (raw) => (/[.eE]/.test(raw) ? floatNumber(raw) : `${raw}.0`)

/** Formats a number like Java's `Double.toString`: `12.0`, `1.7637E12`. */
export function javaDouble(value: number): string {
  const size = Math.abs(value)
  const isPlain = size === 0 || (size >= 1e-3 && size < 1e7)
  const text = isPlain ? String(value) : value.toExponential().replace(/e\+?/, 'E')
  return text.includes('.') ? text : text.replace(/(?=E|$)/, '.0')
}

const onFractions =
  (print: Rewrite): Rewrite =>
  (raw) =>
    /[.eE]/.test(raw) ? print(raw) : raw
const withTwoDecimals: Rewrite = (raw) => Number(raw).toFixed(2)

const withSeventeenDigits: Rewrite = (raw) =>
  Number(raw)
    .toPrecision(17)
    .replace(/(?<=[1-9.])0+(?=e|$)/, '')
    .replace(/\.(?=e|$)/, '')

const rewriting = (kind: LeafKind, rank: number, how: string, rewrite: Rewrite) => ({
  kind,
  ...variant(`body:${kind}s`, rank, how, rewrite),
})

/** Changed forms by frameworks, naming policies and number types. */
const rewritings = [
  rewriting('number', 1, 'with reformatted numbers (10.00 as 10)', shortNumber),
  rewriting('number', 1, 'with reformatted numbers (10.00 as 10.0)', floatNumber),
  rewriting('number', 3, 'with reformatted numbers (12 as 12.0)', asDouble),
  rewriting(
    'number',
    3,
    'with 17 digits, like PHP (277.2 as 277.19999999999999)',
    onFractions(withSeventeenDigits),
  ),
  rewriting('number', 4, 'with two decimals (12.5 as 12.50)', onFractions(withTwoDecimals)),
  rewriting('number', 4, 'with two decimals (12 as 12.00)', withTwoDecimals),
  rewriting('number', 4, "with Java's doubles (12000000 as 1.2E7)", (raw) =>
    javaDouble(Number(raw)),
  ),
  rewriting('number', 4, 'with numbers as strings', (raw) => `"${raw}"`),
  rewriting('string', 3, 'with trimmed strings', trimString),
  rewriting('string', 3, 'with empty strings as null', nullIfEmpty),
  rewriting('string', 3, 'with trimmed strings, and empty ones as null, like Laravel', (raw) =>
    nullIfEmpty(trimString(raw)),
  ),
  rewriting('key', 3, 'with keys in PascalCase', capitalized),
  rewriting('key', 3, 'with keys in snake_case', snakeCase),
  rewriting('key', 4, 'with keys in camelCase', camelCase),
  rewriting('key', 4, 'with keys in lowercase', (name) => name.toLowerCase()),
]

function rewrittenBodies(text: string, isTried: (rank: number) => boolean): Variant<string>[] {
  const rewriteLeaves = createLeafRewriter(text)
  return rewritings
    .filter(({ rank }) => isTried(rank))
    .map(({ kind, ...one }) => ({ ...one, value: rewriteLeaves(kind, one.value) }))
}

/** Ways to escape characters that JSON leaves unescaped. */
const escapedQuotes = [
  {
    how: String.raw`with ' as \', like API Gateway's escapeJavaScript`,
    characters: /'/g,
    escape: String.raw`\$&`,
  },
  { how: "with ' as &#39;", characters: /'/g, escape: '&#39;' },
  {
    how: 'with quotes and backslashes escaped, like PHP',
    characters: /['"\\]/g,
    escape: String.raw`\$&`,
  },
]

/** Member with an amount: `"amount": 12.5`. */
const AMOUNTS = /("amount"\s*:\s*)(-?\d+(?:\.\d+)?)/g

/** Yields rare mistakes in a body, likeliest first. */
export function* rareBodies(bytes: Buffer, text: string): Generator<Variant<string>> {
  for (const rare of rareRewritings(bytes, text)) if (rare.value !== text) yield rare
}

function* rareRewritings(bytes: Buffer, text: string): Generator<Variant<string>> {
  for (const { how, characters, escape } of escapedQuotes)
    yield variant('body:escaped-quotes', 4, how, text.replaceAll(characters, escape))
  const amounts = text.replaceAll(
    AMOUNTS,
    (_, key: string, amount) => key + Number(amount).toFixed(2),
  )
  yield variant('body:numbers', 4, 'with amounts in two decimals', amounts)
  yield* rewrittenBodies(text, (rank) => rank > 3)
  for (const { how, print } of printedBytes)
    yield variant('body:printed', 4, `printed ${how}`, print(text, bytes))
}

/** Returns what typed objects and frameworks make of a JSON text. */
export function typedJsonVariants(
  text: string,
  tree: JsonNode,
  whitespace: Partial<Spelling> | null,
): Variant<string>[] {
  const nulls =
    whitespace === null || !CAN_BE_EMPTY.test(text)
      ? []
      : withoutNulls.map((one) => ({
          ...one,
          value: writeJson(tree, { ...asWritten, ...whitespace, ...one.value }),
        }))
  const otherBodies = [...nulls, ...rewrittenBodies(text, (rank) => rank < 4)]
  if (text.search(DATES) < 0) return otherBodies
  return [...otherBodies, ...dateForms.map((form) => ({ ...form, value: form.value(text) }))]
}
