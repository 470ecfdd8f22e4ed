/**
 * A search as it was written, as data: which fields, which texts, and how they are joined. `parse.ts` reads it, `test/support/print-query.ts`
 * writes it, `meaning.ts` says what it asks for.
 */
import type { FieldName } from './fields.ts'
import type { Step } from './query.ts'

/** One value after a colon. A quoted one is meant literally; a bare one can hold `*`, a comparison or a range. */
export interface Item {
  readonly quoted: boolean
  readonly text: string
}

/** What stands before a colon. */
export type Name =
  | { readonly kind: 'field'; readonly field: FieldName }
  | { readonly kind: 'header'; readonly header: string }
  | { readonly kind: 'path'; readonly steps: readonly Step[] }

export type Expression =
  | { readonly kind: 'all'; readonly of: readonly Expression[] }
  | { readonly kind: 'any'; readonly of: readonly Expression[] }
  | { readonly kind: 'not'; readonly of: Expression }
  /** One of the items must fit. */
  | { readonly kind: 'term'; readonly name: Name; readonly items: readonly Item[] }
  /** Words in a row; the last need only begin so, unless they are exact. */
  | { readonly kind: 'words'; readonly text: string; readonly exact: boolean }
  /** A JSON object that the body contains, as it was pasted. */
  | { readonly kind: 'json'; readonly text: string }

/** What is written where nothing is: everything. */
export const EMPTY: Expression = { kind: 'all', of: [] }

/** All of these hold; what is already joined so is joined on, and one alone is itself. */
export function allOf(parts: readonly Expression[]): Expression {
  const of = parts.flatMap((part) => (part.kind === 'all' ? part.of : [part]))
  return of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'all', of }
}

/** One of these holds. */
export function anyOf(parts: readonly Expression[]): Expression {
  const of = parts.flatMap((part) => (part.kind === 'any' ? part.of : [part]))
  return of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'any', of }
}
