import {
  isDifference,
  nothingOpened,
  unchangedSentence,
  type DiffRow,
  type OpenedFolds,
} from './rows.ts'

const MOST_NAMES = 5

/** Folds adjacent ignored rows, and containers without another difference; joins all folds. */
export function foldRows(rows: readonly DiffRow[], opened: OpenedFolds = nothingOpened): DiffRow[] {
  return new RowFolder(opened).fold(rows)
}

/** Part of a fold row: values that `showFold` hides, or ignored rows. */
interface Fold {
  readonly depth: number
  readonly unchanged: number
  readonly ignored: readonly DiffRow[]
  readonly opens: readonly string[]
}

class RowFolder {
  readonly #opened: OpenedFolds
  readonly #shown: DiffRow[] = []
  /** Adjacent ignored rows of one depth, not yet a fold. */
  #ignored: DiffRow[] = []
  /** Adjacent folds of one depth, to be joined. */
  #folds: Fold[] = []

  constructor(opened: OpenedFolds) {
    this.#opened = opened
  }

  fold(rows: readonly DiffRow[]): DiffRow[] {
    for (let at = 0; at < rows.length;) {
      const row = rows[at]!
      const end = row.kind === 'open' ? endOfSubtree(rows, at) : at + 1
      const subtree = rows.slice(at, end)
      const hasOnlyIgnored =
        row.kind === 'open'
          ? !subtree.some(isDifference) && subtree.some(({ isIgnored }) => isIgnored)
          : row.isIgnored
      if (hasOnlyIgnored) this.#ignore(row, subtree)
      else this.#keep(row)
      at = hasOnlyIgnored ? end : at + 1
    }
    this.#endIgnored()
    this.#endFolds()
    return this.#shown
  }

  /** Ignores the content of a container under its own path, but at the container's depth. */
  #ignore(row: DiffRow, subtree: readonly DiffRow[]): void {
    if (this.#ignored[0] !== undefined && this.#ignored[0].depth !== row.depth) this.#endIgnored()
    const ignored = subtree.filter(({ isIgnored }) => isIgnored)
    this.#ignored.push(
      ...ignored.map((inner) =>
        inner === row ? inner : { ...inner, depth: row.depth, label: nameOf(inner) },
      ),
    )
  }

  #keep(row: DiffRow): void {
    this.#endIgnored()
    const { depth, unchanged, opens = [] } = row
    if (unchanged !== undefined) {
      this.#addFold({ depth, unchanged, ignored: [], opens })
      return
    }
    this.#endFolds()
    this.#shown.push(row)
  }

  #addFold(fold: Fold): void {
    if (this.#folds[0] !== undefined && this.#folds[0].depth !== fold.depth) this.#endFolds()
    this.#folds.push(fold)
  }

  #endIgnored(): void {
    const ignored = this.#ignored
    this.#ignored = []
    const [first] = ignored
    if (first === undefined) return
    const name = `ignored ${nameOf(first)}`
    if (this.#opened.has(name)) {
      this.#endFolds()
      this.#shown.push(...ignored)
    } else this.#addFold({ depth: first.depth, unchanged: 0, ignored, opens: [name] })
  }

  #endFolds(): void {
    const [first] = this.#folds
    if (first !== undefined) this.#shown.push(joinFolds(first.depth, this.#folds))
    this.#folds = []
  }
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
