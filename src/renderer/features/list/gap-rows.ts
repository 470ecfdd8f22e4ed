/**
 * Lines of the list for the times in which the computer slept or Countersign was stopped, each between the deliveries before and after it. The list's state
 * counts deliveries only; this maps its indexes to lines on screen and back. Pure.
 */
import type { Gap } from '../../../shared/model/status.ts'
import { shortMoment } from '../../../shared/text/moment.ts'
import { indexAfter, type ListState } from './list-updates.ts'

export interface ListLines {
  /** Number of lines: deliveries and gaps. */
  readonly count: number
  /** The gap on a line; undefined if a delivery is there. */
  gapAt(line: number): Gap | undefined
  /** The delivery on a line, or the first one below it. */
  rowOf(line: number): number
  /** The line of a delivery. */
  lineOf(row: number): number
}

/** `gaps`: newest first. */
export function linesOf(list: ListState, rows: number, gaps: readonly Gap[]): ListLines {
  // Until the page around a gap is loaded, the gap is drawn at the page's start.
  const places = gaps.map((gap, before) => ({ gap, line: indexAfter(list, gap.afterSeq) + before }))
  const gapOn = new Map(places.map(({ gap, line }) => [line, gap]))
  return {
    count: rows + gaps.length,
    gapAt: (line) => gapOn.get(line),
    rowOf: (line) => line - places.filter((place) => place.line < line).length,
    lineOf: (row) => places.reduce((line, place) => (place.line <= line ? line + 1 : line), row),
  }
}

/** `Computer asleep from 10:02 to 10:40. Nothing was received.`; with days if it began on another. */
export function gapSentence(
  { from, to, announced }: Omit<Gap, 'afterSeq'>,
  now = new Date(),
): string {
  const [start, end] = [new Date(from), new Date(to)]
  const cause = announced ? 'Computer asleep' : 'Asleep or stopped'
  return `${cause} from ${shortMoment(start, now)} to ${shortMoment(end, start)}. Nothing was received.`
}
