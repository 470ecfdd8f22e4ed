/** What the index stores about a delivery besides its words: its facts, the objects that its payload names, and its fields. */
import { hash } from 'node:crypto'
import { fieldPaths } from '../../../shared/body/json-path.ts'
import { hasTooManyMembers, parseBody } from '../../../shared/service/json-body.ts'
import { jsonOf } from '../rows.ts'
import { namedObjects, type ObjectLink } from '../../lifecycle/facts.ts'

/** Larger bodies, in bytes, don't come from the service: their objects aren't worth the memory. */
export const MOST_READ = 1_048_576

/** The columns of `deliveries d` and its body `b` that this needs. */
export const CONTENT_COLUMNS = 'd.event, d.event_candidates, d.malformed, d.truncated, b.bytes'

export interface ContentRow {
  readonly event: string | number | null
  /** A list of names, as JSON. */
  readonly event_candidates: string
  readonly malformed: string | number | null
  readonly truncated: string | number | null
  readonly bytes: Uint8Array | null
}

/** The fields of a payload whose event is known. */
export interface PayloadFields {
  readonly event: string
  readonly paths: readonly string[]
}

interface Contents {
  readonly links: readonly ObjectLink[]
  readonly fields: PayloadFields | null
}

const NOTHING: Contents = { links: [], fields: null }

/** Reads a payload by its event: the known one, or the first that it matches. */
export function contentsOf(row: ContentRow): Contents {
  const { event, bytes } = row
  if (bytes === null || bytes.length > MOST_READ || row.malformed !== null || row.truncated !== 0)
    return NOTHING
  const likely =
    typeof event === 'string'
      ? event
      : jsonOf('deliveries.event_candidates', row.event_candidates)[0]
  if (likely === undefined) return NOTHING
  if (hasTooManyMembers(bytes)) return NOTHING
  const parsed = parseBody(bytes)
  if (!parsed.ok) return NOTHING
  return {
    links: namedObjects(likely, parsed.value),
    fields: typeof event === 'string' ? { event, paths: fieldPaths(parsed.value) } : null,
  }
}

// Facts and objects are words of the index too, so that a filter by fields, by text or by both is one expression. Such a word
// starts with a character that no word of a text has.

const FACT_MARK = '\ue000'

/** The word of an object of the service, in each delivery that names it. */
export function linkWord({ kind, value }: ObjectLink): string {
  return `${FACT_MARK}object${FACT_MARK}${hash('sha256', `${kind} ${value}`, 'hex').slice(0, 16)}`
}

/** Columns whose value is the fact. They are known when a delivery is indexed, and only change with a row in `index_changes`. */
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

/** Columns whose fact is only that there is a value, because almost every delivery has its own. */
const PRESENCE_COLUMNS = ['attempt_of', 'duplicate_of', 'replay_of', 'malformed'] as const

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
