import { z } from 'zod'

const count = z.number().int()
const lineRangeSchema = z.object({ first: count, last: count })
type LineRange = z.infer<typeof lineRangeSchema>

export const importOutcomeSchema = z.object({
  lines: count,
  imported: count,
  /** Already stored under their ID, unchanged. */
  known: count,
  refused: count,
  /** First rejected lines, counted from 1. */
  problems: z.array(z.object({ line: count, reason: z.string() })),
  /** Ranges of further rejected lines, both ends included, up to a limit. */
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

export interface ImportedLines {
  readonly lines: number
  readonly imported: number
  readonly known: number
  readonly refused: readonly { readonly line: number; readonly reason: string }[]
}

function withLine(ranges: LineRange[], line: number): LineRange[] {
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
      .reduce((ranges, { line }) => withLine(ranges, line), before.further),
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
