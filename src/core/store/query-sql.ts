/** Translates a query into an SQL condition on `deliveries d`. */
import { assertNever } from '../../shared/contract/errors.ts'
import { fieldOf, type SearchField } from '../../shared/query/fields.ts'
import { FLAGS } from '../../shared/query/flags.ts'
import type { Predicate, Query, Step } from '../../shared/query/query.ts'
import type { Pattern } from '../../shared/query/pattern.ts'
import { foldText } from '../../shared/query/search-words.ts'
import { jsonSql } from './rows.ts'

type TextField = Pick<
  Extract<SearchField, { readonly kind: 'text' }>,
  'sql' | 'exact' | 'anywhereIn'
>

export interface Condition {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

export const SQL_FUNCTIONS = {
  words: 'delivery_has_words',
  bodyWords: 'body_has_words',
  json: 'body_fits',
  fold: 'folded_text',
} as const

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`)
}

/** Returns a comparison that ignores the case of Latin letters. */
function like(column: string, pattern: Pattern): Condition {
  return {
    sql: String.raw`${column} LIKE ? ESCAPE '\'`,
    values: [pattern.map(escapeLike).join('%')],
  }
}

/** Returns a search in another table, which folds text beyond ASCII only, because that is slow. */
function containsFolded(column: string, rows: string, pattern: Pattern): Condition {
  const folded = pattern.map(foldText)
  const plain = like(column, folded)
  const other = like(`${SQL_FUNCTIONS.fold}(${column})`, folded)
  return {
    sql: `EXISTS (SELECT 1 FROM ${rows} AND CASE WHEN octet_length(${column}) > length(${column}) THEN ${other.sql} ELSE ${plain.sql} END)`,
    values: [...other.values, ...plain.values],
  }
}

function textCondition(field: TextField, pattern: Pattern): Condition {
  const { sql: column, exact, anywhereIn } = field
  if (anywhereIn !== undefined) return containsFolded(column, anywhereIn, pattern)
  if (exact !== true) return like(column, pattern)
  const [only = ''] = pattern
  if (pattern.length === 1) return { sql: `${column} = ?`, values: [only] }
  return {
    sql: `${column} GLOB ?`,
    values: [pattern.map((part) => part.replaceAll(/[?[]/g, '[$&]')).join('*')],
  }
}

function headerCondition(name: Pattern, value: Pattern | null): Condition {
  const [only = ''] = name
  // A plain name appears verbatim in the JSON, which is faster to find.
  const plain = name.length === 1 && /^[\w-]+$/.test(only)
  const prefilter = plain ? [like('d.headers', ['', `"${only}","`, ''])] : []
  const pair = [
    like('h.value ->> 0', name),
    ...(value === null ? [] : [like('h.value ->> 1', value)]),
  ]
  const inner = pair.map(({ sql }) => `(${sql})`).join(' AND ')
  const exists = `EXISTS (SELECT 1 FROM json_each(${jsonSql('d.headers', '[]')}) h WHERE ${inner})`
  return {
    sql: [...prefilter.map(({ sql }) => sql), exists].join(' AND '),
    values: [...prefilter, ...pair].flatMap(({ values }) => values),
  }
}

function bodyCondition(sql: string, ...values: readonly string[]): Condition {
  return { sql: `EXISTS (SELECT 1 FROM bodies b WHERE b.seq = d.seq AND ${sql})`, values }
}

/** Returns a key that every matching body contains, or null. */
function plainKeyOf(path: readonly Step[]): string | null {
  return (
    path.findLast(
      (step): step is string => typeof step === 'string' && /^[A-Za-z0-9_-]+$/.test(step),
    ) ?? null
  )
}

function predicateCondition(predicate: Predicate): Condition {
  switch (predicate.kind) {
    case 'flag':
      return { sql: FLAGS[predicate.flag].sql, values: [] }
    case 'header':
      return headerCondition(predicate.name, predicate.value)
    case 'possible-event': {
      const fits = textCondition({ sql: 'c.value', exact: true }, predicate.pattern)
      return {
        sql: `${FLAGS['is:possible'].sql} AND EXISTS (SELECT 1 FROM json_each(${jsonSql('d.event_candidates', '[]')}) c WHERE ${fits.sql})`,
        values: fits.values,
      }
    }
    case 'words': {
      const words = JSON.stringify(predicate.phrase)
      return predicate.within === 'body'
        ? bodyCondition(`${SQL_FUNCTIONS.bodyWords}(b.bytes, ?)`, words)
        : bodyCondition(`${SQL_FUNCTIONS.words}(d.path, d.headers, b.bytes, ?)`, words)
    }
    case 'contains':
      return bodyCondition(`${SQL_FUNCTIONS.json}(b.bytes, ?)`, JSON.stringify(predicate))
    case 'json': {
      const test = `${SQL_FUNCTIONS.json}(b.bytes, ?)`
      const key = plainKeyOf(predicate.path)
      if (key === null) return bodyCondition(test, JSON.stringify(predicate))
      const hasKey = String.raw`(instr(b.bytes, CAST(? AS BLOB)) > 0 OR instr(b.bytes, CAST('\u' AS BLOB)) > 0)`
      return bodyCondition(`${hasKey} AND ${test}`, `"${key}"`, JSON.stringify(predicate))
    }
    case 'text':
    case 'one-of':
    case 'bounds': {
      const field = fieldOf(predicate.field)
      if (!('sql' in field)) throw new Error(`The field ${predicate.field} has no column.`)
      if (predicate.kind === 'text') return textCondition(field, predicate.pattern)
      if (predicate.kind === 'one-of')
        return {
          sql: `${field.sql} IN (${predicate.values.map(() => '?').join(', ')})`,
          values: predicate.values,
        }
      return {
        sql:
          predicate.bounds.map(({ operator }) => `${field.sql} ${operator} ?`).join(' AND ') ||
          'true',
        values: predicate.bounds.map(({ value }) => value),
      }
    }
    default:
      return assertNever(predicate)
  }
}

/** Returns a query's cost, to sort conditions by: 1 if it reads headers, 2 a body, else 0. */
export function costOf(query: Query): number {
  switch (query.kind) {
    case 'all':
    case 'any':
      return Math.max(0, ...query.of.map(costOf))
    case 'not':
      return costOf(query.of)
    case 'header':
      return 1
    case 'words':
    case 'json':
    case 'contains':
      return 2
    default:
      return 0
  }
}

/** Returns the condition of a query, safe to combine with others. */
export function whereOf(query: Query): Condition {
  switch (query.kind) {
    case 'all':
    case 'any': {
      if (query.of.length === 0) return { sql: query.kind === 'all' ? 'true' : 'false', values: [] }
      const parts = query.of.toSorted((a, b) => costOf(a) - costOf(b)).map(whereOf)
      return {
        sql: `(${parts.map(({ sql }) => sql).join(query.kind === 'all' ? ' AND ' : ' OR ')})`,
        values: parts.flatMap(({ values }) => values),
      }
    }
    case 'not': {
      // A null column compares as unknown.
      const { sql, values } = whereOf(query.of)
      return { sql: `coalesce(${sql}, 0) = 0`, values }
    }
    default: {
      const { sql, values } = predicateCondition(query)
      return { sql: `(${sql})`, values }
    }
  }
}
