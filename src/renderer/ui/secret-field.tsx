/** A field for a secret: hidden while it is typed, unless asked for. Kept to the letter: a space in it may be meant. */
import { Eye, EyeOff } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { IconButton } from './button.tsx'
import { Field, controlLook } from './field.tsx'

export interface SecretFieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly placeholder?: string
  readonly problem?: ReactNode
  readonly value: string
  readonly onChange: (value: string) => void
}

export function SecretField({ label, hint, placeholder, problem, value, onChange }: SecretFieldProps) {
  const [shown, setShown] = useState(false)
  return (
    <Field label={label} hint={hint} problem={problem}>
      {({ id, describedBy, invalid }) => (
        <span className="relative">
          <input
            id={id}
            type={shown ? 'text' : 'password'}
            spellCheck={false}
            autoComplete="off"
            placeholder={placeholder}
            value={value}
            onChange={(event) => {
              onChange(event.currentTarget.value)
            }}
            aria-describedby={describedBy}
            aria-invalid={invalid}
            className={`${controlLook} pr-9 data`}
          />
          <IconButton
            label={shown ? `Hide what is typed as ${label.toLowerCase()}` : `Show what is typed as ${label.toLowerCase()}`}
            icon={shown ? <EyeOff size={14} aria-hidden /> : <Eye size={14} aria-hidden />}
            className="absolute top-0.5 right-0.5"
            onClick={() => {
              setShown(!shown)
            }}
          />
        </span>
      )}
    </Field>
  )
}
