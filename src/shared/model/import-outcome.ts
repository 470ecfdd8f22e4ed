/** Outcome of an import, added up from its pieces. */
import { z } from 'zod'

const count = z.number().int()
/** Numbers of lines, from 1, both included. */
const lineRangeSchema = z.object({ first: count, last: count })
type LineRange = z.infer<typeof lineRangeSchema>

export const importOutcomeSchema = z.object({
  lines: count,
  imported: count,
  /** Already stored under their ID, unchanged. */
  known: count,
  refused: count,
  /** First rejected lines. */
  problems: z.array(z.object({ line: count, reason: z.string() })),
  /** Further rejected lines, up to a number of ranges. */
  further: z.array(lineRangeSchema),
})
export type ImportOutcome = z.infer<typeof importOutcomeSchema>

export const NOTHING_IMPORTED: ImportOutcome = {
  lines: 0,
  imported: 0,
  known: 0,
  refused: 0,
  problems: [],
  further: [],
}

const MOST_PROBLEMS = 20
const MOST_RANGES = 20

/** Result of some lines. */
export interface ImportedLines {
  readonly lines: number
  readonly imported: number
  readonly known: number
  /** `line`: index among these lines. */
  readonly refused: readonly { readonly line: number; readonly reason: string }[]
}

function addToRanges(ranges: LineRange[], line: number): LineRange[] {
  const last = ranges.at(-1)
  if (last?.last === line - 1) return [...ranges.slice(0, -1), { first: last.first, last: line }]
  return ranges.length < MOST_RANGES ? [...ranges, { first: line, last: line }] : ranges
}

export function addLines(
  before: ImportOutcome,
  { lines, imported, known, refused }: ImportedLines,
): ImportOutcome {
  const rejected = refused.map(({ line, reason }) => ({ line: before.lines + line + 1, reason }))
  const listed = rejected.slice(0, MOST_PROBLEMS - before.problems.length)
  return {
    lines: before.lines + lines,
    imported: before.imported + imported,
    known: before.known + known,
    refused: before.refused + rejected.length,
    problems: [...before.problems, ...listed],
    further: rejected
      .slice(listed.length)
      .reduce((ranges, { line }) => addToRanges(ranges, line), before.further),
  }
}

/** Formats `lines 22–30, 35`, and counts lines outside of the ranges. */
function linesInWords(ranges: readonly LineRange[], lines: number): string {
  const named = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)
  const texts = ranges.map(({ first, last }) =>
    first === last
      ? first.toLocaleString('en')
      : `${first.toLocaleString('en')}–${last.toLocaleString('en')}`,
  )
  const rest = lines > named ? `, and ${(lines - named).toLocaleString('en')} later ones` : ''
  return `${lines === 1 ? 'line' : 'lines'} ${texts.join(', ')}${rest}`
}

/** Formats rejected lines without a reason: `And 11 more: lines 22–30, 35, 41.` */
export function furtherRejectedText({
  refused,
  problems,
  further,
}: Pick<ImportOutcome, 'refused' | 'problems' | 'further'>): string | null {
  const left = refused - problems.length
  return left === 0
    ? null
    : `And ${left.toLocaleString('en')} more: ${linesInWords(further, left)}.`
}
