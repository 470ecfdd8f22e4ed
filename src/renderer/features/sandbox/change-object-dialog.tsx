/** Edits an object's fields as JSON. Changed fields are set, missing ones removed. */
import { useState } from 'react'
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { Dialog, FormFoot } from '../../ui/dialog.tsx'
import { JsonEditor, readJsonObject, type EditorProblem } from '../../ui/json/json-editor.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useForm } from '../../ui/use-form.ts'
import { changesBetween, type Edit } from './json-edit.ts'
import { kindNames, objectLine } from './object-words.ts'

export function ChangeObjectDialog({ object }: { readonly object: SandboxObject | null }) {
  const { open, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'change-object',
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog
      open={open && object !== null}
      onClose={closeOverlay}
      title={object === null ? 'Edit object' : `Edit ${kindNames[object.kind].one}`}
      {...(object === null ? {} : { description: objectLine(object) })}
      wide
    >
      {object !== null && <ChangeForm object={object} onDone={closeOverlay} />}
    </Dialog>
  )
}

function ChangeForm({
  object,
  onDone,
}: {
  readonly object: SandboxObject
  readonly onDone: () => void
}) {
  const updateObject = useApp((state) => state.sandbox.updateObject)
  // The object may change while the dialog is open, so compare with its initial state and set only what the user edited.
  const [from] = useState(object.data)
  const { id, environment } = object
  const live = object.mode === 'live'
  const form = useForm({
    begin: () => ({ text: JSON.stringify(object.data, null, 2) }),
    confirms: () => live,
    submit: () =>
      updateObject({
        id,
        environment,
        live,
        set: edit.set as InputOf<'sandbox.update'>['set'],
        unset: [...edit.unset],
      }),
    onDone,
  })
  const { draft, busy, problem } = form
  const read = readJsonObject(draft.text)
  const edit: Edit = read.ok
    ? changesBetween(from, read.value)
    : { set: {}, unset: [], problems: [] }
  const problems: readonly EditorProblem[] = read.ok
    ? edit.problems.map(({ message }) => ({ message, at: null }))
    : [read]
  const set = Object.keys(edit.set)
  const words = [
    set.length === 0 ? '' : `Sets ${set.join(', ')}.`,
    edit.unset.length === 0 ? '' : `Removes ${edit.unset.join(', ')}.`,
  ]
  const told = words.filter((sentence) => sentence !== '').join(' ')

  return (
    <form className="flex flex-col gap-3" {...form.element}>
      <JsonEditor
        label="Fields as JSON"
        className="h-[46vh] min-h-40 overflow-hidden rounded-control border border-line"
        text={draft.text}
        onText={(text) => form.change({ text })}
        problems={problems}
      />
      {problem !== null && <ProblemView problem={problem} />}
      {form.confirming ? (
        <LiveConfirmation
          environment={environment}
          action={busy ? 'Saving…' : `Save in ${environment} (live)`}
          busy={busy}
          onConfirm={form.send}
          onBack={form.back}
        >
          {told} Live mode of the sandbox: no real cards or money.
        </LiveConfirmation>
      ) : (
        <FormFoot
          onCancel={onDone}
          action={`Save in ${environment}`}
          busyWords="Saving…"
          busy={busy}
          disabled={problems.length > 0 || told === ''}
          aside={
            <p className="min-w-0 flex-1 basis-48 truncate text-small text-muted" role="status">
              {told === '' ? 'Nothing changed yet.' : told}
            </p>
          }
        />
      )}
    </form>
  )
}
