/** The selected difference, with both values in full. */
import { pieceText, type DiffRow } from '../../../shared/diff/rows.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { Pieces, SideMark } from './side-pieces.tsx'
import { kindStyle } from './diff-line.tsx'

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
        className="grid min-h-0 flex-1 grid-cols-[calc(50%+min(15%,160px)+9px)_minmax(0,1fr)] overflow-auto border-t border-line/50 max-[700px]:grid-cols-1"
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
