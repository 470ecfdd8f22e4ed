/** The dialogs of overlays, and the form of those that make one call. */
import type { FormEvent, ReactNode } from 'react'
import type { Overlay } from '../ui-state/navigation-slice.ts'
import { useAppParts } from '../ui-state/use-app.ts'
import type { CallResult } from './call-problem.ts'
import { Dialog, FormFoot, type DialogProps } from './dialog.tsx'
import { ProblemView } from './problem-view.tsx'
import { useOutcome } from './use-outcome.ts'

/**
 * The dialog of an overlay: open while the window shows it and its subject exists (`ready`). Its content gets a way to close it;
 * `onClose` is called before.
 */
export function OverlayDialog({
  overlay,
  ready = true,
  onClose,
  children,
  ...props
}: DialogProps & {
  readonly overlay: Overlay
  readonly ready?: boolean
  readonly onClose?: () => void
  readonly children: (close: () => void) => ReactNode
}) {
  const { shown, closeOverlay } = useAppParts(({ navigation }) => ({
    shown: navigation.overlay === overlay,
    closeOverlay: navigation.closeOverlay,
  }))
  const close = () => {
    onClose?.()
    closeOverlay()
  }
  return (
    <Dialog open={shown && ready} onClose={close} {...props}>
      {children(close)}
    </Dialog>
  )
}

/** The form of a dialog that makes one call, and is done once it succeeds. A failure is shown above its footer. */
export function ActionForm({
  call,
  onDone,
  children,
  disabled = false,
  ...foot
}: {
  readonly call: () => Promise<CallResult<unknown>>
  readonly onDone: () => void
  readonly children: ReactNode
  readonly action: string
  readonly busyWords: string
  /** Whether it can't be sent yet. */
  readonly disabled?: boolean
  readonly danger?: boolean
}) {
  const { busy, problem, run } = useOutcome()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!disabled && (await run(call)) !== null) onDone()
  }
  return (
    <form className="flex flex-col gap-3.5" noValidate onSubmit={(event) => void submit(event)}>
      {children}
      {problem !== null && <ProblemView problem={problem} />}
      <FormFoot onCancel={onDone} busy={busy} disabled={disabled} {...foot} />
    </form>
  )
}
