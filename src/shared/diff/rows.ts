/** One row of any comparison: the left value, the right value, and how they differ. */
import { z } from 'zod'
import { pathFitsPattern, type Path } from './path.ts'

export type RowKind =
  | 'same'
  | 'changed'
  /** The same value or header in another notation. */
  | 'form'
  | 'added'
  | 'removed'
  | 'moved'
  /** A container with a difference inside. */
  | 'open'
  /** Unchanged lines, left out. */
  | 'fold'

export interface DiffPiece {
  readonly text: string
  readonly isChanged: boolean
}

export interface DiffRow {
  readonly kind: RowKind
  readonly depth: number
  /** Field name, item index or header name; empty for lines of text. */
  readonly label: string
  /** Line numbers, if lines are compared. */
  readonly numbers: readonly [number | null, number | null] | null
  readonly left: readonly DiffPiece[] | null
  readonly right: readonly DiffPiece[] | null
  /** A remark beside the two values. */
  readonly note: string | null
  /** The full path: a path in the body, or a header's name. */
  readonly path: string
  /** Expected to differ, according to the list of ignored fields. */
  readonly isIgnored: boolean
  /** For a fold that can be opened: its names among the opened ones, one for each fold that it joins. */
  readonly opens?: readonly string[]
  /** For a fold: the number of unchanged values in it. */
  readonly unchanged?: number
}

/** Names of the opened folds. */
export type OpenedFolds = ReadonlySet<string>

export const nothingOpened: OpenedFolds = new Set()

/** `12 unchanged`. */
export function unchangedSentence(count: number): string {
  return `${count.toLocaleString('en')} unchanged`
}

/** Number of lines shown when a fold is opened; the rest stays folded. */
const OPENED_AT_ONCE = 500

/** What `count` folded lines become: lines, a fold of the rest, or both. `nameAt` names the fold that begins at a line. */
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

const counted = ['changed', 'form', 'added', 'removed', 'moved'] as const

export type DiffCounts = Readonly<Record<(typeof counted)[number] | 'ignored', number>>

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

/** `2 changed, 1 added, 3 ignored`; `No differences`, `No differences (3 ignored)`. */
export function countSentence(counts: DiffCounts): string {
  const { ignored } = counts
  if (differenceCount(counts) === 0)
    return ignored === 0
      ? 'No differences'
      : `No differences (${ignored.toLocaleString('en')} ignored)`
  const parts = words
    .filter(([kind]) => counts[kind] > 0)
    .map(([kind, word]) => `${counts[kind].toLocaleString('en')} ${word}`)
  return [...parts, ...(ignored === 0 ? [] : [`${ignored.toLocaleString('en')} ignored`])].join(
    ', ',
  )
}

/** The same for truncated rows, whose counts cover only the shown ones. `differs`: whether there is any counted difference. */
export function cutCountSentence(counts: DiffCounts, differs: boolean): string {
  if (differenceCount(counts) > 0) return `at least ${countSentence(counts)}`
  const ignored = `at least ${counts.ignored.toLocaleString('en')} ignored`
  return differs ? `at least 1 difference, ${ignored}` : `No differences (${ignored})`
}

/** A text without changes marked. */
export function whole(text: string): readonly DiffPiece[] {
  return [{ text, isChanged: false }]
}

/** Longer values and lines are shortened on screen; the export has them in full. */
const LONGEST_SHOWN = 4_000

export function clipped(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}

export function pieceText(pieces: readonly DiffPiece[] | null): string {
  return (pieces ?? []).map(({ text }) => text).join('')
}

// Fields that are expected to differ between deliveries, and are folded in a comparison: ids, times, the signature.

export const volatileFieldsSchema = z.object({
  /** Path patterns in the body: `**.id`, `offer.qualificationDate`. */
  body: z.array(z.string().min(1).max(200)).max(200),
  /** Header names, with `*` for any characters; case-insensitive. */
  headers: z.array(z.string().min(1).max(200)).max(200),
})
export type VolatileFields = z.infer<typeof volatileFieldsSchema>

/** The default list, used if a hook has no list. */
export const usualVolatileFields: VolatileFields = {
  body: [
    '**.id',
    '**.*Id',
    '**.created',
    '**.updated',
    'datetime',
    '**.qualificationDate',
    'activeDate',
    'syncStats.estimatedEndDate',
    'approvalCode',
    'authCode',
    'identifiers.*AuthCode',
    'identifiers.*ApprovalCode',
    'identifiers.*SequenceNumber',
    'identifiers.*RefNumber',
  ],
  headers: [
    '*-signature',
    '*-timestamp',
    '*-attempt-number',
    '*-message-id',
    'content-length',
    'date',
  ],
}

export const nothingVolatile: VolatileFields = { body: [], headers: [] }

/** Whether a path is, or is inside, a field expected to differ. */
export function isVolatilePath(fields: VolatileFields, path: Path): boolean {
  return fields.body.some((pattern) =>
    path.some((_, index) => pathFitsPattern(path.slice(0, index + 1), pattern)),
  )
}

export function isVolatileHeader(fields: VolatileFields, name: string): boolean {
  return fields.headers.some((pattern) =>
    pathFitsPattern([name.toLowerCase()], pattern.toLowerCase()),
  )
}
