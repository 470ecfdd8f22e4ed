/** What may be typed next in a query: fields, their values, what is stored. Only the word that the caret stands in counts. */
import { z } from 'zod'
import { eventTypes } from '../service/event-type.ts'
import { fieldNames, fieldOf, findField, type FieldName, type StoredSource } from './fields.ts'
import { flagWords } from './flag-words.ts'

const texts = z.array(z.string())

/** What is stored, as far as it can be offered. */
export const storedValuesSchema = z.object({
  events: texts,
  hooks: texts,
  environments: texts,
  paths: texts,
  headers: texts,
  /** Paths into the bodies, as they are written in a query, each with some of its values. */
  bodyPaths: z.array(z.object({ path: z.string(), values: texts })),
} satisfies Record<StoredSource | 'bodyPaths', unknown>)
export type StoredValues = z.infer<typeof storedValuesSchema>

export const NOTHING_STORED: StoredValues = {
  events: [],
  hooks: [],
  environments: [],
  paths: [],
  headers: [],
  bodyPaths: [],
}

export interface Completion {
  /** The part that is offered. */
  readonly part: string
  readonly meaning: string
  /** The whole query, should it be taken, and where the caret stands then. */
  readonly text: string
  readonly caret: number
}

const MOST = 14
/** What a stored value holds where it cannot stand bare. */
const NEEDS_QUOTES = /[\s,()"*\0]|^[<>]|\.\./

interface Begun {
  /** Where the part begins that is replaced. */
  readonly from: number
  readonly sign: string
  readonly word: string
}

/** The word before the caret; null inside quotes, a JSON object or a key in brackets, where nothing is offered. */
function wordAt(text: string, caret: number): Begun | null {
  let from = 0
  let quoted = false
  for (let index = 0; index < caret; index++) {
    const character = text[index] ?? ''
    if (character === '"') quoted = !quoted
    else if (character === '\\' && quoted) index++
    else if (!quoted && /[\s()]/.test(character)) from = index + 1
  }
  if (quoted) return null
  const begun = text.slice(from, caret)
  if (/^-*\{/.test(begun)) return null
  const sign = /^-*/.exec(begun)?.[0] ?? ''
  return { from: from + sign.length, sign, word: begun.slice(sign.length) }
}

type Offer = readonly [part: string, meaning: string]

const quoteWhereNeeded = (value: string) =>
  NEEDS_QUOTES.test(value) ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : value

function valuesOf(name: FieldName, stored: StoredValues): readonly Offer[] {
  const field = fieldOf(name)
  const kept = field.stored === undefined ? [] : stored[field.stored].map((value): Offer => [quoteWhereNeeded(value), ''])
  switch (field.kind) {
    case 'flag':
      return flagWords(field.of).map(({ word, doc }): Offer => [word, doc])
    case 'choice':
      return Object.entries(field.values)
    case 'time':
      if (field.relation === 'within') return ['10m', '1h', '1d'].map((value): Offer => [value, 'up to now'])
      return [
        ['10m', 'ten minutes ago'],
        ['1h', 'an hour ago'],
        ['today', 'since midnight here'],
        ['yesterday', ''],
      ]
    case 'text':
      if (name === 'event') return [...new Set([...stored.events, ...eventTypes])].map((event): Offer => [event, ''])
      if (name === 'method') return ['POST', 'GET', 'PUT'].map((method): Offer => [method, ''])
      return kept
    case 'number':
      return name === 'attempt' ? [['>1', 'any attempt after the first']] : []
    default:
      return kept
  }
}

const isBegun = (begun: string) => {
  const lower = begun.toLowerCase()
  return ([part]: Offer) => part.toLowerCase().startsWith(lower) && part.toLowerCase() !== lower
}

/** Fields and paths that begin so; with something typed, also what `is:` and `has:` take. */
function namesFor(word: string, stored: StoredValues): readonly Offer[] {
  const fields = fieldNames.map((name): Offer => [`${name}:`, fieldOf(name).doc])
  const flags = (['is', 'has'] as const).flatMap((of) => flagWords(of).map(({ word: one, doc }): Offer => [`${of}:${one}`, doc]))
  const headers = word.toLowerCase().startsWith('header.')
    ? stored.headers.map((header): Offer => [`header.${header}:`, 'the value of this header'])
    : []
  const bodies = stored.bodyPaths.map(({ path }): Offer => [`${path}:`, 'in the body'])
  const all = word === '' ? fields : [...fields, ...headers, ...bodies, ...flags]
  return all.filter(isBegun(word))
}

function valuesFor(name: string, begun: string, stored: StoredValues): readonly Offer[] {
  const field = findField(name)
  if (field !== null) return valuesOf(field, stored).filter(isBegun(begun))
  const path = stored.bodyPaths.find((one) => one.path === name)
  const values = path?.values.map((value): Offer => [quoteWhereNeeded(value), '']) ?? []
  return values.filter(isBegun(begun))
}

/** What can stand where the caret is, the likeliest first. */
export function completionsFor(text: string, caret: number, stored: StoredValues): readonly Completion[] {
  const begun = wordAt(text, caret)
  if (begun === null) return []
  const { word } = begun
  const colon = word.indexOf(':')
  const offer = (from: number, [part, meaning]: Offer): Completion => {
    // A field wants its value at once; after anything else comes the next word.
    const goesOn = part.endsWith(':') || text[caret] === ' '
    const before = text.slice(0, from) + part + (goesOn ? '' : ' ')
    const shown = colon === -1 ? part : word.slice(0, from - begun.from) + part
    return { part: begun.sign + shown, meaning, text: before + text.slice(caret), caret: before.length }
  }
  if (colon === -1)
    return namesFor(word, stored)
      .slice(0, MOST)
      .map((one) => offer(begun.from, one))
  const valueFrom = begun.from + Math.max(colon, word.lastIndexOf(',')) + 1
  const value = text.slice(valueFrom, caret)
  return valuesFor(word.slice(0, colon), value, stored)
    .slice(0, MOST)
    .map((one) => offer(valueFrom, one))
}
