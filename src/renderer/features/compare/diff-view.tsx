/** The rows of a comparison, side by side or stacked, drawn only while visible; and the selected difference in full. */
import {
  ArrowUpDown,
  Equal,
  Minus,
  PencilLine,
  Plus,
  UnfoldVertical,
  type LucideIcon,
} from 'lucide-react'
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import {
  isDifference,
  pieceText,
  type DiffPiece,
  type DiffRow,
  type RowKind,
} from '../../../shared/diff/rows.ts'
import { classNames } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { LineList } from '../../ui/list.tsx'
import { visibleText } from '../../ui/visible-text.ts'

const ROW_HEIGHT = 24

function linesOf(rows: readonly DiffRow[], layout: 'split' | 'unified'): Line[] {
  let changes = 0
  return rows.flatMap((row): Line[] => {
    const change = isDifference(row) ? changes++ : null
    const isPair =
      row.left !== null &&
      row.right !== null &&
      (row.kind === 'changed' ||
        (row.kind === 'form' && pieceText(row.left) !== pieceText(row.right)))
    if (layout === 'unified' && isPair)
      return [
        { row, show: 'left', change },
        { row, show: 'right', change },
      ]
    return [{ row, show: 'both', change }]
  })
}

interface DiffViewProps {
  readonly label: string
  readonly rows: readonly DiffRow[]
  readonly layout: 'split' | 'unified'
  readonly at: number
  readonly onSelect: (change: number) => void
  /** Expands a fold. */
  readonly onOpen: (names: readonly string[]) => void
}

export function DiffView({ label, rows, layout, at, onSelect, onOpen }: DiffViewProps) {
  const lines = useMemo(() => linesOf(rows, layout), [rows, layout])
  const place = lines.findIndex(({ change }) => change === at)
  /** Expanding a fold above the difference moves it: the view stays with the fold. */
  const isOpening = useRef(false)
  const [reveal, setReveal] = useState<readonly number[] | null>(null)
  const open = (names: readonly string[]) => {
    isOpening.current = true
    onOpen(names)
  }
  useEffect(() => {
    const stays = isOpening.current
    isOpening.current = false
    // The lines around it show its position.
    if (place >= 0 && !stays) setReveal([Math.max(0, place - 2), place])
  }, [place, rows])
  return (
    <LineList
      label={label}
      count={lines.length}
      rowHeight={ROW_HEIGHT}
      listRole="list"
      reveal={reveal}
      line={(index) => {
        const line = lines[index]
        if (line === undefined) return null
        const isCurrent = line.change !== null && line.change === at
        return (
          <div
            key={index}
            role="listitem"
            aria-current={isCurrent ? 'true' : undefined}
            aria-setsize={lines.length}
            aria-posinset={index + 1}
            className={classNames(
              'h-6 border-b border-line/40 leading-6 whitespace-pre',
              isCurrent && 'bg-selected shadow-[inset_2px_0_0_var(--accent)]',
            )}
          >
            {line.row.kind === 'fold' ? (
              <FoldLine row={line.row} onOpen={open} />
            ) : (
              <LineFrame change={line.change} onSelect={onSelect}>
                <LineView line={line} layout={layout} />
              </LineFrame>
            )}
          </div>
        )
      }}
    />
  )
}

/** Differences can be clicked; keys move between them, so they need no tab stops. */
function LineFrame({
  change,
  onSelect,
  children,
}: {
  readonly change: number | null
  readonly onSelect: (change: number) => void
  readonly children: ReactNode
}) {
  if (change === null) return <div className="flex h-full">{children}</div>
  return (
    <button
      type="button"
      tabIndex={-1}
      className="flex h-full w-full text-left whitespace-pre select-text"
      onClick={() => onSelect(change)}
    >
      {children}
    </button>
  )
}

// One row: its glyph, its name, and both values with the differences marked.

const kindStyle: Readonly<
  Record<RowKind, { readonly Icon: LucideIcon | null; readonly word: string }>
> = {
  same: { Icon: null, word: '' },
  open: { Icon: null, word: '' },
  fold: { Icon: null, word: '' },
  changed: { Icon: PencilLine, word: 'changed' },
  form: { Icon: Equal, word: 'reformatted' },
  added: { Icon: Plus, word: 'added' },
  removed: { Icon: Minus, word: 'removed' },
  moved: { Icon: ArrowUpDown, word: 'moved' },
}

interface Line {
  readonly row: DiffRow
  readonly show: 'both' | 'left' | 'right'
  /** Number of its difference; null if it isn't part of one. */
  readonly change: number | null
}

function LineView({
  line: { row, show },
  layout,
}: {
  readonly line: Line
  readonly layout: 'split' | 'unified'
}) {
  const { Icon, word } = kindStyle[row.kind]
  const isPlain = row.kind === 'same' || row.kind === 'open' || row.isIgnored
  const glyph = (
    <span className="flex w-7 shrink-0 items-center justify-center text-muted" title={word}>
      {Icon !== null && <Icon size={12} />}
      {word !== '' && <span className="sr-only">{word}: </span>}
    </span>
  )
  if (layout === 'unified') {
    const side =
      show === 'both'
        ? row.kind === 'removed'
          ? 'left'
          : row.kind === 'added'
            ? 'right'
            : null
        : show
    const pieces =
      side === 'left' ? row.left : side === 'right' ? row.right : (row.right ?? row.left)
    return (
      <>
        {glyph}
        {show === 'right' ? (
          <span className="w-[30%] max-w-[320px] shrink-0" />
        ) : (
          <Label row={row} />
        )}
        <Value pieces={pieces} side={isPlain ? null : side} />
        <Note row={row} isShown={show !== 'left'} />
      </>
    )
  }
  return (
    <>
      {glyph}
      <Label row={row} />
      <span className="flex min-w-0 flex-1">
        <Value pieces={row.left} side={isPlain ? null : 'left'} />
      </span>
      <span className="flex min-w-0 flex-1 border-l border-line">
        <Value pieces={row.right} side={isPlain ? null : 'right'} />
        <Note row={row} isShown />
      </span>
    </>
  )
}

function FoldLine({
  row: { depth, note, opens },
  onOpen,
}: {
  readonly row: DiffRow
  readonly onOpen: (names: readonly string[]) => void
}) {
  const said = (
    <span className="truncate" title={note ?? ''}>
      {note}
    </span>
  )
  const frame =
    'flex h-full w-full min-w-0 items-center bg-ground pr-2 text-left font-sans text-small text-subtle'
  const style = { paddingLeft: `${28 + indent(depth)}px` }
  if (opens === undefined)
    return (
      <div className={frame} style={style}>
        {said}
      </div>
    )
  return (
    <button
      type="button"
      className={classNames(frame, 'group gap-1.5 hover:text-text')}
      style={style}
      onClick={() => onOpen(opens)}
    >
      <span className="sr-only">Show </span>
      {said}
      <UnfoldVertical
        size={12}
        className="shrink-0 opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100"
      />
    </button>
  )
}

function indent(depth: number): number {
  return Math.min(Math.max(depth, 0), 12) * 14
}

function Label({ row }: { readonly row: DiffRow }) {
  return (
    <span
      className="w-[30%] max-w-[320px] shrink-0 truncate pr-3 text-code-key"
      style={{ paddingLeft: `${indent(row.depth)}px` }}
      title={visibleText(row.path)}
    >
      {row.label === '' ? (
        <span className="text-subtle">whole body</span>
      ) : (
        <ExactText text={row.label} />
      )}
    </span>
  )
}

const washes = { left: 'bg-side-a-wash', right: 'bg-side-b-wash' } as const
const marks = { left: 'bg-side-a/25', right: 'bg-side-b/25' } as const

function Value({
  pieces,
  side,
}: {
  readonly pieces: readonly DiffPiece[] | null
  readonly side: 'left' | 'right' | null
}): ReactNode {
  if (pieces === null) return <span className="min-w-0 flex-1 bg-ground" />
  return (
    <span
      className={classNames(
        'min-w-0 flex-1 overflow-hidden px-2 text-ellipsis',
        side !== null && washes[side],
      )}
      title={visibleText(pieceText(pieces).slice(0, 2_000))}
    >
      <Pieces pieces={pieces} side={side} />
    </span>
  )
}

/** A text in pieces, with the different ones marked in the color of their side. */
export function Pieces({
  pieces,
  side,
}: {
  readonly pieces: readonly DiffPiece[]
  readonly side: 'left' | 'right' | null
}) {
  return pieces.map(({ text, isChanged }, index) => (
    <span key={index} className={isChanged && side !== null ? `rounded-small ${marks[side]}` : ''}>
      <ExactText text={text} />
    </span>
  ))
}

function Note({ row, isShown }: { readonly row: DiffRow; readonly isShown: boolean }) {
  const said = [
    ...(row.isIgnored ? ['ignored'] : []),
    ...(row.note === null ? [] : [row.note]),
  ].join('; ')
  if (said === '' || !isShown) return null
  return (
    <span
      className="max-w-[55%] shrink-0 self-center truncate px-2 font-sans text-small text-subtle"
      title={said}
    >
      {said}
    </span>
  )
}

/** The selected difference, with both values in full. */
export function ChangeInspector({
  row,
  at,
  count,
}: {
  readonly row: DiffRow
  readonly at: number
  readonly count: number
}) {
  return (
    <section
      aria-label="Selected difference"
      className="flex max-h-[32%] shrink-0 flex-col border-t border-line bg-surface"
    >
      <h2 className="flex h-8 shrink-0 items-center gap-2 px-4 text-small">
        <span className="font-medium whitespace-nowrap" aria-live="polite">
          Difference {at + 1} of {count}
        </span>
        <span className="data min-w-0 truncate text-muted">
          <ExactText text={row.path} />
        </span>
        <span className="min-w-0 truncate text-subtle">
          {kindStyle[row.kind].word}
          {row.note === null ? '' : ` · ${row.note}`}
        </span>
      </h2>
      <div
        className="grid min-h-0 flex-1 grid-cols-2 overflow-auto border-t border-line/50 max-[700px]:grid-cols-1"
        tabIndex={0}
        role="group"
        aria-label="Full values"
      >
        <FullValue name="A" side="left" pieces={row.left} />
        <FullValue name="B" side="right" pieces={row.right} />
      </div>
    </section>
  )
}

function FullValue({
  name,
  side,
  pieces,
}: {
  readonly name: 'A' | 'B'
  readonly side: 'left' | 'right'
  readonly pieces: DiffRow['left']
}) {
  return (
    <div
      className={`flex min-w-0 gap-2 px-4 py-2 ${side === 'right' ? 'border-l border-line' : ''}`}
    >
      <SideMark name={name} />
      <span className="data min-w-0 flex-1 leading-5 break-all whitespace-pre-wrap">
        {pieces === null ? (
          <span className="font-sans text-subtle">missing</span>
        ) : (
          <Pieces pieces={pieces} side={side} />
        )}
      </span>
      {pieces !== null && <CopyButton text={pieceText(pieces)} label={`Copy value of ${name}`} />}
    </div>
  )
}

export function SideMark({ name }: { readonly name: 'A' | 'B' }) {
  const colors = name === 'A' ? 'bg-side-a-wash text-side-a' : 'bg-side-b-wash text-side-b'
  return (
    <span
      className={`inline-flex size-5 shrink-0 items-center justify-center rounded-small font-mono text-tiny font-medium ${colors}`}
    >
      {name}
    </span>
  )
}
