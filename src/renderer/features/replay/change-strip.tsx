/** Lists the changes to the captured request, each with an undo button. */
import { Undo2 } from 'lucide-react'
import { IconButton } from '../../ui/button.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import type { Draft, DraftChange } from './draft.ts'

export interface ChangeStripProps {
  readonly changes: readonly DraftChange[]
  readonly onUndo: (undo: (draft: Draft) => Draft) => void
}

export function ChangeStrip({ changes, onUndo }: ChangeStripProps) {
  if (changes.length === 0) return <p className="text-small text-muted">None</p>
  return (
    <ul aria-label="Changes">
      {changes.map((change) => (
        <li key={change.name} className="flex min-h-7 items-center gap-2 border-b border-line/50 py-0.5 last:border-b-0">
          <span className="min-w-0 flex-1">
            <span className="block text-small wrap-anywhere">
              <ExactText text={change.name} />
            </span>
            {(change.before !== null || change.after !== null) && (
              <span
                className="data block truncate text-tiny text-subtle"
                title={visibleText(`${change.before ?? ''} → ${change.after ?? ''}`)}
              >
                {change.before !== null && <del className="text-bad no-underline">{visibleText(change.before)}</del>}
                {change.before !== null && change.after !== null && ' → '}
                {change.after !== null && <ins className="text-ok no-underline">{visibleText(change.after)}</ins>}
              </span>
            )}
          </span>
          <IconButton
            label={`Undo: ${change.name}`}
            icon={<Undo2 size={13} aria-hidden />}
            className="size-6"
            onClick={() => {
              onUndo(change.undo)
            }}
          />
        </li>
      ))}
    </ul>
  )
}
