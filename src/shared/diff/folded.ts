/** Folding of ignored and unchanged rows. */
import {
  isDifference,
  nothingOpened,
  unchangedSentence,
  type DiffRow,
  type OpenedFolds,
} from './rows.ts'

const MOST_NAMES = 5

/** Folds adjacent ignored or unchanged rows, and containers without another difference. */
export function foldRows(rows: readonly DiffRow[], opened: OpenedFolds = nothingOpened): DiffRow[] {
  const kept: DiffRow[] = []
  let ignored: DiffRow[] = []
  let folds: Fold[] = []
  const endFold = () => {
    const [first] = folds
    if (first !== undefined) kept.push(joinFolds(first.depth, folds))
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
        ...within.map((ignoredRow) =>
          ignoredRow === row
            ? ignoredRow
            : { ...ignoredRow, depth: row.depth, label: nameOf(ignoredRow) },
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

interface Fold {
  readonly depth: number
  readonly unchanged: number
  readonly ignored: readonly DiffRow[]
  readonly opens: readonly string[]
}

function endOfSubtree(rows: readonly DiffRow[], start: number): number {
  const depth = rows[start]?.depth ?? 0
  let end = start + 1
  while (end < rows.length && (rows[end]?.depth ?? 0) > depth) end++
  return end
}

/** Formats `3 ignored: id, created and 1 more`. */
export function ignoredSentence(ignored: readonly DiffRow[], mostNames: number): string {
  const names = [...new Set(ignored.map(nameOf))]
  const rest = names.length > mostNames ? ` and ${names.length - mostNames} more` : ''
  return `${ignored.length} ignored: ${names.slice(0, mostNames).join(', ')}${rest}`
}

function nameOf({ path, label }: DiffRow): string {
  return path === '' ? label : path
}

/** Joins adjacent folds, such as `5 unchanged, 2 ignored: id, updated`. */
function joinFolds(depth: number, folds: readonly Fold[]): DiffRow {
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
