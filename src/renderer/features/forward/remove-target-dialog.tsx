/** All forwarding dialogs, including the one that removes a target. */
import type { FormEvent } from 'react'
import type { ForwardTarget } from '../../../shared/model/forward.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { Dialog, FormFoot } from '../../ui/dialog.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { TargetDialog } from './target-dialog.tsx'

function RemoveTargetDialog() {
  const { target, closeOverlay } = useAppParts((state) => ({
    target:
      state.navigation.overlay === 'remove-target'
        ? (state.forward.state?.targets.find(({ id }) => id === state.forward.targetId) ?? null)
        : null,
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog open={target !== null} onClose={closeOverlay} title="Remove target">
      {target !== null && <RemoveForm target={target} onDone={closeOverlay} />}
    </Dialog>
  )
}

function RemoveForm({
  target,
  onDone,
}: {
  readonly target: ForwardTarget
  readonly onDone: () => void
}) {
  const removeTarget = useApp((state) => state.forward.removeTarget)
  const { busy, problem, run } = useOutcome()
  const { waiting } = target.queue
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if ((await run(() => removeTarget(target.id))) !== null) onDone()
  }
  return (
    <form className="flex flex-col gap-3.5" noValidate onSubmit={(event) => void submit(event)}>
      <p className="wrap-anywhere">{visibleText(target.name)}</p>
      <p className="text-muted">
        Deliveries are no longer forwarded to it.{' '}
        {waiting > 0 &&
          `${waiting === 1 ? '1 pending delivery' : `${waiting} pending deliveries`} won't be sent. `}
        Captured deliveries and past results stay.
      </p>
      {problem !== null && <ProblemView problem={problem} />}
      <FormFoot onCancel={onDone} action="Remove target" busyWords="Removing…" busy={busy} danger />
    </form>
  )
}

export function ForwardDialogs() {
  return (
    <>
      <TargetDialog />
      <RemoveTargetDialog />
    </>
  )
}
