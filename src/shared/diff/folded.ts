/** Takes what is ignored out of the rows of a comparison: one line in its place says how much, and what. */
import { isDifference, type DiffRow } from './rows.ts'

/** So many names stand in the line that takes the place of what is ignored. */
const MOST_NAMES = 5

/** The rows without what is ignored, and without containers of which nothing else differs. */
export function foldIgnored(rows: readonly DiffRow[]): DiffRow[] {
  const kept: DiffRow[] = []
  let ignored: DiffRow[] = []
  const flush = () => {
    const [first] = ignored
    if (first !== undefined) kept.push(foldRow(first.depth, ignored))
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
      // A container counts for what is ignored in it, under its own place.
      ignored.push(...inside.filter(({ isIgnored }) => isIgnored).map((one) => ({ ...one, depth: row.depth })))
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

/** One past the last row that lies deeper than the one at `start`. */
function endOfSubtree(rows: readonly DiffRow[], start: number): number {
  const depth = rows[start]?.depth ?? 0
  let end = start + 1
  while (end < rows.length && (rows[end]?.depth ?? 0) > depth) end++
  return end
}

function foldRow(depth: number, ignored: readonly DiffRow[]): DiffRow {
  const names = [...new Set(ignored.map(({ path, label }) => (path === '' ? label : path)))]
  const shown = names.slice(0, MOST_NAMES).join(', ')
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  return {
    kind: 'fold',
    depth,
    label: '',
    numbers: null,
    left: null,
    right: null,
    note: `${ignored.length} ignored: ${shown}${more}`,
    path: '',
    isIgnored: true,
  }
}
