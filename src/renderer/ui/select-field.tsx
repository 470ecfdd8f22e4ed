/** A labelled choice from a list, with its hint and what is wrong with it. `children` are the options. */
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Field, controlLook } from './field.tsx'

export interface SelectFieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly problem?: ReactNode
  readonly value: string
  readonly onChange: (value: string) => void
  /** The options are data, such as event types, and are drawn so. */
  readonly data?: boolean
  readonly children: ReactNode
}

export function SelectField({ label, hint, problem, value, onChange, data = false, children }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {({ id, describedBy, invalid }) => (
        <select
          id={id}
          value={value}
          onChange={(event) => {
            onChange(event.currentTarget.value)
          }}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          className={classNames(controlLook, 'pr-7 text-ellipsis', data && 'data')}
        >
          {children}
        </select>
      )}
    </Field>
  )
}
