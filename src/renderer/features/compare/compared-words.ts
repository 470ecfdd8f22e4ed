/** What a comparison came to, in one line: that the two are alike, or how much differs. */
import { countSentence, cutCountSentence } from '../../../shared/diff/rows.ts'
import type { Comparison } from './use-comparison.ts'

type ComparedRows = Extract<Comparison, { state: 'rows' }>

/** Rows that were cut say nothing of those behind them: whether anything differs there at all was found out with all of them. */
export function comparedWords({ counts, isCut, differs }: Pick<ComparedRows, 'counts' | 'isCut' | 'differs'>): string {
  if (!isCut || (!differs && counts.ignored === 0)) return countSentence(counts)
  const words = cutCountSentence(counts, differs)
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}; there are more rows than can be shown`
}
