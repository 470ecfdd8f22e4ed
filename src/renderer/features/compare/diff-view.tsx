/** The rows of a comparison, side by side or one under the other; drawn only where they are in view. */
import { ArrowUpDown, Equal, Minus, Plus, PencilLine, type LucideIcon } from 'lucide-react'
import { useEffect, useMemo, useRef, type ReactNode } from 'react'
import { isDifference, pieceText, type DiffRow, type Piece, type RowKind } from '../../../shared/diff/rows.ts'
import { classNames } from '../../ui/class-names.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { RowScroller } from '../../ui/row-scroller.tsx'
import { useRowWindow } from '../../ui/use-row-window.ts'
import { visibleText } from '../../ui/visible-text.ts'

const ROW_HEIGHT = 24

/** The glyph of each kind of row, and its word for those who hear it. */
export const kindLook: Readonly<Record<RowKind, { readonly Icon: LucideIcon | null; readonly word: string }>> = {
  same: { Icon: null, word: '' },
  open: { Icon: null, word: '' },
  fold: { Icon: null, word: '' },
  changed: { Icon: PencilLine, word: 'changed' },
  form: { Icon: Equal, word: 'written differently' },
  added: { Icon: Plus, word: 'added' },
  removed: { Icon: Minus, word: 'removed' },
  moved: { Icon: ArrowUpDown, word: 'moved' },
}

interface Line {
  readonly row: DiffRow
  /** Which of the two values the line shows. */
  readonly show: 'both' | 'left' | 'right'
  /** Number of the difference that it belongs to; null for what is none. */
  readonly change: number | null
}

function linesOf(rows: readonly DiffRow[], layout: 'split' | 'unified'): Line[] {
  let changes = 0
  return rows.flatMap((row): Line[] => {
    const change = isDifference(row) ? changes++ : null
    const isPair =
      row.left !== null &&
      row.right !== null &&
      (row.kind === 'changed' || (row.kind === 'form' && pieceText(row.left) !== pieceText(row.right)))
    if (layout === 'unified' && isPair)
      return [
        { row, show: 'left', change },
        { row, show: 'right', change },
      ]
    return [{ row, show: 'both', change }]
  })
}

export interface DiffViewProps {
  readonly label: string
  readonly rows: readonly DiffRow[]
  readonly layout: 'split' | 'unified'
  readonly at: number
  readonly onSelect: (change: number) => void
}

export function DiffView({ label, rows, layout, at, onSelect }: DiffViewProps) {
  const lines = useMemo(() => linesOf(rows, layout), [rows, layout])
  const view = useRowWindow({ count: lines.length, rowHeight: ROW_HEIGHT, overscan: 12 })
  const { first, end } = view.rows
  const place = lines.findIndex(({ change }) => change === at)
  const shown = useRef(view.show)
  shown.current = view.show
  useEffect(() => {
    if (place < 0) return
    // The lines around it say where it stands.
    shown.current(Math.max(0, place - 2))
    shown.current(place)
  }, [place])
  return (
    <RowScroller label={label} view={view}>
      {(standing) => (
        <ul style={standing}>
          {lines.slice(first, end).map((line, index) => (
            <li
              key={first + index}
              aria-current={line.change !== null && line.change === at ? 'true' : undefined}
              aria-setsize={lines.length}
              aria-posinset={first + index + 1}
              className={classNames(
                'h-6 border-b border-line/40 leading-6 whitespace-pre',
                line.change !== null && line.change === at && 'bg-selected shadow-[inset_2px_0_0_var(--accent)]',
              )}
            >
              <LineFrame change={line.change} onSelect={onSelect}>
                <LineView line={line} layout={layout} />
              </LineFrame>
            </li>
          ))}
        </ul>
      )}
    </RowScroller>
  )
}

interface LineFrameProps {
  readonly change: number | null
  readonly onSelect: (change: number) => void
  readonly children: ReactNode
}

/** A difference can be pointed at; by keys one goes from one to the next, so that it needs no tab stop of its own. */
function LineFrame({ change, onSelect, children }: LineFrameProps) {
  if (change === null) return <div className="flex h-full">{children}</div>
  return (
    <button
      type="button"
      tabIndex={-1}
      className="flex h-full w-full text-left whitespace-pre select-text"
      onClick={() => {
        onSelect(change)
      }}
    >
      {children}
    </button>
  )
}

function LineView({ line: { row, show }, layout }: { readonly line: Line; readonly layout: 'split' | 'unified' }) {
  if (row.kind === 'fold') return <FoldLine row={row} />
  const { Icon, word } = kindLook[row.kind]
  const isStructured = row.numbers === null
  const glyph = (
    <span className="flex w-7 shrink-0 items-center justify-center text-muted" title={word}>
      {Icon !== null && <Icon size={12} aria-hidden />}
      {word !== '' && <span className="sr-only">{word}: </span>}
    </span>
  )
  if (layout === 'unified') {
    const side = show === 'both' ? (row.kind === 'removed' ? 'left' : row.kind === 'added' ? 'right' : null) : show
    const pieces = side === 'left' ? row.left : side === 'right' ? row.right : (row.right ?? row.left)
    return (
      <>
        {glyph}
        {isStructured ? show !== 'right' && <Label row={row} /> : <Numbers row={row} show={show} />}
        {isStructured && show === 'right' && <span className="w-[30%] max-w-[320px] shrink-0" />}
        <Value pieces={pieces} side={side} />
        <Note row={row} isShown={show !== 'left'} />
      </>
    )
  }
  return (
    <>
      {glyph}
      {isStructured && <Label row={row} />}
      {!isStructured && <LineNumber number={row.numbers?.[0] ?? null} />}
      <span className="flex min-w-0 flex-1">
        <Value pieces={row.left} side={row.kind === 'same' || row.kind === 'open' ? null : 'left'} />
      </span>
      {!isStructured && <LineNumber number={row.numbers?.[1] ?? null} />}
      <span className="flex min-w-0 flex-1 border-l border-line">
        <Value pieces={row.right} side={row.kind === 'same' || row.kind === 'open' ? null : 'right'} />
        <Note row={row} isShown />
      </span>
    </>
  )
}

function FoldLine({ row }: { readonly row: DiffRow }) {
  return (
    <span
      className="flex min-w-0 flex-1 items-center bg-ground font-sans text-small text-subtle"
      style={{ paddingLeft: `${28 + indent(row.depth)}px` }}
    >
      <span className="truncate" title={row.note ?? ''}>
        {row.note}
      </span>
    </span>
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
      {row.label === '' ? <span className="text-subtle">whole body</span> : <ExactText text={row.label} />}
    </span>
  )
}

function LineNumber({ number }: { readonly number: number | null }) {
  return (
    <span className="w-11 shrink-0 pr-2 text-right text-subtle select-none" aria-hidden>
      {number ?? ''}
    </span>
  )
}

function Numbers({ row, show }: { readonly row: DiffRow; readonly show: Line['show'] }) {
  return (
    <>
      <LineNumber number={show === 'right' ? null : (row.numbers?.[0] ?? null)} />
      <LineNumber number={show === 'left' ? null : (row.numbers?.[1] ?? null)} />
    </>
  )
}

const washes = { left: 'bg-part-url-wash', right: 'bg-part-body-wash' } as const
const marks = { left: 'bg-part-url/25', right: 'bg-part-body/25' } as const

function Value({
  pieces,
  side,
}: {
  readonly pieces: readonly Piece[] | null
  readonly side: 'left' | 'right' | null
}): ReactNode {
  if (pieces === null) return <span className="min-w-0 flex-1 bg-ground" />
  return (
    <span
      className={classNames('min-w-0 flex-1 overflow-hidden px-2 text-ellipsis', side !== null && washes[side])}
      title={visibleText(pieceText(pieces).slice(0, 2_000))}
    >
      <Pieces pieces={pieces} side={side} />
    </span>
  )
}

/** A text in pieces, those that differ marked in the tint of their side. */
export function Pieces({ pieces, side }: { readonly pieces: readonly Piece[]; readonly side: 'left' | 'right' | null }) {
  return pieces.map(({ text, isChanged }, index) => (
    <span key={index} className={isChanged && side !== null ? `rounded-small ${marks[side]}` : ''}>
      <ExactText text={text} />
    </span>
  ))
}

function Note({ row, isShown }: { readonly row: DiffRow; readonly isShown: boolean }) {
  if (row.note === null || !isShown) return null
  return (
    <span className="max-w-[55%] shrink-0 truncate px-2 font-sans text-small text-subtle" title={row.note}>
      {row.note}
    </span>
  )
}
