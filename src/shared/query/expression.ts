/**
 * A search as written, as data: fields, texts and operators. Parsed by `parse.ts`, printed by `test/support/print-query.ts`, interpreted by
 * `meaning.ts`.
 */
import type { FieldName } from './fields.ts'
import type { Step } from './query.ts'

/** One value after a colon. A quoted value is literal; an unquoted one may contain `*`, a comparison or a range. */
export interface Item {
  readonly quoted: boolean
  readonly text: string
}

/** The part before a colon. */
export type Name =
  | { readonly kind: 'field'; readonly field: FieldName }
  | { readonly kind: 'header'; readonly header: string }
  | { readonly kind: 'path'; readonly steps: readonly Step[] }

export type Expression =
  | { readonly kind: 'all'; readonly of: readonly Expression[] }
  | { readonly kind: 'any'; readonly of: readonly Expression[] }
  | { readonly kind: 'not'; readonly of: Expression }
  /** At least one of the items must match. */
  | { readonly kind: 'term'; readonly name: Name; readonly items: readonly Item[] }
  /** Adjacent words. The last may be a prefix, unless `exact`. */
  | { readonly kind: 'words'; readonly text: string; readonly exact: boolean }
  /** A pasted JSON object that the body must contain. */
  | { readonly kind: 'json'; readonly text: string }

/** The empty search: everything. */
export const EMPTY: Expression = { kind: 'all', of: [] }

/** All must match. Nested conjunctions are flattened, and a single one is returned as is. */
export function allOf(parts: readonly Expression[]): Expression {
  const of = parts.flatMap((part) => (part.kind === 'all' ? part.of : [part]))
  return of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'all', of }
}

/** At least one must match. */
export function anyOf(parts: readonly Expression[]): Expression {
  const of = parts.flatMap((part) => (part.kind === 'any' ? part.of : [part]))
  return of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'any', of }
}
