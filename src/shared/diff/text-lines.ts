/** Comparison of two texts line by line. */
import { clipped, unchangedPieces, type DiffRow, type DiffPiece } from './rows.ts'
import { diffSequences } from './sequences.ts'
import { MOST_ROWS } from './structure-rows.ts'
import { diffWords } from './words.ts'

const CONTEXT = 3

/**
 * Returns the rows of a comparison.
 * @returns `isCut`: more exist than are shown
 */
export function lineRows(
  left: readonly string[],
  right: readonly string[],
): { rows: DiffRow[]; isCut: boolean; differs: boolean } {
  const rows: DiffRow[] = []
  const runs = diffSequences(left, right)
  runs.forEach((run, index) => {
    const next = runs[index + 1]
    if (run.kind === 'same') {
      const isFirst = index === 0
      const isLast = next === undefined
      addSame(rows, left, run, isFirst ? 0 : CONTEXT, isLast ? 0 : CONTEXT, runs.length === 1)
    } else if (run.kind === 'removed' && next?.kind === 'added') {
      const pairs = Math.min(run.count, next.count)
      for (let offset = 0; offset < pairs; offset++)
        rows.push(changedRow(left, run.left + offset, right, next.right + offset))
      for (let offset = pairs; offset < run.count; offset++)
        rows.push(oneSided('removed', left, run.left + offset))
      for (let offset = pairs; offset < next.count; offset++)
        rows.push(oneSided('added', right, next.right + offset))
    } else if (run.kind === 'removed') {
      for (let offset = 0; offset < run.count; offset++)
        rows.push(oneSided('removed', left, run.left + offset))
    } else if (runs[index - 1]?.kind !== 'removed') {
      for (let offset = 0; offset < run.count; offset++)
        rows.push(oneSided('added', right, run.right + offset))
    }
  })
  const isCut = rows.length > MOST_ROWS
  return {
    rows: isCut ? rows.slice(0, MOST_ROWS) : rows,
    isCut,
    differs: runs.some(({ kind }) => kind !== 'same'),
  }
}

const plainRow = { depth: 0, label: '', note: null, path: '', isIgnored: false } as const

function addSame(
  rows: DiffRow[],
  left: readonly string[],
  run: { left: number; right: number; count: number },
  before: number,
  after: number,
  isAll: boolean,
): void {
  const hidden = run.count - before - after
  const line = (offset: number): DiffRow => {
    const text = unchangedPieces(clipped(left[run.left + offset] ?? ''))
    return {
      ...plainRow,
      kind: 'same',
      numbers: [run.left + offset + 1, run.right + offset + 1],
      left: text,
      right: text,
    }
  }
  if (hidden <= 1 || isAll) {
    for (let offset = 0; offset < run.count && rows.length <= MOST_ROWS; offset++)
      rows.push(line(offset))
    return
  }
  for (let offset = 0; offset < before; offset++) rows.push(line(offset))
  rows.push({
    ...plainRow,
    kind: 'fold',
    numbers: null,
    left: null,
    right: null,
    note: `${hidden.toLocaleString('en')} lines unchanged`,
  })
  for (let offset = run.count - after; offset < run.count; offset++) rows.push(line(offset))
}

function changedRow(
  left: readonly string[],
  i: number,
  right: readonly string[],
  j: number,
): DiffRow {
  const [leftPieces, rightPieces] = diffWords(clipped(left[i] ?? ''), clipped(right[j] ?? ''))
  return {
    ...plainRow,
    kind: 'changed',
    numbers: [i + 1, j + 1],
    left: leftPieces,
    right: rightPieces,
  }
}

function oneSided(kind: 'removed' | 'added', lines: readonly string[], index: number): DiffRow {
  const text: readonly DiffPiece[] = unchangedPieces(clipped(lines[index] ?? ''))
  return kind === 'removed'
    ? { ...plainRow, kind, numbers: [index + 1, null], left: text, right: null }
    : { ...plainRow, kind, numbers: [null, index + 1], left: null, right: text }
}
