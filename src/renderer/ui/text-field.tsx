/** A labelled line of text, number or URL, with its hint, what is wrong with it, and what may be chosen for it. */
import { useId, type ComponentProps, type ReactNode } from 'react'
import { Field, controlLook } from './field.tsx'

export interface TextFieldProps extends Omit<ComponentProps<'input'>, 'onChange' | 'value'> {
  readonly label: string
  readonly optional?: boolean
  readonly hint?: ReactNode
  readonly problem?: ReactNode
  /** Values to choose from; another may be typed. */
  readonly suggestions?: readonly string[]
  readonly value: string
  readonly onChange: (value: string) => void
}

export function TextField({ label, optional = false, hint, problem, suggestions, value, onChange, ...rest }: TextFieldProps) {
  const list = useId()
  return (
    <Field label={label} optional={optional} hint={hint} problem={problem}>
      {({ id, describedBy, invalid }) => (
        <>
          <input
            id={id}
            spellCheck={false}
            autoComplete="off"
            {...(suggestions === undefined ? {} : { list })}
            value={value}
            onChange={(event) => {
              onChange(event.currentTarget.value)
            }}
            aria-describedby={describedBy}
            aria-invalid={invalid}
            className={`${controlLook} data`}
            {...rest}
          />
          {suggestions !== undefined && (
            <datalist id={list}>
              {suggestions.map((suggestion) => (
                <option key={suggestion} value={suggestion} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  )
}
