/** What the forms of hooks share: warnings, the foot with its buttons, and the step that confirms a change in live. */
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import type { Finding } from '../../ui/call-problem.ts'
import { FindingText } from '../../ui/finding-text.tsx'
import { useFirstFocus } from '../../ui/use-first-focus.ts'

export function Warnings({ warnings }: { readonly warnings: readonly Finding[] }) {
  if (warnings.length === 0) return null
  return (
    <section aria-label="Warnings" className="rounded-control border border-warn bg-warn-wash px-3 py-2">
      {warnings.map((warning) => (
        <p key={warning.rule} className="flex gap-2 wrap-anywhere">
          <TriangleAlert size={14} aria-hidden className="mt-[3px] shrink-0 text-warn" />
          <span className="min-w-0">
            <FindingText finding={warning} />
          </span>
        </p>
      ))}
    </section>
  )
}

export function Foot({ children }: { readonly children: ReactNode }) {
  return <div className="mt-1 flex flex-wrap items-center justify-end gap-2">{children}</div>
}

export interface LiveConfirmationProps {
  readonly environment: string
  /** What would happen, as a sentence. */
  readonly children: ReactNode
  readonly action: string
  readonly busy: boolean
  readonly onConfirm: () => void
  readonly onBack: () => void
}

/** Asked before each call that changes something in a live environment. */
export function LiveConfirmation({ environment, children, action, busy, onConfirm, onBack }: LiveConfirmationProps) {
  const first = useFirstFocus<HTMLButtonElement>()
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

/** The end of a dialog that has told something: one button, with the focus. */
export function DoneFoot({ onDone }: { readonly onDone: () => void }) {
  const first = useFirstFocus<HTMLButtonElement>()
  return (
    <Foot>
      <Button kind="primary" className="h-8" onClick={onDone} ref={first}>
        Done
      </Button>
    </Foot>
  )
}
