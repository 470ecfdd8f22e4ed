/** The rows of a comparison, side by side or stacked, and the selected difference in full. */
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { isDifference, pieceText, type DiffRow } from '../../../shared/diff/rows.ts'
import { classNames } from '../../ui/class-names.ts'
import { type Line, LineView, FoldLine } from './diff-line.tsx'
import { LineList } from '../../ui/scroller.tsx'

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
  /** Callback that expands a fold. */
  readonly onOpen: (names: readonly string[]) => void
}

export function DiffView({ label, rows, layout, at, onSelect, onOpen }: DiffViewProps) {
  const lines = useMemo(() => linesOf(rows, layout), [rows, layout])
  const place = lines.findIndex(({ change }) => change === at)
  // Set while a fold expands: the view stays at the fold, although the difference below it moves.
  const isOpening = useRef(false)
  const [reveal, setReveal] = useState<readonly number[] | null>(null)
  const open = (names: readonly string[]) => {
    isOpening.current = true
    onOpen(names)
  }
  useEffect(() => {
    const stays = isOpening.current
    isOpening.current = false
    // With the two lines before it.
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

/** Makes a difference clickable, without a tab stop: keys move between differences. */
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
