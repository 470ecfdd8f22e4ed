/** Removes an environment, once confirmed. The core refuses while hooks belong to it, and says so here. */
import type { FormEvent } from 'react'
import { useAppParts } from '../../state/use-app.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FormFoot } from '../../ui/form-foot.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'

export function RemoveEnvironmentDialog() {
  const { name, closeOverlay } = useAppParts((state) => ({
    name: state.navigation.overlay === 'remove-environment' ? state.environments.name : null,
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog open={name !== null} onClose={closeOverlay} title="Remove the environment">
      {name !== null && <Confirmation name={name} onDone={closeOverlay} />}
    </Dialog>
  )
}

function Confirmation({ name, onDone }: { readonly name: string; readonly onDone: () => void }) {
  const { live, removeEnvironment } = useAppParts((state) => ({
    live: state.core.environments.find((environment) => environment.name === name)?.mode === 'live',
    removeEnvironment: state.environments.remove,
  }))
  const { busy, problem, run } = useOutcome()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if ((await run(() => removeEnvironment(name))) !== null) onDone()
  }
  return (
    <form className="flex flex-col gap-3.5" onSubmit={(event) => void submit(event)}>
      <p>
        <span className="font-medium">{name}</span>
        {live && ' (live)'} and its key are forgotten here. Nothing is sent to the service. This cannot be undone.
      </p>
      {problem !== null && <ProblemView problem={problem} />}
      <FormFoot onCancel={onDone} action={`Remove ${name}${live ? ' (live)' : ''}`} busyWords="Removing…" busy={busy} danger />
    </form>
  )
}
