/** Part of a query that is still being typed, whose problems aren't shown yet. */
import type { QueryPiece } from './parse.ts'
import type { QueryProblem } from './problem.ts'

const TERM_END = /[\s()]/

/** Returns the word at the caret, everything since an open quote or bracket, or an operator. */
export function unfinishedPart(text: string, caret: number): QueryPiece | null {
  let from = 0
  let isQuoted = false
  /** Starts of the terms with open brackets, outermost first. */
  const open: number[] = []
  for (let index = 0; index < caret; index++) {
    const character = text[index] ?? ''
    if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) index += character === '\\' ? 1 : 0
    else if (character === '(' || character === '{') open.push(Math.min(index, from))
    else if (character === ')' || character === '}') open.pop()
    if (!isQuoted && TERM_END.test(character)) from = index + 1
  }
  if (open[0] !== undefined) return { from: open[0], to: text.length }
  const length = text.slice(caret).search(TERM_END)
  if (isQuoted || from < caret)
    return { from, to: isQuoted || length === -1 ? text.length : caret + length }
  const [operator] = /(?:^|(?<=[\s)]))(?:OR|AND|NOT)\s+$/.exec(text.slice(0, caret)) ?? []
  return operator === undefined ? null : { from: caret - operator.length, to: caret }
}

/** Whether a problem concerns the part being typed. */
export function isUnfinished(
  { at, length }: Pick<QueryProblem, 'at' | 'length'>,
  part: QueryPiece | null,
): boolean {
  return (
    part !== null &&
    at <= part.to &&
    at + length >= part.from &&
    (length === 0 || at + length > part.from)
  )
}
