/** Puts the sandbox back to the start, once confirmed by name: it concerns the live side too, and cannot be undone. */
import { useState, type FormEvent } from 'react'
import { useAppParts, useParts } from '../../state/use-app.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FormFoot } from '../../ui/form-foot.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'

const NAME = 'sandbox-live'

export function ResetDialog() {
  const { open, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'reset-sandbox',
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog open={open} onClose={closeOverlay} title="Reset the sandbox">
      <ResetForm onDone={closeOverlay} />
    </Dialog>
  )
}

function ResetForm({ onDone }: { readonly onDone: () => void }) {
  const { reset: resetSandbox, objects, clearings } = useParts('sandbox', 'reset', 'objects', 'clearings')
  const [typed, setTyped] = useState('')
  const { busy, problem, run } = useOutcome()
  const confirmed = typed.trim() === NAME
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (confirmed && (await run(resetSandbox)) !== null) onDone()
  }
  return (
    <form className="flex flex-col gap-3.5" noValidate onSubmit={(event) => void submit(event)}>
      <p>
        Both sides, sandbox-test and sandbox-live, go back to the start: {objects?.length ?? 0} objects,{' '}
        {clearings.length === 1 ? '1 pending clearing' : `${clearings.length} pending clearings`}, what is still to be sent, and
        the log of what was sent. The clock returns to the present.
      </p>
      <p className="text-muted">
        Hooks, keys and the deliveries that the receiver took in stay. This cannot be undone; the first programs come back as they
        were at first.
      </p>
      <TextField label={`Type ${NAME} to reset it, and sandbox-test with it`} value={typed} onChange={setTyped} />
      {problem !== null && <ProblemView problem={problem} />}
      <FormFoot
        onCancel={onDone}
        action="Reset the sandbox (live too)"
        busyWords="Resetting…"
        busy={busy}
        disabled={!confirmed}
        danger
      />
    </form>
  )
}
