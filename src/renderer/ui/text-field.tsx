/** A labelled line of text, number or URL, with its hint and what is wrong with it. */
import type { ComponentProps, ReactNode } from 'react'
import { Field, controlLook } from './field.tsx'

export interface TextFieldProps extends Omit<ComponentProps<'input'>, 'onChange' | 'value'> {
  readonly label: string
  readonly optional?: boolean
  readonly hint?: ReactNode
  readonly problem?: ReactNode
  readonly value: string
  readonly onChange: (value: string) => void
}

export function TextField({ label, optional = false, hint, problem, value, onChange, ...rest }: TextFieldProps) {
  return (
    <Field label={label} optional={optional} hint={hint} problem={problem}>
      {({ id, describedBy, invalid }) => (
        <input
          id={id}
          spellCheck={false}
          autoComplete="off"
          value={value}
          onChange={(event) => {
            onChange(event.currentTarget.value)
          }}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          className={`${controlLook} font-mono text-small`}
          {...rest}
        />
      )}
    </Field>
  )
}
