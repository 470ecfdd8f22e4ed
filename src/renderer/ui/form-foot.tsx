/**
 * The foot of a dialog with a form: the way out, and the button that sends it; and of one that has told something: one button. It stays
 * in view where the dialog is longer than the window.
 */
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { useFirstFocus } from './use-first-focus.ts'

/** Over the padding of the dialog, at whose lower edge it stands. */
const look =
  'sticky -bottom-4 -mx-5 -mb-4 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-surface px-5 py-3'

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
    <div className={look}>
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
    <div className={look}>
      <Button kind="primary" className="h-8" onClick={onDone} ref={first}>
        Done
      </Button>
    </div>
  )
}
