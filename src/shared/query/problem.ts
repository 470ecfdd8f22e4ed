/** Problems of a search and likely corrections. */
import { AppError } from '../contract/errors.ts'

export interface Mistake {
  readonly sentence: string
  /** Replacements for the marked characters. */
  readonly suggestions: readonly string[]
}

export interface QueryProblem extends Mistake {
  /** Index and number of characters; 0 if something is missing. */
  readonly at: number
  readonly length: number
  /** Query with the characters marked below it. */
  readonly pointer: string
}

/** Creates an error that points at a part of the query. */
export function problemAt(
  text: string,
  at: number,
  length: number,
  { sentence, suggestions }: Mistake,
): AppError {
  const line = text.replaceAll(/\s/g, ' ')
  const pointer = `${line}\n${' '.repeat(at)}${'^'.repeat(Math.max(1, length))}`
  const details: QueryProblem = { at, length, sentence, suggestions, pointer }
  return new AppError('INVALID_QUERY', `${sentence} (at character ${at + 1})`, { details })
}

/** Counts letters to insert, delete, replace or swap: the optimal string alignment distance. */
export function editDistance(first: string, second: string): number {
  let rowBefore: number[] = []
  let row = Array.from({ length: second.length + 1 }, (_, index) => index)
  for (let i = 1; i <= first.length; i++) {
    const next = [i]
    for (let j = 1; j <= second.length; j++) {
      const same = first[i - 1] === second[j - 1]
      const swapped =
        i > 1 && j > 1 && first[i - 1] === second[j - 2] && first[i - 2] === second[j - 1]
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (rowBefore[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    rowBefore = row
    row = next
  }
  return row[second.length] ?? 0
}

/** Returns the likely candidates, best first. */
export function likelyNames(typed: string, candidates: readonly string[]): readonly string[] {
  const lower = typed.toLowerCase()
  const mostEdits = lower.length <= 4 ? 1 : 2
  const similar = candidates
    .map((name) => ({ name, edits: editDistance(lower, name.toLowerCase()) }))
    .filter(({ edits }) => edits <= mostEdits)
    .sort((a, b) => a.edits - b.edits)
    .map(({ name }) => name)
  const longerNames =
    lower.length < 2
      ? []
      : candidates.filter((name) => name.startsWith(lower) && !similar.includes(name))
  return [...similar, ...longerNames]
}
