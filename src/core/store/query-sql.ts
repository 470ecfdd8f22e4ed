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

function positive(term: Term): Condition {
  switch (term.kind) {
    case 'is':
      return { sql: STATE_SQL[term.state], values: [] }
    case 'event':
      return term.pattern.includes('*')
        ? { sql: String.raw`d.event LIKE ? ESCAPE '\'`, values: [escapeLike(term.pattern).replaceAll('*', '%')] }
        : { sql: 'd.event = ?', values: [term.pattern] }
    case 'text': {
      const like = `%${escapeLike(term.text)}%`
      return {
        sql: String.raw`(d.path LIKE ? ESCAPE '\' OR d.headers LIKE ? ESCAPE '\' OR d.method LIKE ? ESCAPE '\' OR
          EXISTS (SELECT 1 FROM bodies b WHERE b.seq = d.seq AND CAST(b.bytes AS TEXT) LIKE ? ESCAPE '\'))`,
        values: [like, like, like, like],
      }
    }
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
