/** Deletes a hook at the service. A live hook needs its event typed to confirm. */
import { useState, type FormEvent } from 'react'
import type { Hook } from '../../../shared/model/hook.ts'
import { useApp } from '../../state/use-app.ts'
import { Dialog, FormFoot } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { EnvironmentName } from '../../ui/outcome-mark.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { useDialogHook } from './use-dialog-hook.ts'

export function DeleteHookDialog() {
  const { hook, closeOverlay } = useDialogHook('delete-hook')
  return (
    <Dialog open={hook !== null} onClose={closeOverlay} title="Delete hook">
      {hook !== null && <DeleteForm hook={hook} onDone={closeOverlay} />}
    </Dialog>
  )
}

function DeleteForm({ hook, onDone }: { readonly hook: Hook; readonly onDone: () => void }) {
  const removeHook = useApp((state) => state.hooks.remove)
  const [typed, setTyped] = useState('')
  const { busy, problem, run } = useOutcome()
  const live = hook.mode === 'live'
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (live && typed.trim() !== hook.event) return
    if ((await run(() => removeHook(hook.id, live))) !== null) onDone()
  }
  return (
    <form className="flex flex-col gap-3.5" noValidate onSubmit={(event) => void submit(event)}>
      <div className="flex flex-col gap-1">
        <p className="flex min-w-0 items-center gap-2">
          <span className="data shrink-0">{visibleText(hook.event)}</span>
          <span className="text-subtle">in</span>
          <EnvironmentName name={hook.environment} mode={hook.mode} />
        </p>
        <p className="data wrap-anywhere text-muted">{visibleText(hook.url)}</p>
      </div>
      <p className="text-muted">
        {hook.remoteId === null
          ? "The service's ID of this hook is unknown, so it's only marked as deleted here. Delete it at the service, too."
          : "The service stops sending to this URL. You can't undo this: registering it again creates a new secret."}{' '}
        Deliveries, record and secret stay here.
      </p>
      {live && (
        <TextField
          label={`Type ${hook.event} to delete the hook in ${hook.environment} (live)`}
          value={typed}
          onChange={setTyped}
        />
      )}
      {problem !== null && <ProblemView problem={problem} />}
      <FormFoot
        onCancel={onDone}
        action={`Delete ${visibleText(hook.event)} hook${live ? ' (live)' : ''}`}
        busyWords="Deleting…"
        busy={busy}
        disabled={live && typed.trim() !== hook.event}
        danger
      />
    </form>
  )
}
