/**
 * The facts of a delivery that people filter by, as words of the index: one for each column, so that a filter by fields, by text
 * or by both is one expression of the index. A word of a fact begins with a character that no word of a text has.
 */

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
  'answer_status',
  'attempt',
  'truncated',
  'method',
  'http_version',
] as const

/** Columns of which the fact is only that there is a value: the values are as many as the deliveries. */
export const PRESENCE_COLUMNS = ['attempt_of', 'duplicate_of', 'replay_of', 'malformed'] as const

export const FACT_COLUMNS = [...VALUE_COLUMNS, ...PRESENCE_COLUMNS] as const
export type FactColumn = (typeof FACT_COLUMNS)[number]

type Fact = string | number | null
export interface FactRow extends Readonly<Record<Exclude<FactColumn, 'event_candidates'>, Fact>> {
  /** JSON array of event names that fit the body. */
  readonly event_candidates: string
}

/** One fact a column, in their order. Many deliveries have the same ones, so the list is kept once for all of them. */
export type FactSet = readonly Fact[]

/** What is read of `deliveries d` to make them. */
export const FACT_SELECTION = FACT_COLUMNS.map((column) => `d.${column}`).join(', ')

const FACT_MARK = '\ue000'

/** Stands in deliveries whose body may write a number with an exponent, in which its digits do not stand as they are. */
export const EXPONENT = `${FACT_MARK}exponent`

/** Stands in deliveries whose body is larger than the part that is searched for words. */
export const LARGER = `${FACT_MARK}larger`

export function deliveryFacts(row: FactRow): FactSet {
  return [
    ...VALUE_COLUMNS.map((column) => row[column]),
    ...PRESENCE_COLUMNS.map((column) => (row[column] === null ? null : 'yes')),
  ]
}

/** Stands in every delivery: what a filter that only excludes begins with. */
export const EVERY_DELIVERY = `${FACT_MARK}every`

/**
 * The word of one fact. The tokenizer of the index ends a word at an ASCII sign and forgets the case of ASCII letters: both
 * are moved to where it lets them be.
 */
export function factWord(column: FactColumn, fact: Fact): string {
  const text = fact === null ? '' : `${FACT_MARK}${fact}`.toWellFormed()
  const moved = text.replaceAll(/[^a-z0-9]/g, (sign) => {
    const code = sign.charCodeAt(0)
    return code < 0x80 ? String.fromCharCode(0xe100 + code) : sign
  })
  return `${FACT_MARK}${column.replaceAll('_', FACT_MARK)}${FACT_MARK}${moved}`
}

export function factWords(facts: FactSet): string[] {
  return [EVERY_DELIVERY, ...FACT_COLUMNS.map((column, index) => factWord(column, facts[index] ?? null))]
}
