/** Form controls with a label, a hint and, if the value was rejected, the reason. */
import { Eye, EyeOff } from 'lucide-react'
import {
  useEffect,
  useId,
  useRef,
  useState,
  type ComponentProps,
  type KeyboardEventHandler,
  type ReactNode,
  type Ref,
} from 'react'
import { IconButton } from './button.tsx'

export const controlStyle =
  'h-7 w-full rounded-control border border-edge bg-ground px-2.5 text-base text-text hover:border-subtle aria-invalid:border-bad'

export interface FieldFrame {
  readonly label: string
  readonly optional?: boolean
  readonly hint?: ReactNode
  readonly problem?: ReactNode
}

/** Attributes that tie a control to its label, hint and problem. */
export interface FieldControlProps {
  readonly id: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid': boolean
}

export function Field({
  label,
  optional = false,
  hint,
  problem,
  children,
}: FieldFrame & { readonly children: (control: FieldControlProps) => ReactNode }) {
  const id = useId()
  const describedBy = `${id}-about`
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-small font-medium text-muted">
        {label}
        {optional && <span className="font-normal text-subtle"> (optional)</span>}
      </label>
      {children({ id, 'aria-describedby': describedBy, 'aria-invalid': problem !== undefined })}
      <p
        id={describedBy}
        className={
          problem === undefined ? 'text-small text-subtle empty:hidden' : 'text-small text-bad'
        }
      >
        {problem ?? hint}
      </p>
    </div>
  )
}

interface TextFieldProps extends FieldFrame, Omit<ComponentProps<'input'>, 'onChange' | 'value'> {
  readonly value: string
  readonly onChange: (value: string) => void
}

export function TextField({ label, optional, hint, problem, onChange, ...rest }: TextFieldProps) {
  return (
    <Field label={label} optional={optional} hint={hint} problem={problem}>
      {(control) => (
        <input
          {...control}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => onChange(event.currentTarget.value)}
          className={`${controlStyle} data`}
          {...rest}
        />
      )}
    </Field>
  )
}

export function TextAreaField({
  label,
  optional,
  hint,
  problem,
  onChange,
  ...rest
}: FieldFrame & {
  readonly rows: number
  readonly placeholder?: string | undefined
  readonly disabled?: boolean
  readonly value: string
  readonly onKeyDown?: KeyboardEventHandler<HTMLTextAreaElement>
  readonly onChange: (value: string) => void
}) {
  return (
    <Field label={label} optional={optional} hint={hint} problem={problem}>
      {(control) => (
        <textarea
          {...control}
          spellCheck={false}
          onChange={(event) => onChange(event.currentTarget.value)}
          className={`${controlStyle} h-auto min-h-7 resize-y py-1.5 data disabled:opacity-60`}
          {...rest}
        />
      )}
    </Field>
  )
}

export function CheckField({
  label,
  checked,
  mixed = false,
  disabled = false,
  onChange,
  children,
}: {
  /** Accessible name, if the label stands elsewhere. */
  readonly label?: string
  readonly checked: boolean
  /** Whether the box stands for several values of which only some are on. */
  readonly mixed?: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
  readonly children?: ReactNode
}) {
  const id = useId()
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = mixed
  }, [mixed])
  return (
    <label
      htmlFor={id}
      className={`flex min-h-6 w-fit min-w-0 items-center gap-2 ${children === undefined ? '-m-1 p-1' : ''}`}
    >
      <input
        id={id}
        aria-label={label}
        ref={box}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
        className="grid size-4 shrink-0 appearance-none place-content-center rounded-small border border-edge bg-ground text-tiny leading-none text-on-accent before:content-[''] checked:border-accent-solid checked:bg-accent-solid checked:before:content-['✓'] indeterminate:border-accent-solid indeterminate:bg-accent-solid indeterminate:before:content-['–'] disabled:opacity-50"
      />
      {children}
    </label>
  )
}

/**
 * Edits a secret, hidden unless shown on request. Whitespace is kept, because it may be part of the
 * secret.
 */
export function SecretField({
  label,
  placeholder,
  value,
  onChange,
  ref,
  ...frame
}: FieldFrame & {
  readonly ref?: Ref<HTMLInputElement>
  readonly placeholder?: string | undefined
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const [isShown, setShown] = useState(false)
  return (
    <Field label={label} {...frame}>
      {(control) => (
        <span className="relative">
          <input
            {...control}
            ref={ref}
            type={isShown ? 'text' : 'password'}
            spellCheck={false}
            autoComplete="off"
            placeholder={placeholder}
            value={value}
            onChange={(event) => onChange(event.currentTarget.value)}
            className={`${controlStyle} pr-9 data`}
          />
          <IconButton
            label={isShown ? `Hide ${label.toLowerCase()}` : `Show ${label.toLowerCase()}`}
            icon={isShown ? EyeOff : Eye}
            className="absolute top-0 right-0"
            onClick={() => setShown(!isShown)}
          />
        </span>
      )}
    </Field>
  )
}
