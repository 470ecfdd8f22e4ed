/** Asked before something that is agreed to by name: what it is about, what would happen, and the way back. */
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { useFirstFocus } from './use-first-focus.ts'

export interface ConsentProps {
  /** Of the group, for those who do not see it. */
  readonly label: string
  readonly headline: string
  /** What would happen, as a sentence. */
  readonly children: ReactNode
  readonly action: string
  readonly busy: boolean
  /** What has the focus first: what agrees, or, where Enter twice must not do it, the way back. */
  readonly first: 'action' | 'back'
  readonly onConfirm: () => void
  readonly onBack: () => void
}

export function Consent({ label, headline, children, action, busy, first, onConfirm, onBack }: ConsentProps) {
  const focused = useFirstFocus<HTMLButtonElement>(!busy)
  return (
    <div role="group" aria-label={label} className="rounded-control border border-warn bg-warn-wash p-3">
      <p className="font-medium wrap-anywhere">{headline}</p>
      <p className="mt-0.5 wrap-anywhere text-muted">{children}</p>
      <div className="mt-3 flex justify-end gap-2">
        <Button className="h-8" onClick={onBack} ref={first === 'back' ? focused : null}>
          Go back
        </Button>
        <Button kind="primary" className="h-8" disabled={busy} onClick={onConfirm} ref={first === 'action' ? focused : null}>
          {action}
        </Button>
      </div>
    </div>
  )
}
