/** Asked before requests leave this machine for a host. */
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { useFirstFocus } from './use-first-focus.ts'

export interface HostConfirmationProps {
  readonly host: string
  /** What would go there, as a sentence. */
  readonly children: ReactNode
  readonly action: string
  readonly busy: boolean
  readonly onConfirm: () => void
  readonly onBack: () => void
}

export function HostConfirmation({ host, children, action, busy, onConfirm, onBack }: HostConfirmationProps) {
  const first = useFirstFocus<HTMLButtonElement>(!busy)
  return (
    <div role="group" aria-label={`Agree to ${host}`} className="rounded-control border border-warn bg-warn-wash p-3">
      <p className="font-medium wrap-anywhere">{host} is not this machine.</p>
      <p className="mt-0.5 text-muted">{children}</p>
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
