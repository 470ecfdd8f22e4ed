/** Folds the ignored rows of a comparison into one line with their number and names. */
import { isDifference, nothingOpened, type DiffRow, type OpenedFolds } from './rows.ts'

/** Maximum number of names in that line. */
const MOST_NAMES = 5

/** The rows without ignored ones, and without containers that have no other difference. */
export function foldIgnored(rows: readonly DiffRow[], opened: OpenedFolds = nothingOpened): DiffRow[] {
  const kept: DiffRow[] = []
  let ignored: DiffRow[] = []
  const flush = () => {
    const [first] = ignored
    if (first !== undefined) {
      const name = `ignored ${nameOf(first)}`
      if (opened.has(name)) kept.push(...ignored)
      else kept.push({ ...foldRow(first.depth, ignored), opens: name })
    }
    ignored = []
  }
  for (let at = 0; at < rows.length;) {
    const row = rows[at]
    if (row === undefined) break
    const end = row.kind === 'open' ? endOfSubtree(rows, at) : at + 1
    const inside = rows.slice(at, end)
    const isQuiet = row.kind === 'open' ? !inside.some(isDifference) && inside.some(({ isIgnored }) => isIgnored) : row.isIgnored
    if (isQuiet) {
      if (ignored[0] !== undefined && ignored[0].depth !== row.depth) flush()
      // A container counts for its ignored content, under its own path.
      const within = inside.filter(({ isIgnored }) => isIgnored)
      ignored.push(...within.map((one) => (one === row ? one : { ...one, depth: row.depth, label: nameOf(one) })))
      at = end
    } else {
      flush()
      kept.push(row)
      at++
    }
  }
  flush()
  return kept
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

function foldRow(depth: number, ignored: readonly DiffRow[]): DiffRow {
  return {
    kind: 'fold',
    depth,
    label: '',
    numbers: null,
    left: null,
    right: null,
    note: ignoredSentence(ignored, MOST_NAMES),
    path: '',
    isIgnored: true,
  }
}
