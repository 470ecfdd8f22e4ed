/** Folds the ignored and unchanged rows of a comparison into one line with their number and the ignored names. */
import {
  isDifference,
  nothingOpened,
  unchangedSentence,
  type DiffRow,
  type OpenedFolds,
} from './rows.ts'

/** Maximum number of names in that line. */
const MOST_NAMES = 5

/**
 * The rows without ignored ones, and without containers that have no other difference. What stands next to each other at one depth,
 * unchanged or ignored, is one fold.
 */
export function foldIgnored(
  rows: readonly DiffRow[],
  opened: OpenedFolds = nothingOpened,
): DiffRow[] {
  const kept: DiffRow[] = []
  let ignored: DiffRow[] = []
  let folds: Fold[] = []
  const endFold = () => {
    const [first] = folds
    if (first !== undefined) kept.push(joined(first.depth, folds))
    folds = []
  }
  const addFold = (fold: Fold) => {
    if (folds[0] !== undefined && folds[0].depth !== fold.depth) endFold()
    folds.push(fold)
  }
  const endIgnored = () => {
    const [first] = ignored
    if (first !== undefined) {
      const name = `ignored ${nameOf(first)}`
      if (opened.has(name)) {
        endFold()
        kept.push(...ignored)
      } else addFold({ depth: first.depth, unchanged: 0, ignored, opens: [name] })
    }
    ignored = []
  }
  for (let at = 0; at < rows.length;) {
    const row = rows[at]
    if (row === undefined) break
    const end = row.kind === 'open' ? endOfSubtree(rows, at) : at + 1
    const inside = rows.slice(at, end)
    const isQuiet =
      row.kind === 'open'
        ? !inside.some(isDifference) && inside.some(({ isIgnored }) => isIgnored)
        : row.isIgnored
    if (isQuiet) {
      if (ignored[0] !== undefined && ignored[0].depth !== row.depth) endIgnored()
      // A container counts for its ignored content, under its own path.
      const within = inside.filter(({ isIgnored }) => isIgnored)
      ignored.push(
        ...within.map((one) =>
          one === row ? one : { ...one, depth: row.depth, label: nameOf(one) },
        ),
      )
      at = end
    } else {
      endIgnored()
      if (row.unchanged === undefined) {
        endFold()
        kept.push(row)
      } else
        addFold({ depth: row.depth, unchanged: row.unchanged, ignored: [], opens: row.opens ?? [] })
      at++
    }
  }
  endIgnored()
  endFold()
  return kept
}

/** Rows left out at one place: unchanged values, or ignored ones. */
interface Fold {
  readonly depth: number
  readonly unchanged: number
  readonly ignored: readonly DiffRow[]
  readonly opens: readonly string[]
}

/** End (exclusive) of the rows nested below the row at `start`. */
function endOfSubtree(rows: readonly DiffRow[], start: number): number {
  const depth = rows[start]?.depth ?? 0
  let end = start + 1
  while (end < rows.length && (rows[end]?.depth ?? 0) > depth) end++
  return end
}

/** `3 ignored: id, created and 1 more`, for ignored rows. */
export function ignoredSentence(ignored: readonly DiffRow[], mostNames: number): string {
  const names = [...new Set(ignored.map(nameOf))]
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ''
  return `${ignored.length} ignored: ${names.slice(0, mostNames).join(', ')}${more}`
}

function nameOf({ path, label }: DiffRow): string {
  return path === '' ? label : path
}

/** One row for folds that stand next to each other: `5 unchanged, 2 ignored: id, updated`. */
function joined(depth: number, folds: readonly Fold[]): DiffRow {
  const unchanged = folds.reduce((sum, fold) => sum + fold.unchanged, 0)
  const ignored = folds.flatMap((fold) => fold.ignored)
  const notes = [
    ...(unchanged > 0 ? [unchangedSentence(unchanged)] : []),
    ...(ignored.length > 0 ? [ignoredSentence(ignored, MOST_NAMES)] : []),
  ]
  return {
    kind: 'fold',
    depth,
    label: '',
    numbers: null,
    left: null,
    right: null,
    note: notes.join(', '),
    path: '',
    isIgnored: ignored.length > 0,
    opens: folds.flatMap(({ opens }) => opens),
  }
}
