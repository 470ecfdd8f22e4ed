/** A box to tick, with its label beside it. */
import { useEffect, useId, useRef, type ReactNode } from 'react'

export interface CheckFieldProps {
  readonly checked: boolean
  /** Whether it stands for several, of which some are ticked. */
  readonly mixed?: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
  readonly children: ReactNode
}

export function CheckField({ checked, mixed = false, disabled = false, onChange, children }: CheckFieldProps) {
  const id = useId()
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = mixed
  }, [mixed])
  return (
    <label htmlFor={id} className="flex w-fit min-w-0 items-center gap-2">
      <input
        id={id}
        ref={box}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => {
          onChange(event.currentTarget.checked)
        }}
        className="size-4 shrink-0 accent-(--accent-solid)"
      />
      {children}
    </label>
  )
}
