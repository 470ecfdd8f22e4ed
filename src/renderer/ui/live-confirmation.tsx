/** Asked before each call that changes something in a live environment. */
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { useFirstFocus } from './use-first-focus.ts'

export interface LiveConfirmationProps {
  readonly environment: string
  /** What would happen, as a sentence. */
  readonly children: ReactNode
  readonly action: string
  readonly busy: boolean
  readonly onConfirm: () => void
  readonly onBack: () => void
}

export function LiveConfirmation({ environment, children, action, busy, onConfirm, onBack }: LiveConfirmationProps) {
  const first = useFirstFocus<HTMLButtonElement>(!busy)
  return (
    <div role="group" aria-label={`Confirm for ${environment}`} className="rounded-control border border-warn bg-warn-wash p-3">
      <p className="font-medium">{environment} is a live environment.</p>
      <p className="mt-0.5 wrap-anywhere text-muted">{children}</p>
      <div className="mt-3 flex justify-end gap-2">
        <Button className="h-8" onClick={onBack}>
          Go back
        </Button>
        <Button kind="primary" className="h-8" disabled={busy} onClick={onConfirm} ref={first}>
          {action}
        </Button>
      </div>
    </div>
  )
}
