/** Form controls: a label, the control, its hint and, if the value was rejected, the reason. */
import { Eye, EyeOff } from 'lucide-react'
import { useEffect, useId, useRef, useState, type ComponentProps, type ReactNode } from 'react'
import { IconButton } from './button.tsx'
import { classNames } from './class-names.ts'

interface FieldProps {
  readonly label: string
  readonly optional?: boolean
  readonly hint?: ReactNode
  readonly problem?: ReactNode
  /** Renders the control, which must use `id`, `describedBy` and `invalid`. */
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

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'onChange' | 'value'> {
  readonly label: string
  readonly optional?: boolean
  readonly hint?: ReactNode
  readonly problem?: ReactNode
  /** Suggested values; others can be typed. */
  readonly suggestions?: readonly string[]
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A labeled input for text, numbers or URLs, with a hint, a problem and suggestions. */
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

interface TextAreaFieldProps {
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

/** A labeled text area with a hint and a problem. */
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

interface SelectFieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly problem?: ReactNode
  readonly value: string
  readonly onChange: (value: string) => void
  /** The options are data, such as event types, and use the data font. */
  readonly data?: boolean
  readonly children: ReactNode
}

/** A labeled select with a hint and a problem. `children` are the options. */
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

interface CheckFieldProps {
  readonly checked: boolean
  /** Whether it stands for several values of which only some are on. */
  readonly mixed?: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
  readonly children: ReactNode
}

/** A checkbox with its label. */
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

interface SecretFieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly placeholder?: string
  readonly problem?: ReactNode
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A field for a secret: hidden while typing, unless shown on request. Whitespace is kept, because it may be part of the secret. */
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
            label={shown ? `Hide ${label.toLowerCase()}` : `Show ${label.toLowerCase()}`}
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
