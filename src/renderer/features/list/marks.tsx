import { useState, type FormEvent } from 'react'
import { deliveryCount } from '../../../shared/text/english.ts'
import { NOTE_LENGTH } from '../../../shared/model/marks.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { ActionForm, OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { TextAreaField } from '../../ui/field.tsx'
import { Keys } from '../../ui/keys.tsx'
import { FormFoot } from '../../ui/form-foot.tsx'

function NoteForm({ onDone }: { readonly onDone: () => void }) {
  const {
    concerned: rows,
    put: mark,
    typed,
    keepTyped,
  } = useParts('marks', 'concerned', 'put', 'typed', 'keepTyped')
  const about = rows.map(({ id }) => id).join(' ')
  const [note, setNote] = useState(
    () =>
      typed.get(about) ??
      (rows.every((row) => row.note === rows[0]?.note) ? (rows[0]?.note ?? '') : ''),
  )
  const excess = note.trim().length - NOTE_LENGTH
  return (
    <ActionForm
      call={() => mark(rows, { note })}
      onDone={() => {
        keepTyped(about, null)
        onDone()
      }}
      action="Save note"
      busyWords="Saving…"
      disabled={excess > 0}
    >
      <TextAreaField
        label="Note"
        rows={6}
        value={note}
        onChange={(text) => {
          setNote(text)
          keepTyped(about, text)
        }}
        onKeyDown={(event) => {
          // Enter alone inserts a line break.
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && excess <= 0)
            event.currentTarget.form?.requestSubmit()
        }}
        hint={
          <>
            Stored on this computer. <code className="data">note:coffee</code> finds it by a word.{' '}
            <Keys keys="Mod+Enter" spoken /> saves.
          </>
        }
        problem={
          excess > 0
            ? `Use at most ${NOTE_LENGTH.toLocaleString('en')} characters (${excess} too many)`
            : undefined
        }
      />
    </ActionForm>
  )
}

function DeletePinnedForm({ onDone }: { readonly onDone: () => void }) {
  const { concerned: rows, deleteRows } = useParts('marks', 'concerned', 'deleteRows')
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
          ? 'This delivery is pinned.'
          : pinned === rows.length
            ? `All ${deliveryCount(pinned)} are pinned.`
            : `${pinned.toLocaleString('en')} of ${deliveryCount(rows.length)} ${pinned === 1 ? 'is' : 'are'} pinned.`}{' '}
        You can undo this for 10 seconds.
      </p>
      <FormFoot
        onCancel={onDone}
        action={`Delete ${deliveryCount(rows.length)}`}
        busyWords="Deleting…"
        busy={false}
        danger
      />
    </form>
  )
}

export function MarksDialogs() {
  const count = useApp((state) => state.marks.concerned.length)
  return (
    <>
      <OverlayDialog
        overlay="note"
        title={count === 1 ? 'Note on this delivery' : `Note on ${deliveryCount(count)}`}
      >
        {(close) => <NoteForm onDone={close} />}
      </OverlayDialog>
      <OverlayDialog
        overlay="delete-pinned"
        title={count === 1 ? 'Delete pinned delivery?' : 'Delete pinned deliveries?'}
      >
        {(close) => <DeletePinnedForm onDone={close} />}
      </OverlayDialog>
    </>
  )
}
