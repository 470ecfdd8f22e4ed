/**
 * What a search asks for, as data: values are read, times are moments, hooks are ids. The same tree becomes SQL in the store
 * and a plain filter in `matches.ts`; how it is written down is `expression.ts`.
 */
import type { FieldName } from './fields.ts'
import type { FlagName } from './flags.ts'
import type { WantedWords } from './words.ts'

/** A text with `*` for any characters, cut at the stars; of one part it has no star. */
export type Pattern = readonly string[]

/** A key of an object, or the index of an element. */
export type Step = string | number

export const OPERATORS = ['<', '<=', '>', '>='] as const
export type Operator = (typeof OPERATORS)[number]

/** Limits that a number keeps to; a number itself is both of its limits. */
export interface Bound<Value> {
  readonly operator: Operator
  readonly value: Value
}

/** What is asked of a value in a JSON body. Numbers are decimal text, so that none is too long to be exact. */
export type JsonTest =
  /** There is a value, whatever it is. */
  | { readonly kind: 'present' }
  /** A text that fits the pattern, a number equal to it, or the word `true`, `false` or `null` itself. */
  | { readonly kind: 'value'; readonly pattern: Pattern }
  /** Exactly this text, upper and lower case told apart. */
  | { readonly kind: 'string'; readonly text: string }
  /** Between limits: as numbers where the limits are numbers, else as texts. */
  | { readonly kind: 'bounds'; readonly bounds: readonly Bound<string>[] }

export type Predicate =
  | { readonly kind: 'text'; readonly field: FieldName; readonly pattern: Pattern }
  /** The event is not identified, and one of the candidates fits the pattern. */
  | { readonly kind: 'possible-event'; readonly pattern: Pattern }
  | { readonly kind: 'one-of'; readonly field: FieldName; readonly values: readonly string[] }
  | { readonly kind: 'bounds'; readonly field: FieldName; readonly bounds: readonly Bound<number>[] }
  | { readonly kind: 'flag'; readonly flag: FlagName }
  /** A header of this name (a pattern) has a value that fits; null: any value. */
  | { readonly kind: 'header'; readonly name: Pattern; readonly value: Pattern | null }
  | { readonly kind: 'words'; readonly within: 'everything' | 'body'; readonly wanted: WantedWords }
  /** Some value at the path passes the test; every element of an array on the way counts. */
  | { readonly kind: 'json'; readonly path: readonly Step[]; readonly test: JsonTest }
  /** The body contains this JSON object. */
  | { readonly kind: 'contains'; readonly json: string }

export type Query =
  | { readonly kind: 'all'; readonly of: readonly Query[] }
  | { readonly kind: 'any'; readonly of: readonly Query[] }
  | { readonly kind: 'not'; readonly of: Query }
  | Predicate

export const EVERYTHING: Query = { kind: 'all', of: [] }
export const NOTHING: Query = { kind: 'any', of: [] }
