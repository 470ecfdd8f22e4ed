/** The foot of a form: the way out, and the button that sends it. And of a dialog that has told something: one button. */
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { useFirstFocus } from './use-first-focus.ts'

export interface FormFootProps {
  readonly onCancel: () => void
  /** What sending does, in the words of the button; `busyWords` while it does. */
  readonly action: string
  readonly busyWords: string
  readonly busy: boolean
  readonly disabled?: boolean
  readonly danger?: boolean
  /** Another way, on the other side. */
  readonly aside?: ReactNode
}

export function FormFoot({ onCancel, action, busyWords, busy, disabled = false, danger = false, aside }: FormFootProps) {
  return (
    <div className="mt-1 flex flex-wrap items-center justify-end gap-2">
      {aside}
      <Button className="h-8" onClick={onCancel}>
        Cancel
      </Button>
      <Button kind={danger ? 'danger' : 'primary'} type="submit" className="h-8" disabled={busy || disabled}>
        {busy ? busyWords : action}
      </Button>
    </div>
  )
}

export function DoneFoot({ onDone }: { readonly onDone: () => void }) {
  const first = useFirstFocus<HTMLButtonElement>()
  return (
    <div className="mt-1 flex justify-end">
      <Button kind="primary" className="h-8" onClick={onDone} ref={first}>
        Done
      </Button>
    </div>
  )
}
