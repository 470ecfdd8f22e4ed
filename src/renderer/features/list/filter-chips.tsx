/** The filter as chips, one for each term. */
import { X } from 'lucide-react'
import { parsePieces, type QueryPiece } from '../../../shared/query/parse.ts'
import { visibleText } from '../../ui/visible-text.ts'

function removePiece(draft: string, { from, to }: QueryPiece): string {
  return `${draft.slice(0, from).replace(/(?<!\s)\s*(?:AND\s+)?$/, ' ')}${draft.slice(to).replace(/^\s*(?:AND\s+)?/, '')}`.trim()
}

/**
 * Shows a chip for each top-level term: a click edits the term, its cross removes it. The chips
 * cover the field, which keeps the query for assistive technology.
 */
export function FilterChips({
  draft,
  onEdit,
  onRemove,
}: {
  /** Valid query. */
  readonly draft: string
  readonly onEdit: (piece: QueryPiece) => void
  readonly onRemove: (rest: string) => void
}) {
  const { pieces } = parsePieces(draft)
  return (
    <div
      className="relative m-px flex max-h-[58px] min-h-7.5 flex-wrap content-start items-center gap-1 overflow-y-auto rounded-control bg-ground py-[3px] pr-44 pl-8 @max-[360px]:pr-9"
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
            className="inline-flex h-6 max-w-full min-w-0 items-center rounded-small border border-line bg-control text-text"
          >
            <button
              type="button"
              tabIndex={-1}
              title={visibleText(term)}
              aria-label={`Edit ${visibleText(term)}`}
              onClick={() => onEdit(piece)}
              className="data min-w-0 truncate py-px pl-1.5 select-none"
            >
              {visibleText(term)}
            </button>
            <button
              type="button"
              tabIndex={-1}
              aria-label={`Remove ${visibleText(term)}`}
              onClick={() => onRemove(removePiece(draft, piece))}
              className="inline-flex h-full w-5 shrink-0 items-center justify-center text-subtle hover:text-text"
            >
              <X size={11} />
            </button>
          </span>
        )
      })}
    </div>
  )
}
