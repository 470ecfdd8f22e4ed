/** The note on a delivery, in its heading. It is text of the user's own, shown exactly. */
import { StickyNote } from 'lucide-react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { useApp } from '../../state/use-app.ts'
import { ExactLines } from '../../ui/exact-text.tsx'

export function NoteOf({ delivery, note }: { readonly delivery: DeliveryRow; readonly note: string }) {
  const editNote = useApp((state) => state.editNote)
  return (
    <button
      type="button"
      aria-label={`Change the note: ${note}`}
      onClick={() => {
        editNote([delivery])
      }}
      className="mt-1.5 flex max-h-24 w-full items-start gap-2 overflow-y-auto rounded-small border border-line bg-raised px-2 py-1 text-left text-small text-muted hover:bg-control hover:text-text"
    >
      <StickyNote size={13} className="mt-0.5 shrink-0" aria-hidden />
      <span className="min-w-0 wrap-anywhere">
        <ExactLines text={note} />
      </span>
    </button>
  )
}
