import { clipped, unchangedPieces, type ComparedRows, type DiffRow } from './rows.ts'
import { diffSequences, type Run } from './sequences.ts'
import { MOST_ROWS } from './structure-rows.ts'
import { diffWords } from './text-words.ts'

/** Unchanged lines shown before and after a difference. */
const CONTEXT = 3

export function lineRows(
  left: readonly string[],
  right: readonly string[],
): Omit<ComparedRows, 'counts'> {
  const rows: DiffRow[] = []
  const runs = diffSequences(left, right)
  runs.forEach((run, index) => {
    const previous = runs[index - 1]
    const next = runs[index + 1]
    if (run.kind === 'same') {
      const before = previous === undefined ? 0 : CONTEXT
      const after = next === undefined ? 0 : CONTEXT
      addSame(rows, left, run, { before, after, isFolded: runs.length > 1 })
    } else if (run.kind === 'removed') {
      const added = next?.kind === 'added' ? next : { right: 0, count: 0 }
      const pairs = Math.min(run.count, added.count)
      for (let offset = 0; offset < pairs; offset++)
        rows.push(changedRow(left, run.left + offset, right, added.right + offset))
      for (let offset = pairs; offset < run.count; offset++)
        rows.push(oneSided('removed', left, run.left + offset))
      for (let offset = pairs; offset < added.count; offset++)
        rows.push(oneSided('added', right, added.right + offset))
    } else if (previous?.kind !== 'removed') {
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

/** Adds `before` and `after` lines of a run around a fold of the others, which never opens. */
function addSame(
  rows: DiffRow[],
  left: readonly string[],
  run: Run,
  { before, after, isFolded }: { before: number; after: number; isFolded: boolean },
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
  if (hidden <= 1 || !isFolded) {
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
  leftIndex: number,
  right: readonly string[],
  rightIndex: number,
): DiffRow {
  return {
    ...plainRow,
    kind: 'changed',
    numbers: [leftIndex + 1, rightIndex + 1],
    ...diffWords(clipped(left[leftIndex] ?? ''), clipped(right[rightIndex] ?? '')),
  }
}

function oneSided(kind: 'removed' | 'added', lines: readonly string[], index: number): DiffRow {
  const text = unchangedPieces(clipped(lines[index] ?? ''))
  return kind === 'removed'
    ? { ...plainRow, kind, numbers: [index + 1, null], left: text, right: null }
    : { ...plainRow, kind, numbers: [null, index + 1], left: null, right: text }
}
