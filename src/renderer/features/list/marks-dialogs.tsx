/** Asks for a note, and before something pinned is deleted. */
import { useState, type FormEvent } from 'react'
import { deliveryCount } from '../../../shared/delivery-count.ts'
import { NOTE_LENGTH } from '../../../shared/model/marks.ts'
import { useAppParts, useParts } from '../../state/use-app.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FormFoot } from '../../ui/form-foot.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'

function NoteForm({ onDone }: { readonly onDone: () => void }) {
  const { inHand: rows, put: mark } = useParts('marks', 'inHand', 'put')
  const [note, setNote] = useState(() => (rows.every((row) => row.note === rows[0]?.note) ? (rows[0]?.note ?? '') : ''))
  const { busy, problem, run } = useOutcome()
  const over = note.trim().length - NOTE_LENGTH
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if ((await run(() => mark(rows, { note }))) !== null) onDone()
  }
  return (
    <form className="flex flex-col gap-3.5" onSubmit={(event) => void submit(event)}>
      <TextAreaField
        label="Note"
        rows={6}
        value={note}
        onChange={setNote}
        hint="It is searched with note: and stays on this machine. An empty one takes it off."
        problem={over > 0 ? `A note has at most ${NOTE_LENGTH.toLocaleString('en')} characters: ${over} too many.` : undefined}
      />
      {problem !== null && <ProblemView problem={problem} />}
      <FormFoot onCancel={onDone} action="Keep the note" busyWords="Keeping…" busy={busy} disabled={over > 0} />
    </form>
  )
}

function DeletePinnedForm({ onDone }: { readonly onDone: () => void }) {
  const { inHand: rows, deleteRows } = useParts('marks', 'inHand', 'deleteRows')
  const pinned = rows.filter((row) => row.pinned).length
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onDone()
    void deleteRows(rows)
  }
  return (
    <form className="flex flex-col gap-3.5" onSubmit={submit}>
      <p>
        {rows.length === 1
          ? 'It is pinned, so that it stays when others are cleared.'
          : `${deliveryCount(pinned)} of the ${rows.length.toLocaleString('en')} ${pinned === 1 ? 'is' : 'are'} pinned.`}{' '}
        For ten seconds the deletion can be undone.
      </p>
      <FormFoot onCancel={onDone} action={`Delete ${deliveryCount(rows.length)}`} busyWords="Deleting…" busy={false} danger />
    </form>
  )
}

export function MarksDialogs() {
  const { overlay, count, closeOverlay } = useAppParts((state) => ({
    overlay: state.navigation.overlay,
    count: state.marks.inHand.length,
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <>
      <Dialog
        open={overlay === 'note'}
        onClose={closeOverlay}
        title={count === 1 ? 'Note on this delivery' : `Note on ${deliveryCount(count)}`}
      >
        <NoteForm onDone={closeOverlay} />
      </Dialog>
      <Dialog
        open={overlay === 'delete-pinned'}
        onClose={closeOverlay}
        title={count === 1 ? 'Delete a pinned delivery' : 'Delete pinned deliveries too'}
      >
        <DeletePinnedForm onDone={closeOverlay} />
      </Dialog>
    </>
  )
}
