/**
 * Facts and objects as words of the index, so that a filter by fields and text is one expression.
 * They start with a character that no other word has.
 */
import { hash } from 'node:crypto'
import type { ObjectLink } from '../../lifecycle/object-links.ts'

const FACT_MARK = '\ue000'

export function linkWord({ kind, value }: ObjectLink): string {
  return `${FACT_MARK}object${FACT_MARK}${hash('sha256', `${kind} ${value}`, 'hex').slice(0, 16)}`
}

/** Columns whose value is the fact. */
export const VALUE_COLUMNS = [
  'event',
  'event_source',
  'event_candidates',
  'hook_id',
  'environment',
  'mode',
  'verdict',
  'freshness',
  'schema',
  'attempt',
  'truncated',
  'method',
  'http_version',
] as const

/** Columns whose fact is that there is a value. */
const PRESENCE_COLUMNS = ['attempt_of', 'duplicate_of', 'replay_of', 'malformed'] as const

export const FACT_COLUMNS = [...VALUE_COLUMNS, ...PRESENCE_COLUMNS] as const
export type FactColumn = (typeof FACT_COLUMNS)[number]

type Fact = string | number | null
export interface FactRow extends Readonly<Record<Exclude<FactColumn, 'event_candidates'>, Fact>> {
  /** JSON array of event names that match the body. */
  readonly event_candidates: string
}

/** Facts in the order of the columns. */
export type FactSet = readonly Fact[]

export const FACT_SELECTION = FACT_COLUMNS.map((column) => `d.${column}`).join(', ')

/** Word of a body that may contain a number with an exponent. */
export const EXPONENT_WORD = `${FACT_MARK}exponent`

/** Word of a body that isn't completely searched. */
export const LARGE_BODY_WORD = `${FACT_MARK}larger`

export function deliveryFacts(row: FactRow): FactSet {
  return [
    ...VALUE_COLUMNS.map((column) => row[column]),
    ...PRESENCE_COLUMNS.map((column) => (row[column] === null ? null : 'yes')),
  ]
}

/** Word that every delivery has, so that a filter can exclude from all. */
export const EVERY_DELIVERY_WORD = `${FACT_MARK}every`

/** Returns the word of a fact, in characters that the tokenizer keeps. */
export function factWord(column: FactColumn, fact: Fact): string {
  const text = fact === null ? '' : `${FACT_MARK}${fact}`.toWellFormed()
  const escaped = text.replaceAll(/[^a-z0-9]/g, (sign) => {
    const code = sign.charCodeAt(0)
    return code < 0x80 ? String.fromCharCode(0xe100 + code) : sign
  })
  return `${FACT_MARK}${column.replaceAll('_', FACT_MARK)}${FACT_MARK}${escaped}`
}

export function factWords(facts: FactSet): string[] {
  return [
    EVERY_DELIVERY_WORD,
    ...FACT_COLUMNS.map((column, index) => factWord(column, facts[index] ?? null)),
  ]
}
