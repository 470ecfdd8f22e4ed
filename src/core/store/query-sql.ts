/** A query as a condition of SQL over `deliveries d`. Values are always bound, never written into the text. */
import { assertNever } from '../../shared/contract/errors.ts'
import type { Query, State, Term } from '../../shared/query/query.ts'

export interface Condition {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

const STATE_SQL: Readonly<Record<State, string>> = {
  valid: `d.verdict = 'valid'`,
  invalid: `d.verdict = 'invalid'`,
  unsigned: `d.verdict = 'unsigned'`,
  'unknown-hook': `d.verdict = 'unknown-hook'`,
  fresh: `d.freshness = 'fresh'`,
  stale: `d.freshness = 'stale'`,
  future: `d.freshness = 'future'`,
  missing: `d.freshness = 'missing'`,
  duplicate: 'd.duplicate_of IS NOT NULL',
  retry: 'd.attempt_of IS NOT NULL',
  malformed: 'd.malformed IS NOT NULL',
  truncated: 'd.truncated = 1',
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`)
}

/**
 * Where a text stands in a delivery. LIKE is many times quicker than `instr` over `lower`, but ends at a NUL; JSON has none, so
 * only bodies that are not known to be JSON are looked through in the slow way, and all of them for a text with a NUL in it.
 */
function textCondition(text: string): Condition {
  const values: string[] = []
  const slowly = (column: string) => {
    values.push(text)
    return `instr(lower(${column}), lower(?)) > 0`
  }
  const quickly = (column: string, wanted = text) => {
    values.push(`%${escapeLike(wanted)}%`)
    return String.raw`${column} LIKE ? ESCAPE '\'`
  }
  if (text.includes('\0'))
    return { sql: `EXISTS (SELECT 1 FROM bodies b WHERE b.seq = d.seq AND ${slowly('CAST(b.bytes AS TEXT)')})`, values }
  // The headers' JSON tells cheaply where the text can be; only there is each name and value looked at.
  const sql = `(${quickly('d.path')} OR ${quickly('d.method')} OR
    (${quickly('d.headers', JSON.stringify(text).slice(1, -1))} AND EXISTS (SELECT 1 FROM json_each(d.headers) h
      WHERE ${quickly(`json_extract(h.value, '$[0]')`)} OR ${quickly(`json_extract(h.value, '$[1]')`)})) OR
    EXISTS (SELECT 1 FROM bodies b WHERE b.seq = d.seq AND (${quickly('CAST(b.bytes AS TEXT)')} OR
      (d.schema NOT IN ('ok', 'issues') AND ${slowly('CAST(b.bytes AS TEXT)')}))))`
  return { sql, values }
}

function positive(term: Term): Condition {
  switch (term.kind) {
    case 'is':
      return { sql: STATE_SQL[term.state], values: [] }
    case 'event':
      return term.pattern.includes('*')
        ? { sql: String.raw`d.event LIKE ? ESCAPE '\'`, values: [escapeLike(term.pattern).replaceAll('*', '%')] }
        : { sql: 'd.event = ?', values: [term.pattern] }
    case 'text':
      return textCondition(term.text)
    default:
      return assertNever(term)
  }
}

/** The condition of a query; `true` for the empty one. */
export function whereOf(query: Query): Condition {
  const conditions = query.terms.map((term) => {
    const { sql, values } = positive(term)
    // A column that is null answers "unknown" to any comparison: the opposite of a term must hold there.
    return { sql: term.negated ? `coalesce(${sql}, 0) = 0` : `(${sql})`, values }
  })
  if (conditions.length === 0) return { sql: 'true', values: [] }
  return {
    sql: conditions.map((condition) => condition.sql).join(' AND '),
    values: conditions.flatMap((condition) => condition.values),
  }
}
