/**
 * The filter at rest: a chip for each of its outermost terms. A click into one goes on as text with that term selected; its
 * cross takes it out. They lie over the field, which has the whole query as its value for everyone who does not see them.
 */
import { X } from 'lucide-react'
import { parsePieces, type QueryPiece } from '../../../shared/query/parse.ts'
import { classNames } from '../../ui/class-names.ts'
import { visibleText } from '../../ui/visible-text.ts'

export interface FilterChipsProps {
  /** A query that can be read. */
  readonly draft: string
  readonly onEdit: (piece: QueryPiece) => void
  readonly onRemove: (rest: string) => void
}

/** A term of so many characters keeps them all; longer ones give way. */
const SHORT = 14

/** The query without one of its pieces. */
function without(draft: string, { from, to }: QueryPiece): string {
  return `${draft.slice(0, from).replace(/\s*(?:AND\s+)?$/, ' ')}${draft.slice(to).replace(/^\s*(?:AND\s+)?/, '')}`.trim()
}

export function FilterChips({ draft, onEdit, onRemove }: FilterChipsProps) {
  const { pieces } = parsePieces(draft)
  return (
    <div
      className="absolute inset-y-px right-8 left-7 flex items-center gap-1 overflow-hidden bg-ground pl-1"
      onPointerDown={(event) => {
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onEdit({ from: draft.length, to: draft.length })
      }}
    >
      {pieces.map((piece) => {
        const term = draft.slice(piece.from, piece.to)
        return (
          <span
            key={piece.from}
            className={classNames(
              'inline-flex h-5.5 min-w-16 items-center rounded-small border border-line bg-control text-text',
              term.length <= SHORT && 'shrink-0',
            )}
          >
            <button
              type="button"
              tabIndex={-1}
              title={visibleText(term)}
              aria-label={`Edit ${visibleText(term)}`}
              onClick={() => {
                onEdit(piece)
              }}
              className="data min-w-0 truncate py-px pl-1.5 select-none"
            >
              {visibleText(term)}
            </button>
            <button
              type="button"
              tabIndex={-1}
              aria-label={`Remove ${visibleText(term)}`}
              onClick={() => {
                onRemove(without(draft, piece))
              }}
              className="inline-flex h-full w-5 shrink-0 items-center justify-center text-subtle hover:text-text"
            >
              <X size={11} aria-hidden />
            </button>
          </span>
        )
      })}
    </div>
  )
}
