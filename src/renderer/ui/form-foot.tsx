import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { useFirstFocus } from './use-first-focus.ts'

/** Style of a footer, which covers the dialog's bottom padding. */
const style =
  'sticky -bottom-4 -mx-5 -mb-4 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-surface px-5 py-3'

/** Renders the footer of a dialog's form, visible even if the dialog is taller than the window. */
export function FormFoot({
  onCancel,
  action,
  busyWords,
  busy,
  disabled = false,
  danger = false,
  aside,
}: {
  /** Called to close the dialog; null outside one. */
  readonly onCancel: (() => void) | null
  /** Label of the submit button; `busyWords` replaces it while submitting. */
  readonly action: string
  readonly busyWords: string
  readonly busy: boolean
  readonly disabled?: boolean
  readonly danger?: boolean
  /** Alternative action, on the other side. */
  readonly aside?: ReactNode
}) {
  return (
    <div className={onCancel === null ? 'flex' : style}>
      {aside}
      {onCancel !== null && <Button onClick={onCancel}>Cancel</Button>}
      <Button kind={danger ? 'danger' : 'primary'} type="submit" disabled={busy || disabled}>
        {busy ? busyWords : action}
      </Button>
    </div>
  )
}

/** Renders a footer to close the dialog; `children` is an alternative action on the other side. */
export function DoneFoot({
  onDone,
  children,
}: {
  readonly onDone: () => void
  readonly children?: ReactNode
}) {
  const first = useFirstFocus<HTMLButtonElement>()
  return (
    <div className={style}>
      {children}
      <Button kind="primary" onClick={onDone} ref={first}>
        Done
      </Button>
    </div>
  )
}
