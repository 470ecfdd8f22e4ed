/** A button inside a text. */
import type { ReactNode } from 'react'

/** Shows a button inside a text; `label` names it in full for screen readers. */
export function LinkButton({
  label,
  onClick,
  children,
}: {
  readonly label?: string
  readonly onClick: () => void
  readonly children: ReactNode
}) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className="-my-1 shrink-0 rounded-small py-1 font-medium text-accent hover:underline"
    >
      {children}
    </button>
  )
}
