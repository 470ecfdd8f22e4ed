/**
 * Glyph, tone and words of outcomes everywhere. Green (`good`) means proven: never a failure, a
 * skipped step, or Countersign's own response.
 */
import { capitalized } from '../text/english.ts'

/** `good` is green, `bad` red, `warn` yellow; `active` is in progress. */
export type Tone = 'good' | 'bad' | 'warn' | 'active' | 'neutral'

export type Glyph =
  | 'pass'
  | 'fail'
  | 'warn'
  | 'skip'
  | 'missing'
  | 'unknown'
  | 'fixed'
  | 'regressed'
  | 'rejected'
  | 'accepted'
  | 'recorded'
  | 'waiting'
  | 'running'
  | 'same'

export interface Outcome {
  readonly glyph: Glyph
  readonly tone: Tone
  readonly word: string
}

export const glyphText: Readonly<Record<Glyph, string>> = {
  pass: '✓',
  fail: '✕',
  warn: '!',
  skip: '⊘',
  missing: '?',
  unknown: '?',
  fixed: '✓',
  regressed: '✕',
  rejected: '✓',
  accepted: '✕',
  recorded: '•',
  waiting: '·',
  running: '…',
  same: '=',
}

export const createOutcome = (glyph: Glyph, tone: Tone, word: string): Outcome => ({
  glyph,
  tone,
  word,
})

export function labelOf({ word }: Pick<Outcome, 'word'>): string {
  return capitalized(word)
}

/** Formats a response: `Returned 401 in 4.2 ms`. */
export function responseWords(status: number | null, ms: number | null): string {
  if (status === null) return 'No response'
  return ms === null
    ? `Returned ${status}`
    : `Returned ${status} in ${ms < 100 ? ms.toFixed(1) : ms.toFixed(0)} ms`
}
