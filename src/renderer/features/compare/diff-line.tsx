/** A row of a comparison: glyph, name, and both values with differences marked. */
import {
  ArrowUpDown,
  Equal,
  Minus,
  PencilLine,
  Plus,
  UnfoldVertical,
  type LucideIcon,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { pieceText, type DiffPiece, type DiffRow, type RowKind } from '../../../shared/diff/rows.ts'
import { classNames } from '../../ui/class-names.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { Pieces } from './side-pieces.tsx'

export const kindStyle: Readonly<
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

export interface Line {
  readonly row: DiffRow
  /** Side that the line shows: if stacked, a changed row has a line for each. */
  readonly show: 'both' | 'left' | 'right'
  /** Index of its difference; null if it is part of none. */
  readonly change: number | null
}

export function LineView({
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

export function FoldLine({
  row: { depth, note, opens },
  onOpen,
}: {
  readonly row: DiffRow
  readonly onOpen: (names: readonly string[]) => void
}) {
  const words = (
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
        {words}
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
      {words}
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

function Note({ row, isShown }: { readonly row: DiffRow; readonly isShown: boolean }) {
  const words = [
    ...(row.isIgnored ? ['ignored'] : []),
    ...(row.note === null ? [] : [row.note]),
  ].join('; ')
  if (words === '' || !isShown) return null
  return (
    <span
      className="max-w-[55%] shrink-0 self-center truncate px-2 font-sans text-small text-subtle"
      title={words}
    >
      {words}
    </span>
  )
}
