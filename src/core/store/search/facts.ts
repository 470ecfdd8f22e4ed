/**
 * Facts of a delivery that people filter by, as words of the index, one per column: a filter by fields, by text or by both is one
 * expression of the index. A fact's word starts with a character that no word of a text has.
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

/** Columns whose fact is only that there is a value, because almost every delivery has its own. */
export const PRESENCE_COLUMNS = ['attempt_of', 'duplicate_of', 'replay_of', 'malformed'] as const

export const FACT_COLUMNS = [...VALUE_COLUMNS, ...PRESENCE_COLUMNS] as const
export type FactColumn = (typeof FACT_COLUMNS)[number]

type Fact = string | number | null
export interface FactRow extends Readonly<Record<Exclude<FactColumn, 'event_candidates'>, Fact>> {
  /** JSON array of event names that match the body. */
  readonly event_candidates: string
}

/** One fact per column, in order. Many deliveries share the same facts, so the list is stored once for all of them. */
export type FactSet = readonly Fact[]

/** The columns of `deliveries d` that the facts need. */
export const FACT_SELECTION = FACT_COLUMNS.map((column) => `d.${column}`).join(', ')

const FACT_MARK = '\ue000'

/** Marks deliveries whose body may contain a number with an exponent, whose digits can't be found directly. */
export const EXPONENT = `${FACT_MARK}exponent`

/** Marks deliveries whose body is larger than the part that is searched for words. */
export const LARGER = `${FACT_MARK}larger`

export function deliveryFacts(row: FactRow): FactSet {
  return [
    ...VALUE_COLUMNS.map((column) => row[column]),
    ...PRESENCE_COLUMNS.map((column) => (row[column] === null ? null : 'yes')),
  ]
}

/** In every delivery: the start of filters that only exclude. */
export const EVERY_DELIVERY = `${FACT_MARK}every`

/**
 * The word of one fact. The index's tokenizer ends words at ASCII punctuation and ignores the case of ASCII letters, so both are
 * mapped to characters that it keeps.
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
  return [
    EVERY_DELIVERY,
    ...FACT_COLUMNS.map((column, index) => factWord(column, facts[index] ?? null)),
  ]
}
