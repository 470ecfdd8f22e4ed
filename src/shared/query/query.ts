/**
 * The search language, as data. Every term must hold. A text is looked for in method, path, headers and body, without regard
 * to the case of Latin letters.
 */

/** What `is:` takes. */
export const STATES = [
  'valid',
  'invalid',
  'unsigned',
  'unknown-hook',
  'fresh',
  'stale',
  'future',
  'missing',
  'duplicate',
  'retry',
  'malformed',
  'truncated',
] as const
export type State = (typeof STATES)[number]

export type Term =
  /** `*` stands for any characters: `transaction.*`. */
  | { readonly kind: 'event'; readonly pattern: string; readonly negated: boolean }
  | { readonly kind: 'is'; readonly state: State; readonly negated: boolean }
  | { readonly kind: 'text'; readonly text: string; readonly negated: boolean }

export interface Query {
  readonly terms: readonly Term[]
}

export const EVERYTHING: Query = { terms: [] }
