/** Dialogs of overlays, and forms in them that make one call. */
import type { FormEvent, ReactNode } from 'react'
import type { Overlay } from '../ui-state/navigation-slice.ts'
import { useAppParts } from '../ui-state/use-app.ts'
import type { CallResult } from '../ui/call-problem.ts'
import { Dialog, type DialogProps } from '../ui/dialog.tsx'
import { ProblemView } from '../ui/problem-view.tsx'
import { useCallState } from '../ui/use-call.ts'
import { FormFoot } from '../ui/form-foot.tsx'

/**
 * Shows the dialog of an open overlay while its subject exists (`ready`); `children` receives a
 * function that closes it.
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
  const { isShown, closeOverlay } = useAppParts(({ navigation }) => ({
    isShown: navigation.overlay === overlay,
    closeOverlay: navigation.closeOverlay,
  }))
  const close = () => {
    onClose?.()
    closeOverlay()
  }
  return (
    <Dialog open={isShown && ready} onClose={close} {...props}>
      {children(close)}
    </Dialog>
  )
}

/** Submits one call, and is done once it succeeds; a failure is shown above the footer. */
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
  /** Whether the form can't be submitted yet. */
  readonly disabled?: boolean
  readonly danger?: boolean
}) {
  const { busy, problem, run } = useCallState()
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
