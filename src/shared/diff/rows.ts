/** One line of a comparison, whatever is compared: what stands left, what stands right, and how the two differ. */

export type RowKind =
  | 'same'
  | 'changed'
  /** The same value or header, written differently. */
  | 'form'
  | 'added'
  | 'removed'
  | 'moved'
  /** A container of which something inside differs. */
  | 'open'
  /** Lines that are the same, left out. */
  | 'fold'

export interface DiffPiece {
  readonly text: string
  readonly isChanged: boolean
}

export interface DiffRow {
  readonly kind: RowKind
  readonly depth: number
  /** Name of a member, index of an item, name of a header; empty for lines of text. */
  readonly label: string
  /** Numbers of the lines, where lines are compared. */
  readonly numbers: readonly [number | null, number | null] | null
  readonly left: readonly DiffPiece[] | null
  readonly right: readonly DiffPiece[] | null
  /** What has to be said beside the two values. */
  readonly note: string | null
  /** The whole place: a path in the body, a header's name. */
  readonly path: string
  /** It differs by its nature, and the list of such fields names it. */
  readonly isIgnored: boolean
  /** Of a fold that can be opened: its name among the opened ones. */
  readonly opens?: string
}

/** Names of the folds whose lines are shown. */
export type OpenedFolds = ReadonlySet<string>

export const nothingOpened: OpenedFolds = new Set()

/** So many lines a fold shows when it is opened; what is left is a fold again. */
const OPENED_AT_ONCE = 500

/** What `count` lines that are folded turn into: lines, the fold of what is left, or both; `nameAt` names the fold that begins at one of them. */
export function unfolded(
  count: number,
  opened: OpenedFolds,
  nameAt: (index: number) => string,
  show: { line(index: number): void; fold(left: number, name: string): void },
): void {
  for (let from = 0; from < count;) {
    const name = nameAt(from)
    if (!opened.has(name)) {
      show.fold(count - from, name)
      return
    }
    const end = Math.min(count, from + OPENED_AT_ONCE)
    for (; from < end; from++) show.line(from)
  }
}

export interface DiffCounts {
  readonly changed: number
  readonly form: number
  readonly added: number
  readonly removed: number
  readonly moved: number
  readonly ignored: number
}

const counted = ['changed', 'form', 'added', 'removed', 'moved'] as const

/** Whether a row is a difference that counts. */
export function isDifference(row: DiffRow): boolean {
  return !row.isIgnored && (counted as readonly RowKind[]).includes(row.kind)
}

export function countRows(rows: Iterable<DiffRow>): DiffCounts {
  const counts = { changed: 0, form: 0, added: 0, removed: 0, moved: 0, ignored: 0 }
  for (const row of rows) {
    const kind = counted.find((one) => one === row.kind)
    if (kind === undefined) continue
    if (row.isIgnored) counts.ignored++
    else counts[kind]++
  }
  return counts
}

export function differenceCount(counts: DiffCounts): number {
  return counted.reduce((sum, kind) => sum + counts[kind], 0)
}

const words: readonly (readonly [(typeof counted)[number], string])[] = [
  ['changed', 'changed'],
  ['added', 'added'],
  ['removed', 'removed'],
  ['moved', 'moved'],
  ['form', 'reformatted'],
]

/** `2 changed, 1 added, 3 ignored`; `No differences`, `No differences except 3 ignored`. */
export function countSentence(counts: DiffCounts): string {
  const { ignored } = counts
  if (differenceCount(counts) === 0)
    return ignored === 0 ? 'No differences' : `No differences (${ignored.toLocaleString('en')} ignored)`
  const told = words.filter(([kind]) => counts[kind] > 0).map(([kind, word]) => `${counts[kind].toLocaleString('en')} ${word}`)
  return [...told, ...(ignored === 0 ? [] : [`${ignored.toLocaleString('en')} ignored`])].join(', ')
}

/** The same of rows that were cut, whose counts are of those shown; `differs`: whether anything that counts differs at all. */
export function cutCountSentence(counts: DiffCounts, differs: boolean): string {
  if (differenceCount(counts) > 0) return `at least ${countSentence(counts)}`
  const ignored = `at least ${counts.ignored.toLocaleString('en')} ignored`
  return differs ? `at least 1 difference, ${ignored}` : `No differences (${ignored})`
}

/** A text without marks of change. */
export function whole(text: string): readonly DiffPiece[] {
  return [{ text, isChanged: false }]
}

export function pieceText(pieces: readonly DiffPiece[] | null): string {
  return (pieces ?? []).map(({ text }) => text).join('')
}
