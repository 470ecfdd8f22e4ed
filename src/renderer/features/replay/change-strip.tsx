/** The list of changes to the captured request. */
import { Undo2 } from 'lucide-react'
import { IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import type { Draft } from './draft.ts'
import type { DraftChange } from './draft-changes.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { visibleText } from '../../ui/visible-text.ts'

export function ChangeStrip({
  changes,
  onUndo,
}: {
  readonly changes: readonly DraftChange[]
  readonly onUndo: (undo: (draft: Draft) => Draft) => void
}) {
  if (changes.length === 0) return null
  return (
    <ul aria-label="Changes">
      {changes.map((change) => (
        <li key={change.name} className="flex min-h-7 items-center gap-3">
          <span
            className={classNames(
              'max-w-[50%] min-w-26 shrink-0 truncate text-small',
              change.at !== null && 'data',
            )}
            title={visibleText(change.name)}
          >
            <ExactText text={change.name} />
          </span>
          <span
            className="data min-w-0 flex-1 truncate text-small"
            title={visibleText(`${change.before ?? ''} → ${change.after ?? ''}`)}
          >
            {change.before !== null && (
              <del className="text-muted decoration-bad">{visibleText(change.before)}</del>
            )}
            {change.before !== null && change.after !== null && (
              <span className="text-subtle"> → </span>
            )}
            {change.after !== null && (
              <ins className="no-underline">{visibleText(change.after)}</ins>
            )}
          </span>
          <IconButton
            label={`Undo: ${change.name}`}
            icon={Undo2}
            className="-mr-1 size-6"
            onClick={() => onUndo(change.undo)}
          />
        </li>
      ))}
    </ul>
  )
}
