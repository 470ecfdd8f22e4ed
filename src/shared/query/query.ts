/** Query: an interpreted search, which the store translates to SQL. */
import type { Pattern } from './pattern.ts'
import type { FieldName } from './fields.ts'
import type { FlagName } from './flags.ts'
import type { SearchPhrase } from './search-words.ts'

export const isEverything = (query: Query): boolean => query.kind === 'all' && query.of.length === 0

export type Step = string | number

export const COMPARISON_OPERATORS = ['<', '<=', '>', '>='] as const
export type Operator = (typeof COMPARISON_OPERATORS)[number]

export interface Bound<Value> {
  readonly operator: Operator
  readonly value: Value
}

/** Test of a JSON value; numbers are decimal text. */
export type JsonTest =
  | { readonly kind: 'present' }
  /** Text that matches, equal number, or `true`, `false` or `null`. */
  | { readonly kind: 'value'; readonly pattern: Pattern }
  | { readonly kind: 'string'; readonly text: string }
  /** Numbers if all limits are; otherwise text. */
  | { readonly kind: 'bounds'; readonly bounds: readonly Bound<string>[] }

export type Predicate =
  | { readonly kind: 'text'; readonly field: FieldName; readonly pattern: Pattern }
  /** Unidentified event with a matching candidate. */
  | { readonly kind: 'possible-event'; readonly pattern: Pattern }
  | { readonly kind: 'one-of'; readonly field: FieldName; readonly values: readonly string[] }
  | {
      readonly kind: 'bounds'
      readonly field: FieldName
      readonly bounds: readonly Bound<number>[]
    }
  | { readonly kind: 'flag'; readonly flag: FlagName }
  /** Header with any value, if null. */
  | { readonly kind: 'header'; readonly name: Pattern; readonly value: Pattern | null }
  | {
      readonly kind: 'words'
      readonly within: 'everything' | 'body'
      readonly phrase: SearchPhrase
    }
  /** Value at the path; any array element counts. */
  | { readonly kind: 'json'; readonly path: readonly Step[]; readonly test: JsonTest }
  | { readonly kind: 'contains'; readonly json: string }

export type Query =
  | { readonly kind: 'all'; readonly of: readonly Query[] }
  | { readonly kind: 'any'; readonly of: readonly Query[] }
  | { readonly kind: 'not'; readonly of: Query }
  | Predicate

export const EVERYTHING: Query = { kind: 'all', of: [] }
export const NOTHING: Query = { kind: 'any', of: [] }
