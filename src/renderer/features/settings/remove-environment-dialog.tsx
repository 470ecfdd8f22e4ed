/** Removes an environment, once confirmed. The core refuses while hooks belong to it, and says so here. */
import { useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'

export function RemoveEnvironmentDialog() {
  const { name, closeOverlay } = useAppParts((state) => ({
    name: state.overlay === 'remove-environment' ? state.environmentName : null,
    closeOverlay: state.closeOverlay,
  }))
  return (
    <Dialog open={name !== null} onClose={closeOverlay} title="Remove the environment">
      {name !== null && <Confirmation name={name} onDone={closeOverlay} />}
    </Dialog>
  )
}

function Confirmation({ name, onDone }: { readonly name: string; readonly onDone: () => void }) {
  const { live, removeEnvironment } = useAppParts((state) => ({
    live: state.environments.find((environment) => environment.name === name)?.mode === 'live',
    removeEnvironment: state.removeEnvironment,
  }))
  const { busy, problem, run } = useOutcome()
  const remove = async () => {
    if ((await run(() => removeEnvironment(name))) !== null) onDone()
  }
  return (
    <div className="flex flex-col gap-3.5">
      <p>
        <span className="font-medium">{name}</span>
        {live && ' (live)'} and its key are forgotten here. Nothing is sent to the service. This cannot be undone.
      </p>
      {problem !== null && <ProblemView problem={problem} />}
      <div className="flex justify-end gap-2">
        <Button className="h-8" onClick={onDone}>
          Cancel
        </Button>
        <Button kind="danger" className="h-8" disabled={busy} onClick={() => void remove()}>
          {busy ? 'Removing…' : `Remove ${name}${live ? ' (live)' : ''}`}
        </Button>
      </div>
    </div>
  )
}
