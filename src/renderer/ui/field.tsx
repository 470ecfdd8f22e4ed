/** A labelled field with its hint and, where it was refused, the reason. */
import { useId, type ReactNode } from 'react'

export interface FieldProps {
  readonly label: string
  readonly optional?: boolean
  readonly hint?: ReactNode
  readonly problem?: ReactNode
  /** Draws the control; `id`, `describedBy` and `invalid` belong on it. */
  readonly children: (control: { id: string; describedBy: string; invalid: boolean }) => ReactNode
}

export const controlLook =
  'h-8 w-full rounded-control border border-edge/60 bg-ground px-2.5 text-base text-text hover:border-edge aria-invalid:border-bad'

export function Field({ label, optional = false, hint, problem, children }: FieldProps) {
  const id = useId()
  const describedBy = `${id}-about`
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-small font-medium text-muted">
        {label}
        {optional && <span className="font-normal text-subtle"> (optional)</span>}
      </label>
      {children({ id, describedBy, invalid: problem !== undefined })}
      <p id={describedBy} className={problem === undefined ? 'text-small text-subtle empty:hidden' : 'text-small text-bad'}>
        {problem ?? hint}
      </p>
    </div>
  )
}
