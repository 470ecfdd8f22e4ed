/** JSON bodies whose values or keys typed objects, frameworks or handlers changed before they were signed. */
import { asWritten, mapJson, writeJson, type RawJson, type Spelling } from './json-spelling.ts'
import type { Variant as AnyVariant } from './mismatch.ts'

type Variant = AnyVariant<string>

/** Whether a JSON text may have null or empty members. */
const CAN_BE_EMPTY = /null|""|\[\]|\{\}/
const isNull = (node: RawJson) => node.kind === 'word' && node.raw === 'null'
/** Drops members that are null; see `mapJson`. */
export const withoutNull = (node: RawJson): RawJson | null => (isNull(node) ? null : node)
const isEmpty = (node: RawJson) =>
  (node.kind === 'string' && node.raw === '""') ||
  (node.kind === 'array' && node.items.length === 0) ||
  (node.kind === 'object' && node.members.length === 0)

/** How typed objects leave out unset values. */
const withoutNulls: readonly (readonly [
  rank: number,
  how: string,
  change: (node: RawJson, depth: number) => RawJson | null,
])[] = [
  [2, 'without null members', withoutNull],
  [3, 'without null and empty members', (node) => (isNull(node) || isEmpty(node) ? null : node)],
  [
    3,
    'without null members at its top level',
    (node, depth) => (depth === 1 && isNull(node) ? null : node),
  ],
  [3, 'with null as ""', (node) => (isNull(node) ? { kind: 'string', raw: '""' } : node)],
]

const DATES = /"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z?)"/g

/** How languages print a date with a zone: between day and time, the fraction, and the end. */
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

type Print = (day: string, time: string, digits: string) => string

/** Changes the dates in a JSON text; `zoned`: only those with a time zone. */
const withDates = (text: string, zoned: boolean, print: Print) =>
  text.replaceAll(
    DATES,
    (raw, day: string, time: string, digits: string | undefined, zone: string) =>
      zoned && zone === '' ? raw : print(day, time, digits ?? ''),
  )

const epoch =
  (by: number): Print =>
  (day, time, digits) =>
    String(Date.parse(`${day}T${time}.${digits.padEnd(3, '0')}Z`) / by)

/** A JSON string, or a key with its colon. */
const TEXTS = /("(?:[^"\\]|\\.)*"(?:\s*:)?)/

/** Returns a function that changes every string and key of a JSON text, each distinct one once. */
export function createRewriter(text: string): (change: (raw: string) => string) => string {
  const pieces = text.split(TEXTS)
  const raws = new Set(pieces.filter((_, index) => index % 2 === 1))
  return (change) => {
    const changed = new Map(
      [...raws].flatMap((raw) => (change(raw) === raw ? [] : [[raw, change(raw)]])),
    )
    return changed.size === 0 ? text : pieces.map((piece) => changed.get(piece) ?? piece).join('')
  }
}

const isKey = (raw: string) => raw.endsWith(':')
const ofStrings = (change: (raw: string) => string) => (raw: string) =>
  isKey(raw) ? raw : change(raw)
const ofKeys = (rename: (name: string) => string) => (raw: string) =>
  isKey(raw) ? raw.replace(/[^"]+/, rename) : raw

const trimmed = (raw: string) => raw.replaceAll(/^"(?:\s|\\[nrt])+|(?:\s|(?<!\\)\\[nrt])+"$/g, '"')
const nullIfEmpty = (raw: string) => (raw === '""' ? 'null' : raw)
/** Words of a name in camelCase; `logoURL` has two. */
const separated = (name: string, by: string) =>
  name.replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, by).toLowerCase()

type Rewriting = readonly [cause: string, how: string, change: (raw: string) => string]

/** How frameworks change strings, and naming policies keys. */
const rewritings: readonly Rewriting[] = [
  ['body:strings', 'with trimmed strings', ofStrings(trimmed)],
  ['body:strings', 'with empty strings as null', ofStrings(nullIfEmpty)],
  [
    'body:strings',
    'with trimmed strings, and empty ones as null, like Laravel',
    ofStrings((raw) => nullIfEmpty(trimmed(raw))),
  ],
  [
    'body:keys',
    'with keys in PascalCase',
    ofKeys((name) => name.charAt(0).toUpperCase() + name.slice(1)),
  ],
  ['body:keys', 'with keys in snake_case', ofKeys((name) => separated(name, '_'))],
]

/** The rarer naming policies. */
export const rareKeys: readonly Rewriting[] = [
  [
    'body:keys',
    'with keys in camelCase',
    ofKeys((name) => name.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (first) => first.toLowerCase())),
  ],
  ['body:keys', 'with keys in kebab-case', ofKeys((name) => separated(name, '-'))],
  ['body:keys', 'with keys in lowercase', ofKeys((name) => name.toLowerCase())],
  [
    'body:keys',
    'with keys in snake_case, each capital apart',
    ofKeys((name) => name.replaceAll(/(?!^)[A-Z]/g, '_$&').toLowerCase()),
  ],
]

/**
 * Returns what typed objects and frameworks make of a JSON text: without nulls, with other dates, strings or keys.
 *
 * @param layout the whitespace that it was written with
 */
export function typed(text: string, tree: RawJson, layout: Partial<Spelling> | null): Variant[] {
  const nulls =
    layout === null || !CAN_BE_EMPTY.test(text)
      ? []
      : withoutNulls.map(([rank, how, change]): Variant => [
          'body:no-nulls',
          rank,
          how,
          writeJson(mapJson(tree, change) ?? tree, { ...asWritten, ...layout }),
        ])
  const rewrite = createRewriter(text)
  const others = [
    ...nulls,
    ...rewritings.map(([cause, how, change]): Variant => [cause, 3, how, rewrite(change)]),
  ]
  if (text.search(DATES) < 0) return others
  const dated = (rank: number, how: string, print: Print, zoned = true): Variant => [
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
  const javaScript: Print = (day, time, digits) =>
    `"${day}T${time}.${digits.padEnd(3, '0').slice(0, 3)}Z"`
  return [
    ...others,
    ...dates,
    dated(3, 'like JavaScript', javaScript, false),
    dated(3, 'in milliseconds', epoch(1)),
    dated(4, 'in seconds', epoch(1_000)),
  ]
}
