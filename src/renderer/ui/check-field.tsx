/** A box to tick, with its label beside it. */
import { useId, type ReactNode } from 'react'

export interface CheckFieldProps {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly children: ReactNode
}

export function CheckField({ checked, onChange, children }: CheckFieldProps) {
  const id = useId()
  return (
    <label htmlFor={id} className="flex w-fit items-center gap-2">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        onChange={(event) => {
          onChange(event.currentTarget.checked)
        }}
        className="size-4 accent-(--accent-solid)"
      />
      {children}
    </label>
  )
}
