/**
 * Rows of any comparison.
 * `form`: equal value in another notation. `open`: begins an object or array with differences.
 * `fold`: stands for hidden rows; of texts, it can't be opened (`text-lines.ts`).
 */
export type RowKind = 'same' | 'changed' | 'form' | 'added' | 'removed' | 'moved' | 'open' | 'fold'

export interface DiffPiece {
  readonly text: string
  readonly isChanged: boolean
}

export interface DiffRow {
  readonly kind: RowKind
  readonly depth: number
  /** Field name, item index or header name. */
  readonly label: string
  /** Line numbers of the left and right text. */
  readonly numbers: readonly [number | null, number | null] | null
  readonly left: readonly DiffPiece[] | null
  readonly right: readonly DiffPiece[] | null
  readonly note: string | null
  /** Path in the body, or header name. */
  readonly path: string
  readonly isIgnored: boolean
  /** Names of the folds that this row opens. */
  readonly opens?: readonly string[]
  /** Number of values that a fold of `showFold` hides. */
  readonly unchanged?: number
}

export interface DiffSides {
  readonly left: readonly DiffPiece[]
  readonly right: readonly DiffPiece[]
}

export type OpenedFolds = ReadonlySet<string>

export const nothingOpened: OpenedFolds = new Set()

export function unchangedSentence(count: number): string {
  return `${count.toLocaleString('en')} unchanged`
}

/** Lines that an opened fold shows; the rest is a further fold. */
const LINES_PER_FOLD = 500

/**
 * Shows unchanged values that were opened, then a fold of the rest.
 * @param nameAt names the fold that begins at a line
 */
export function showFold(
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
    const end = Math.min(count, from + LINES_PER_FOLD)
    for (; from < end; from++) show.line(from)
  }
}

/** In the order of a sentence. */
const countedKinds = ['changed', 'added', 'removed', 'moved', 'form'] as const

export type DiffCounts = Readonly<Record<(typeof countedKinds)[number] | 'ignored', number>>

export interface ComparedRows {
  readonly rows: readonly DiffRow[]
  readonly counts: DiffCounts
  /** Whether rows beyond a limit are neither shown nor counted. */
  readonly isCut: boolean
  /** Whether some difference isn't ignored. */
  readonly differs: boolean
}

export function isDifference(row: DiffRow): boolean {
  return !row.isIgnored && (countedKinds as readonly RowKind[]).includes(row.kind)
}

export function countRows(rows: Iterable<DiffRow>): DiffCounts {
  const counts = { changed: 0, form: 0, added: 0, removed: 0, moved: 0, ignored: 0 }
  for (const row of rows) {
    const kind = countedKinds.find((countedKind) => countedKind === row.kind)
    if (kind === undefined) continue
    if (row.isIgnored) counts.ignored++
    else counts[kind]++
  }
  return counts
}

export function differenceCount(counts: DiffCounts): number {
  return countedKinds.reduce((sum, kind) => sum + counts[kind], 0)
}

/** Formats `2 changed, 1 added, 3 ignored` or `No differences (3 ignored)`. */
export function countSentence(counts: DiffCounts): string {
  const { ignored } = counts
  if (differenceCount(counts) === 0)
    return ignored === 0
      ? 'No differences'
      : `No differences (${ignored.toLocaleString('en')} ignored)`
  const parts = countedKinds
    .filter((kind) => counts[kind] > 0)
    .map((kind) => `${counts[kind].toLocaleString('en')} ${kind === 'form' ? 'reformatted' : kind}`)
  return [...parts, ...(ignored === 0 ? [] : [`${ignored.toLocaleString('en')} ignored`])].join(
    ', ',
  )
}

/**
 * Formats the counts of cut rows.
 * @param differs whether some difference isn't ignored
 */
export function cutCountSentence(counts: DiffCounts, differs: boolean): string {
  if (differenceCount(counts) > 0) return `at least ${countSentence(counts)}`
  const ignored = `at least ${counts.ignored.toLocaleString('en')} ignored`
  return differs ? `at least 1 difference, ${ignored}` : `No differences (${ignored})`
}

export function unchangedPieces(text: string): readonly DiffPiece[] {
  return [{ text, isChanged: false }]
}

/** Characters of a value or line that are shown. */
const LONGEST_SHOWN = 4_000

export function clipped(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}

export function pieceText(pieces: readonly DiffPiece[] | null): string {
  return (pieces ?? []).map(({ text }) => text).join('')
}
