/** Syntax tree of a search, which `parse.ts` creates and `interpret.ts` turns into a query. */
import type { FieldName } from './fields.ts'
import type { Step } from './query.ts'

/** Value of a term, which may have several: `verdict:invalid,"unsigned"`. Literal if quoted. */
export interface Item {
  readonly quoted: boolean
  readonly text: string
}

/** Subject of a term: a field, a header, or a path in the body. */
export type Name =
  | { readonly kind: 'field'; readonly field: FieldName }
  | { readonly kind: 'header'; readonly header: string }
  | { readonly kind: 'path'; readonly steps: readonly Step[] }

export type Expression =
  | { readonly kind: 'all'; readonly of: readonly Expression[] }
  | { readonly kind: 'any'; readonly of: readonly Expression[] }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'term'; readonly name: Name; readonly items: readonly Item[] }
  /** Adjacent words; the last may be a prefix, unless `exact`. */
  | { readonly kind: 'words'; readonly text: string; readonly exact: boolean }
  /** JSON object that the body must contain. */
  | { readonly kind: 'json'; readonly text: string }

export const EMPTY: Expression = { kind: 'all', of: [] }

/** Combines parts, flattening nested ones. */
export function allOf(parts: readonly Expression[]): Expression {
  const of = parts.flatMap((part) => (part.kind === 'all' ? part.of : [part]))
  return of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'all', of }
}

export function anyOf(parts: readonly Expression[]): Expression {
  const of = parts.flatMap((part) => (part.kind === 'any' ? part.of : [part]))
  return of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'any', of }
}
