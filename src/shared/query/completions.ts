/** Completions for the word at the caret of a query. */
import { z } from 'zod'
import { eventTypes } from '../service/event-type.ts'
import { fieldNames, fieldOf, findField, type FieldName, type StoredSource } from './fields.ts'
import { flagWords } from './flag-words.ts'

const texts = z.array(z.string())

export const storedValuesSchema = z.object({
  events: texts,
  hooks: texts,
  environments: texts,
  paths: texts,
  headers: texts,
  handlers: texts,
  flows: texts,
  names: texts,
  bodyPaths: z.array(z.object({ path: z.string(), values: texts })),
} satisfies Record<StoredSource | 'bodyPaths', unknown>)
export type StoredValues = z.infer<typeof storedValuesSchema>

export const NOTHING_STORED: StoredValues = {
  events: [],
  hooks: [],
  environments: [],
  paths: [],
  headers: [],
  handlers: [],
  flows: [],
  names: [],
  bodyPaths: [],
}

export interface Completion {
  readonly part: string
  readonly meaning: string
  /** Query and caret with the completion. */
  readonly text: string
  readonly caret: number
}

const MOST_COMPLETIONS = 30
/** Value that isn't read as typed: `a b`, `>5`, `1..9`. */
const NEEDS_QUOTES = /[\s,()"*\0]|^[<>]|\.\./

interface WordAtCaret {
  /** Start of the word, behind its sign. */
  readonly from: number
  /** Minus signs, which negate. */
  readonly sign: string
  readonly word: string
  /** Start of the value, after a colon or comma. */
  readonly valueFrom: number | null
}

/** Returns the word before the caret; null in quoted text, an object or brackets. */
function wordAt(text: string, caret: number): WordAtCaret | null {
  let from = 0
  let valueFrom: number | null = null
  /** Index of the open quote, or -1. */
  let quote = -1
  for (let index = 0; index < caret; index++) {
    const character = text[index] ?? ''
    if (character === '"') quote = quote === -1 ? index : -1
    else if (quote !== -1) index += character === '\\' ? 1 : 0
    else if (/[\s()]/.test(character)) [from, valueFrom] = [index + 1, null]
    else if (character === (valueFrom === null ? ':' : ',')) valueFrom = index + 1
  }
  if (quote !== -1 && quote !== valueFrom) return null
  const typedPrefix = text.slice(from, caret)
  if (/^-*\{/.test(typedPrefix)) return null
  const sign = /^-*/.exec(typedPrefix)?.[0] ?? ''
  return { from: from + sign.length, sign, word: typedPrefix.slice(sign.length), valueFrom }
}

/** Returns the end of the word at the caret. */
function endOfPart(text: string, caret: number, { valueFrom }: WordAtCaret): number {
  const after = text.slice(caret)
  const length = (pattern: RegExp) => pattern.exec(after)?.[0].length ?? 0
  if (valueFrom === null) return caret + length(/^[^\s():,"]*:?/)
  // An even number of quotes follows if the open one isn't closed yet.
  const isClosed = text[valueFrom] === '"' && after.split('"').length % 2 === 0
  return caret + length(isClosed ? /^[^"]*"/ : /^[^\s(),"]*/)
}

type Offer = Pick<Completion, 'part' | 'meaning'>

function toOffers(entries: readonly (readonly [part: string, meaning: string])[]): Offer[] {
  return entries.map(([part, meaning]) => ({ part, meaning }))
}

function withoutMeaning(part: string): Offer {
  return { part, meaning: '' }
}

const quoted = (value: string) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`

/** Writes stored values, quoted if a quote was typed. */
function quoteIfNeeded(values: readonly string[], typedPrefix: string): readonly Offer[] {
  return values.map((value) =>
    withoutMeaning(typedPrefix.startsWith('"') || NEEDS_QUOTES.test(value) ? quoted(value) : value),
  )
}

const STATUSES = toOffers([
  ['200', 'acknowledged'],
  ['400..499', 'client errors'],
  ['500..599', 'server errors'],
])

/** Examples, if nothing is stored. */
const EXAMPLES: Readonly<Partial<Record<FieldName, readonly Offer[]>>> = {
  attempt: toOffers([
    ['>1', 'retries'],
    ['1', 'first attempt'],
    ['2', 'second attempt'],
    ['3', 'third and last attempt'],
  ]),
  status: STATUSES,
  response: STATUSES,
  ms: toOffers([
    ['>1s', 'slower than a second'],
    ['>20s', "slower than the service's timeout"],
  ]),
  size: toOffers([
    ['>100kB', 'larger than 100 kB'],
    ['0', 'no body'],
  ]),
  method: ['POST', 'GET', 'PUT'].map(withoutMeaning),
  http: ['1.1', '1.0'].map(withoutMeaning),
}

const UNITS = [
  ['s', 'seconds'],
  ['m', 'minutes'],
  ['h', 'hours'],
  ['d', 'days'],
  ['w', 'weeks'],
] as const

function timesOf(relation: string, typedPrefix: string): readonly Offer[] {
  const before = relation === 'within' ? 'up to now' : 'before now'
  if (/^\d{1,3}$/.test(typedPrefix))
    return UNITS.map(([unit, plural]) => ({
      part: typedPrefix + unit,
      meaning: `${plural} ${before}`,
    }))
  if (relation === 'within') return ['10m', '1h', '1d'].map((part) => ({ part, meaning: before }))
  return toOffers([
    ['10m', '10 minutes ago'],
    ['1h', '1 hour ago'],
    ['today', 'since midnight, local time'],
    ['yesterday', ''],
  ])
}

function valuesOf(name: FieldName, typedPrefix: string, stored: StoredValues): readonly Offer[] {
  const field = fieldOf(name)
  const kept = field.stored === undefined ? [] : quoteIfNeeded(stored[field.stored], typedPrefix)
  switch (field.kind) {
    case 'flag':
      return flagWords(field.of).map(({ word, doc }) => ({ part: word, meaning: doc }))
    case 'choice':
      return toOffers(Object.entries(field.values))
    case 'time':
      return timesOf(field.relation, typedPrefix)
    case 'number':
      return [...toOffers(Object.entries(field.words ?? {})), ...(EXAMPLES[name] ?? [])]
    default:
      if (name === 'event')
        return [...new Set([...stored.events, ...eventTypes])].map(withoutMeaning)
      return kept.length > 0 ? kept : (EXAMPLES[name] ?? [])
  }
}

const beginsOffer = (typedPrefix: string) => {
  const lower = typedPrefix.toLowerCase()
  return ({ part }: Offer) => part.toLowerCase().startsWith(lower) && part.toLowerCase() !== lower
}

/** Matches `location.city` by `ci`. */
const beginsStep = (typedPrefix: string) => {
  const lower = typedPrefix.toLowerCase()
  return ({ part }: Offer) => part.toLowerCase().includes(`.${lower}`)
}

/** Offers fields, paths and, once something is typed, flags. */
function namesFor(word: string, stored: StoredValues): readonly Offer[] {
  const fields = fieldNames.map((name) => ({ part: `${name}:`, meaning: fieldOf(name).doc }))
  if (word === '') return fields
  const flags = (['is', 'has'] as const).flatMap((of) =>
    flagWords(of).map(({ word: flag, doc }) => ({ part: `${of}:${flag}`, meaning: doc })),
  )
  const headers = word.toLowerCase().startsWith('header.')
    ? stored.headers.map((header) => ({
        part: `header.${header}:`,
        meaning: 'value of this header',
      }))
    : []
  // Paths keep a typed root, as in `$.card`.
  const root = word.startsWith('$.') ? '$.' : ''
  const bodies = stored.bodyPaths.map(({ path }) => ({
    part: `${path.startsWith('$') ? '' : root}${path}:`,
    meaning: 'body field',
  }))
  const startingOffers = [...fields, ...headers, ...bodies, ...flags].filter(beginsOffer(word))
  return [
    ...startingOffers,
    ...bodies.filter((offered) => beginsStep(word)(offered) && !startingOffers.includes(offered)),
  ]
}

function knownValues(name: string, typedPrefix: string, stored: StoredValues): readonly Offer[] {
  const bare = name.startsWith('$.') ? name.slice(2) : name
  const field = findField(name)
  const bodyPath = stored.bodyPaths.find(({ path }) => path === name || path === bare)
  return field === null
    ? quoteIfNeeded(bodyPath?.values ?? [], typedPrefix)
    : valuesOf(field, typedPrefix, stored)
}

/**
 * Whether the best completion is highlighted. Not after a complete value, where Enter applies the
 * query.
 */
export function preselects(text: string, caret: number, stored: StoredValues): boolean {
  if (!/[^\s()]$/.test(text.slice(0, caret))) return false
  const typedWord = wordAt(text, caret)
  if (typedWord === null || typedWord.valueFrom === null) return typedWord !== null
  const name = typedWord.word.slice(0, typedWord.word.indexOf(':'))
  const value = text.slice(typedWord.valueFrom, caret).toLowerCase()
  return !knownValues(name, value, stored).some(({ part }) => part.toLowerCase() === value)
}

export function completionsFor(
  text: string,
  caret: number,
  stored: StoredValues,
): readonly Completion[] {
  const typedWord = wordAt(text, caret)
  if (typedWord === null) return []
  const { word, valueFrom } = typedWord
  const rest = text.slice(endOfPart(text, caret, typedWord))
  const offer = (from: number, { part, meaning }: Offer): Completion => {
    const goesOn = part.endsWith(':') || /^[\s,)]/.test(rest)
    const before = text.slice(0, from) + part + (goesOn ? '' : ' ')
    const shown = text.slice(typedWord.from, from) + part
    return { part: typedWord.sign + shown, meaning, text: before + rest, caret: before.length }
  }
  if (valueFrom === null)
    return namesFor(word, stored)
      .slice(0, MOST_COMPLETIONS)
      .map((offered) => offer(typedWord.from, offered))
  const colon = word.indexOf(':')
  const named = word.slice(colon + 1, valueFrom - typedWord.from).split(',')
  const value = text.slice(valueFrom, caret)
  return knownValues(word.slice(0, colon), value, stored)
    .filter(beginsOffer(value))
    .filter(({ part }) => !named.includes(part))
    .slice(0, MOST_COMPLETIONS)
    .map((offered) => offer(valueFrom, offered))
}
