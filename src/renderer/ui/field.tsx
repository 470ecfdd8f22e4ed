/** Form controls: a label, the control, its hint and, if the value was rejected, the reason. */
import { Select } from '@base-ui/react/select'
import { Check, ChevronDown, Eye, EyeOff } from 'lucide-react'
import {
  useEffect,
  useId,
  useRef,
  useState,
  type ComponentProps,
  type KeyboardEventHandler,
  type ReactNode,
} from 'react'
import { IconButton } from './button.tsx'
import { classNames } from './class-names.ts'

export const controlLook =
  'h-8 w-full rounded-control border border-edge/60 bg-ground px-2.5 text-base text-text hover:border-edge aria-invalid:border-bad'

/** What surrounds a control. */
interface FieldFrame {
  readonly label: string
  readonly optional?: boolean
  readonly hint?: ReactNode
  readonly problem?: ReactNode
}

/** What ties a control to its label, hint and problem. */
interface ControlProps {
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
}: FieldFrame & { readonly children: (control: ControlProps) => ReactNode }) {
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
  /** Suggested values; others can be typed. */
  readonly suggestions?: readonly string[]
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A labeled input for text, numbers or URLs, with a hint, a problem and suggestions. */
export function TextField({
  label,
  optional,
  hint,
  problem,
  suggestions,
  onChange,
  ...rest
}: TextFieldProps) {
  const list = useId()
  return (
    <Field label={label} optional={optional} hint={hint} problem={problem}>
      {(control) => (
        <>
          <input
            {...control}
            spellCheck={false}
            autoComplete="off"
            {...(suggestions === undefined ? {} : { list })}
            onChange={(event) => onChange(event.currentTarget.value)}
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

/** A labeled text area with a hint and a problem. */
export function TextAreaField({
  label,
  optional,
  hint,
  problem,
  onChange,
  ...rest
}: FieldFrame & {
  readonly rows: number
  readonly placeholder?: string
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
          className={`${controlLook} h-auto min-h-8 resize-y py-1.5 data disabled:opacity-60`}
          {...rest}
        />
      )}
    </Field>
  )
}

/** A labeled select with a hint and a problem. `children` are the options. */
export function SelectField({
  value,
  onChange,
  data = false,
  children,
  ...frame
}: FieldFrame & {
  readonly value: string
  readonly onChange: (value: string) => void
  /** The options are data, such as event types, and use the data font. */
  readonly data?: boolean
  readonly children: ReactNode
}) {
  return (
    <Field {...frame}>
      {(control) => (
        <select
          {...control}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          className={classNames(controlLook, 'pr-7 text-ellipsis', data && 'data')}
        >
          {children}
        </select>
      )}
    </Field>
  )
}

export interface ListedChoice<T extends string> {
  readonly value: T
  readonly label: string
  /** What sets it apart, quieter, at the right. */
  readonly note?: string
  /** Consecutive choices of one group are listed below its name. */
  readonly group?: string
}

interface ChoiceFieldProps<T extends string> extends FieldFrame {
  readonly choices: readonly ListedChoice<T>[]
  /** The choices are data, such as methods, and use the data font. */
  readonly data?: boolean
  readonly value: T
  readonly onChange: (value: T) => void
}

/** A labeled choice from a list in the look of the app's menus: for a few choices that need notes or groups. */
export function ChoiceField<T extends string>({
  choices,
  data = false,
  value,
  onChange,
  ...frame
}: ChoiceFieldProps<T>) {
  const chosen = choices.find((choice) => choice.value === value)
  const groups = [...Map.groupBy(choices, ({ group = '' }) => group)]
  return (
    <Field {...frame}>
      {(control) => (
        <Select.Root
          items={choices}
          value={value}
          modal={false}
          onValueChange={(next) => {
            if (next !== null) onChange(next)
          }}
        >
          <Select.Trigger
            {...control}
            className={classNames(controlLook, 'flex items-center gap-2 text-left', data && 'data')}
          >
            <span className="min-w-0 flex-1 truncate" title={chosen?.label}>
              {chosen?.label ?? value}
            </span>
            <ChevronDown size={14} aria-hidden className="shrink-0 text-subtle" />
          </Select.Trigger>
          <Select.Portal>
            <Select.Positioner
              sideOffset={4}
              align="start"
              alignItemWithTrigger={false}
              className="z-50 outline-none"
            >
              <Select.Popup className="max-h-(--available-height) min-w-(--anchor-width) overflow-y-auto rounded-control border border-line bg-raised p-1 text-base text-text shadow-overlay outline-none">
                {groups.map(([group, those]) => (
                  <Select.Group
                    key={group}
                    className={
                      group === ''
                        ? ''
                        : 'mt-1 border-t border-line pt-1 first:mt-0 first:border-t-0'
                    }
                  >
                    {group !== '' && (
                      <Select.GroupLabel className="px-2 py-1 pl-8 text-tiny text-subtle">
                        {group}
                      </Select.GroupLabel>
                    )}
                    {those.map((choice) => (
                      <Select.Item
                        key={choice.value}
                        value={choice.value}
                        className="flex h-7 items-center gap-2 rounded-small px-2 outline-none data-highlighted:bg-selected"
                      >
                        <span className="flex w-4 shrink-0 justify-center">
                          <Select.ItemIndicator>
                            <Check size={14} aria-hidden />
                          </Select.ItemIndicator>
                        </span>
                        <Select.ItemText
                          className={classNames('min-w-0 flex-1 truncate', data && 'data')}
                        >
                          {choice.label}
                        </Select.ItemText>
                        {choice.note !== undefined && (
                          <span className="shrink-0 pl-4 text-small text-subtle">
                            {choice.note}
                          </span>
                        )}
                      </Select.Item>
                    ))}
                  </Select.Group>
                ))}
              </Select.Popup>
            </Select.Positioner>
          </Select.Portal>
        </Select.Root>
      )}
    </Field>
  )
}

/** A checkbox with its label. */
export function CheckField({
  checked,
  mixed = false,
  disabled = false,
  onChange,
  children,
}: {
  readonly checked: boolean
  /** Whether it stands for several values of which only some are on. */
  readonly mixed?: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
  readonly children: ReactNode
}) {
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
        onChange={(event) => onChange(event.currentTarget.checked)}
        className="grid size-4 shrink-0 appearance-none place-content-center rounded-small border border-edge bg-ground text-tiny leading-none text-on-accent before:content-[''] checked:border-accent-solid checked:bg-accent-solid checked:before:content-['✓'] indeterminate:border-accent-solid indeterminate:bg-accent-solid indeterminate:before:content-['–'] disabled:opacity-50"
      />
      {children}
    </label>
  )
}

/** A field for a secret: hidden while typing, unless shown on request. Whitespace is kept, because it may be part of the secret. */
export function SecretField({
  label,
  placeholder,
  value,
  onChange,
  ...frame
}: FieldFrame & {
  readonly placeholder?: string
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const [shown, setShown] = useState(false)
  return (
    <Field label={label} {...frame}>
      {(control) => (
        <span className="relative">
          <input
            {...control}
            type={shown ? 'text' : 'password'}
            spellCheck={false}
            autoComplete="off"
            placeholder={placeholder}
            value={value}
            onChange={(event) => onChange(event.currentTarget.value)}
            className={`${controlLook} pr-9 data`}
          />
          <IconButton
            label={shown ? `Hide ${label.toLowerCase()}` : `Show ${label.toLowerCase()}`}
            icon={shown ? <EyeOff size={14} aria-hidden /> : <Eye size={14} aria-hidden />}
            className="absolute top-0.5 right-0.5"
            onClick={() => setShown(!shown)}
          />
        </span>
      )}
    </Field>
  )
}
