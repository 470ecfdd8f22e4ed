/** A labelled text of several lines, with its hint and what is wrong with it. */
import type { ReactNode } from 'react'
import { Field, controlLook } from './field.tsx'

export interface TextAreaFieldProps {
  readonly label: string
  readonly optional?: boolean
  readonly hint?: ReactNode
  readonly problem?: ReactNode
  readonly rows: number
  readonly placeholder?: string
  readonly disabled?: boolean
  readonly value: string
  readonly onChange: (value: string) => void
}

export function TextAreaField({ label, optional = false, hint, problem, onChange, ...rest }: TextAreaFieldProps) {
  return (
    <Field label={label} optional={optional} hint={hint} problem={problem}>
      {({ id, describedBy, invalid }) => (
        <textarea
          id={id}
          spellCheck={false}
          onChange={(event) => {
            onChange(event.currentTarget.value)
          }}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          className={`${controlLook} h-auto min-h-8 resize-y py-1.5 data disabled:opacity-60`}
          {...rest}
        />
      )}
    </Field>
  )
}
