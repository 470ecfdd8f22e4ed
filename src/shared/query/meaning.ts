/** Interpretation of an expression: times relative to now, hooks by id. */
import type { Expression, Item, Name } from './expression.ts'
import { fieldOf, type SearchField, type FieldName } from './fields.ts'
import { flagMeaning, flagWords } from './flag-words.ts'
import { FLAGS, type FlagName } from './flags.ts'
import { isDecimal } from './decimal.ts'
import {
  EVERYTHING,
  NOTHING,
  COMPARISON_OPERATORS,
  type Bound,
  type JsonTest,
  type Operator,
  type Query,
} from './query.ts'
import { fitsPattern, foldCase, patternOf } from './pattern.ts'
import { likelyNames, type Mistake } from './problem.ts'
import { readLength, readTimeSpan, type TimeSpan } from './time.ts'
import { endsUnspaced, splitWords } from './words.ts'

export interface NamedHook {
  readonly id: string
  readonly remoteId: string | null
  readonly url: string
  readonly path: string
}

export interface QueryContext {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly hooks: readonly NamedHook[]
}

export type QueryReading =
  { readonly ok: true; readonly query: Query } | { readonly ok: false; readonly mistake: Mistake }

const accept = (query: Query): QueryReading => ({ ok: true, query })
const reject = (sentence: string, suggestions: readonly string[] = []): QueryReading => ({
  ok: false,
  mistake: { sentence, suggestions },
})

/** Splits `>=5` or `1..9` into limits; null for a plain value. */
export function boundsIn({ quoted, text }: Item): readonly Bound<string>[] | null {
  if (quoted) return null
  const operator = COMPARISON_OPERATORS.toSorted((a, b) => b.length - a.length).find((symbol) =>
    text.startsWith(symbol),
  )
  if (operator !== undefined) return [{ operator, value: text.slice(operator.length) }]
  const cut = text.indexOf('..')
  if (cut === -1) return null
  const bound = (side: Operator, value: string): readonly Bound<string>[] =>
    value === '' ? [] : [{ operator: side, value }]
  return [...bound('>=', text.slice(0, cut)), ...bound('<=', text.slice(cut + 2))]
}

export function exampleValue(name: FieldName): string {
  return fieldOf(name).example.slice(name.length + 1)
}

const patternIn = ({ quoted, text }: Item) => (quoted ? [text] : patternOf(text))

const SIZE_UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1_000,
  mb: 1_000_000,
  gb: 1_000_000_000,
  kib: 1_024,
  mib: 1_048_576,
  gib: 1_073_741_824,
}

function readNumber(kind: 'number' | 'size' | 'duration', text: string): number | null {
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  if (kind === 'duration') return readLength(text)
  const [, amount, unit] =
    (kind === 'size' ? /^(\d+(?:\.\d+)?)([kmg]?i?b)$/i.exec(text) : null) ?? []
  const factor = SIZE_UNITS[unit?.toLowerCase() ?? '']
  return amount === undefined || factor === undefined ? null : Number(amount) * factor
}

const NUMBER_WORDS = {
  number: 'a number',
  size: 'a size such as 500 or 100kB',
  duration: 'a time in milliseconds or with a unit, such as 2s',
} as const

function numberMeaning(
  name: FieldName,
  kind: 'number' | 'size' | 'duration',
  item: Item,
  words: readonly string[] = [],
): QueryReading {
  const written = boundsIn(item) ?? [
    { operator: '>=' as const, value: item.text },
    { operator: '<=' as const, value: item.text },
  ]
  const bounds = written.map(({ operator, value }) => ({
    operator,
    value: readNumber(kind, value),
  }))
  if (bounds.length === 0 || bounds.some(({ value }) => value === null))
    return reject(
      `"${item.text}" isn't a value of ${name}:. Expected ${[...words, NUMBER_WORDS[kind]].join(', ')}, a comparison or a range.`,
      words.length > 0
        ? likelyNames(item.text, words).concat(words).slice(0, 1)
        : [exampleValue(name)],
    )
  return accept({ kind: 'bounds', field: name, bounds: bounds as readonly Bound<number>[] })
}

function timeMeaning(
  name: FieldName,
  { relation }: Extract<SearchField, { kind: 'time' }>,
  item: Item,
  now: number,
): QueryReading {
  const from = (value: number): Bound<number> => ({ operator: '>=', value })
  const until = (value: number): Bound<number> => ({ operator: '<', value })
  const between = (...bounds: readonly Bound<number>[]) =>
    accept({ kind: 'bounds', field: 'received', bounds })
  const unreadable = () =>
    reject(
      `"${item.text}" isn't a value of ${name}:. Expected ${relation === 'within' ? 'a duration such as 10m or 2h' : 'a time such as 2026-11-20, 14:03 or 2h'}.`,
      [exampleValue(name)],
    )
  if (relation === 'within') {
    const length = readLength(item.text)
    return length === null ? unreadable() : between(from(now - length))
  }
  const edge = (operator: Operator, { from: start, to: end }: TimeSpan) => {
    if (operator === '>') return from(end)
    if (operator === '>=') return from(start)
    return until(operator === '<' ? start : end)
  }
  const written = relation === 'at' ? boundsIn(item) : null
  if (written === null) {
    const span = readTimeSpan(item.text, now)
    if (span === null) return unreadable()
    if (relation === 'after') return between(from(span.from))
    if (relation === 'before') return between(until(span.from))
    return between(from(span.from), until(span.to))
  }
  const bounds = written.map(({ operator, value }) => {
    const span = readTimeSpan(value, now)
    return span === null ? null : edge(operator, span)
  })
  if (bounds.length === 0 || bounds.includes(null)) return unreadable()
  return between(...(bounds as readonly Bound<number>[]))
}

function slugOf(path: string): string | null {
  return /^\/h\/([^/?]+)/.exec(path)?.[1] ?? null
}

/** Returns a hook's names, shortest first. */
export function hookNames({ id, remoteId, url, path }: NamedHook): readonly string[] {
  return [slugOf(path), url, path, remoteId, id].filter((name) => name !== null)
}

function hookMeaning(item: Item, hooks: readonly NamedHook[]): QueryReading {
  const pattern = patternIn(item).map(foldCase)
  const values = hooks
    .filter((hook) => hookNames(hook).some((name) => fitsPattern(pattern, foldCase(name))))
    .map(({ id }) => id)
  // A deleted hook is still found by the id stored with its deliveries.
  if (values.length === 0)
    return accept(
      pattern.length > 1 ? NOTHING : { kind: 'one-of', field: 'hook', values: [item.text] },
    )
  return accept({ kind: 'one-of', field: 'hook', values })
}

function headerMeaning(item: Item): QueryReading {
  const colon = item.text.indexOf(':')
  if (colon === -1) return accept({ kind: 'header', name: patternIn(item), value: null })
  const name = item.text.slice(0, colon).trim()
  if (name === '')
    return reject('Add a header name before the colon.', ['"content-type: application/json"'])
  const value = { quoted: item.quoted, text: item.text.slice(colon + 1).trim() }
  return accept({
    kind: 'header',
    name: patternIn({ ...item, text: name }),
    value: patternIn(value),
  })
}

function fieldMeaning(name: FieldName, item: Item, { now, hooks }: QueryContext): QueryReading {
  const field = fieldOf(name)
  switch (field.kind) {
    case 'text':
      return accept({
        kind: 'text',
        field: name,
        pattern: field.anywhereIn !== undefined ? ['', ...patternIn(item), ''] : patternIn(item),
      })
    case 'choice': {
      const choices = Object.keys(field.values)
      const value = item.text.toLowerCase()
      if (choices.includes(value)) return accept({ kind: 'one-of', field: name, values: [value] })
      return unknownWord(name, item.text, choices)
    }
    case 'number': {
      const flag = field.words === undefined ? null : `${name}:${item.text.toLowerCase()}`
      if (flag !== null && Object.hasOwn(FLAGS, flag))
        return accept({ kind: 'flag', flag: flag as FlagName })
      return numberMeaning(name, field.kind, item, Object.keys(field.words ?? {}))
    }
    case 'size':
    case 'duration':
      return numberMeaning(name, field.kind, item)
    case 'time':
      return timeMeaning(name, field, item, now)
    case 'paths': {
      const test = jsonTestOf(item)
      return 'sentence' in test
        ? { ok: false, mistake: test }
        : accept({ kind: 'any', of: field.paths.map((path) => ({ kind: 'json', path, test })) })
    }
    case 'hook':
      return hookMeaning(item, hooks)
    case 'header':
      return headerMeaning(item)
    case 'body':
      return wordsMeaning('body', item.text, item.quoted)
    case 'flag': {
      const meaning = flagMeaning(field.of, item.text)
      return meaning === null
        ? unknownWord(
            name,
            item.text,
            flagWords(field.of).map(({ word }) => word),
          )
        : accept(meaning)
    }
  }
}

function unknownWord(name: FieldName, given: string, choices: readonly string[]): QueryReading {
  const near = likelyNames(given, choices)
  const hint =
    near[0] === undefined ? `Use ${choices.join(', ')}.` : `Did you mean ${name}:${near[0]}?`
  return reject(`"${given}" isn't a value of ${name}:. ${hint}`, near.length > 0 ? near : choices)
}

/** Most words of a phrase; more would make searches slow. */
const MOST_PHRASE_WORDS = 100

function wordsMeaning(within: 'everything' | 'body', text: string, exact: boolean): QueryReading {
  const words = splitWords(text)
  if (words.length === 0)
    return reject(`Nothing to search for in "${text}". Add letters or digits.`)
  if (words.length > MOST_PHRASE_WORDS)
    return reject(
      `Too long: a phrase can have ${MOST_PHRASE_WORDS} words. Use a part of it that is rare.`,
    )
  return accept({
    kind: 'words',
    within,
    phrase: { words, prefix: !exact && !endsUnspaced(words) },
  })
}

function jsonTestOf(item: Item): JsonTest | Mistake {
  const { quoted, text } = item
  if (quoted) return { kind: 'string', text }
  if (text === '*') return { kind: 'present' }
  const bounds = boundsIn(item)
  if (bounds === null) return { kind: 'value', pattern: patternOf(text) }
  if (bounds.length === 0 || bounds.some(({ value }) => value === ''))
    return {
      sentence: `"${text}" is incomplete. Add a number or text to compare with.`,
      suggestions: ['>100', '10..20'],
    }
  const [first, second] = bounds.map(({ value }) => isDecimal(value))
  if (second !== undefined && first !== second)
    return {
      sentence: `The range "${text}" mixes a number and text. Use two numbers or two texts.`,
      suggestions: [],
    }
  return { kind: 'bounds', bounds }
}

/** Writes a time in UTC; null for a duration up to now. */
export function timeInUtc(name: FieldName, item: Item, now: number): string | null {
  const field = fieldOf(name)
  if (field.kind !== 'time' || field.relation === 'within') return null
  const meaning = timeMeaning(name, field, item, now)
  if (!meaning.ok || meaning.query.kind !== 'bounds') return null
  const at = (time: number) => new Date(time).toISOString()
  const [first, end] = meaning.query.bounds
  if (first === undefined) return null
  // A millisecond is a period too.
  if (end !== undefined) return `${at(first.value)}..${at(end.value - 1)}`
  return field.relation === 'at' ? first.operator + at(first.value) : at(first.value)
}

export function itemMeaning(name: Name, item: Item, context: QueryContext): QueryReading {
  switch (name.kind) {
    case 'field':
      return fieldMeaning(name.field, item, context)
    case 'header':
      return accept({ kind: 'header', name: [name.header], value: patternIn(item) })
    case 'path': {
      const test = jsonTestOf(item)
      return 'sentence' in test
        ? { ok: false, mistake: test }
        : accept({ kind: 'json', path: name.steps, test })
    }
  }
}

function queryIn(meaning: QueryReading): Query {
  // The parser has already checked every value.
  if (!meaning.ok) throw new Error(meaning.mistake.sentence)
  return meaning.query
}

export function textMeaning(text: string, exact: boolean): QueryReading {
  return wordsMeaning('everything', text, exact)
}

export function queryFor(expression: Expression, context: QueryContext): Query {
  switch (expression.kind) {
    case 'all':
      return expression.of.length === 0
        ? EVERYTHING
        : { kind: 'all', of: expression.of.map((part) => queryFor(part, context)) }
    case 'any':
      return { kind: 'any', of: expression.of.map((part) => queryFor(part, context)) }
    case 'not':
      return { kind: 'not', of: queryFor(expression.of, context) }
    case 'words':
      return queryIn(textMeaning(expression.text, expression.exact))
    case 'json':
      return { kind: 'contains', json: expression.text }
    case 'term': {
      const [first, ...rest] = expression.items.map((item) =>
        queryIn(itemMeaning(expression.name, item, context)),
      )
      return first !== undefined && rest.length === 0
        ? first
        : { kind: 'any', of: first === undefined ? [] : [first, ...rest] }
    }
  }
}
