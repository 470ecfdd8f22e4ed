/** Form controls: a label, the control, its hint and, if the value was rejected, the reason. */
import { Autocomplete } from '@base-ui/react/autocomplete'
import { Select as Base } from '@base-ui/react/select'
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
import { menuStyle, Suggestions } from './menu.tsx'
import { visibleText } from './visible-text.ts'

export const controlStyle =
  'h-7 w-full rounded-control border border-edge/60 bg-ground px-2.5 text-base text-text hover:border-edge aria-invalid:border-bad'

export interface FieldFrame {
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

export interface Suggestion {
  readonly value: string
  /** What sets it apart, quieter, at the right. A suggestion with a note is the note's name. */
  readonly note?: string
  /** Consecutive suggestions of one group are listed below its name. */
  readonly group?: string
}

/** An input with suggestions in a list below it, those that contain the text; anything else can be typed. */
export function SuggestInput({
  suggestions,
  value,
  onChange,
  onOpen,
  className,
  ...rest
}: Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'defaultValue'> & {
  readonly suggestions: readonly Suggestion[]
  readonly value: string
  readonly onChange: (value: string) => void
  /** Called when the list opens or closes. */
  readonly onOpen?: (open: boolean) => void
}) {
  const [wanted, setWanted] = useState(false)
  const [typing, setTyping] = useState(false)
  const text = value.trim().toLowerCase()
  const fitting = typing
    ? suggestions.filter((one) => `${one.value} ${one.note ?? ''}`.toLowerCase().includes(text))
    : suggestions
  const isOnlyItself = fitting.length === 1 && fitting[0]?.value === value.trim()
  // Someone who clears the field wants it empty.
  const isCleared = typing && text === ''
  const open = wanted && fitting.length > 0 && !isOnlyItself && !isCleared
  useEffect(() => onOpen?.(open), [open, onOpen])
  const groups = [...Map.groupBy(fitting, ({ group = '' }) => group)]
  return (
    <Autocomplete.Root
      items={groups.map(([group, items]) => ({ group, items }))}
      itemToStringValue={(one: Suggestion) => one.value}
      filter={null}
      value={value}
      onValueChange={(typed, { reason }) => {
        setTyping(reason !== 'item-press')
        onChange(typed)
      }}
      open={open}
      onOpenChange={(next) => {
        setWanted(next)
        if (!next) setTyping(false)
      }}
      openOnInputClick
    >
      <span className="relative">
        <Autocomplete.Input
          spellCheck={false}
          autoComplete="off"
          onKeyDown={(event) => {
            // Esc closes the list first, then works as usual.
            if (event.key === 'Escape' && !open) event.preventBaseUIHandler()
          }}
          className={classNames(controlStyle, 'data', suggestions.length > 0 && 'pr-8', className)}
          {...rest}
        />
        {suggestions.length > 0 && (
          <Autocomplete.Trigger
            aria-label="Show suggestions"
            className="absolute top-0 right-0 inline-flex size-7 items-center justify-center text-subtle hover:text-text"
          >
            <ChevronDown size={14} />
          </Autocomplete.Trigger>
        )}
      </span>
      <Suggestions className="max-h-[min(320px,var(--available-height))] w-(--anchor-width) bg-raised p-1">
        <Autocomplete.List aria-label="Suggestions">
          {({
            group,
            items,
          }: {
            readonly group: string
            readonly items: readonly Suggestion[]
          }) => (
            <Autocomplete.Group key={group} items={items} className="not-last:mb-1">
              {group !== '' && (
                <Autocomplete.GroupLabel className="px-2 pt-1 pb-0.5 text-tiny font-medium text-subtle">
                  {group}
                </Autocomplete.GroupLabel>
              )}
              <Autocomplete.Collection>
                {(one: Suggestion) => (
                  <Autocomplete.Item
                    key={one.value}
                    value={one}
                    className="flex h-7 items-center gap-2 rounded-small px-2 data-highlighted:bg-selected"
                  >
                    <span
                      className={classNames('data truncate', one.note !== undefined && 'shrink-0')}
                    >
                      {visibleText(one.value)}
                    </span>
                    {one.note !== undefined && (
                      <span className="data min-w-0 flex-1 truncate text-right text-subtle">
                        {visibleText(one.note)}
                      </span>
                    )}
                  </Autocomplete.Item>
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </Suggestions>
    </Autocomplete.Root>
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

export interface ListedChoice<T extends string> {
  readonly value: T
  readonly label: string
  /** What sets it apart, quieter, at the right. */
  readonly note?: string
  /** Consecutive choices of one group are listed below its name. */
  readonly group?: string
}

interface SelectProps<T extends string> {
  readonly choices: readonly ListedChoice<T>[]
  /** The choices are data, such as methods, and use the data font. */
  readonly data?: boolean
  readonly value: T
  readonly onChange: (value: T) => void
}

export function SelectField<T extends string>({
  choices,
  data = false,
  value,
  onChange,
  ...frame
}: FieldFrame & SelectProps<T>) {
  return (
    <Field {...frame}>
      {(control) => (
        <Select choices={choices} data={data} value={value} onChange={onChange} {...control} />
      )}
    </Field>
  )
}

/** A choice from a list in the look of the app's menus, without a visible label. */
export function Select<T extends string>({
  choices,
  data = false,
  value,
  onChange,
  className,
  ...control
}: SelectProps<T> &
  Partial<ControlProps> &
  Pick<ComponentProps<'button'>, 'aria-label' | 'className'>) {
  const chosen = choices.find((choice) => choice.value === value)
  const groups = [...Map.groupBy(choices, ({ group = '' }) => group)]
  return (
    <Base.Root
      items={choices}
      value={value}
      modal={false}
      onValueChange={(next) => {
        if (next !== null) onChange(next)
      }}
    >
      <Base.Trigger
        {...control}
        className={classNames(
          controlStyle,
          'flex items-center gap-2 text-left',
          data && 'data',
          className,
        )}
      >
        <span className="min-w-0 flex-1 truncate" title={chosen?.label}>
          {chosen?.label ?? value}
        </span>
        <ChevronDown size={14} className="shrink-0 text-subtle" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner
          sideOffset={4}
          align="start"
          alignItemWithTrigger={false}
          className="z-50 outline-none"
        >
          <Base.Popup data-select="" className={classNames(menuStyle, 'min-w-(--anchor-width)')}>
            {groups.map(([group, those]) => (
              <Base.Group
                key={group}
                className={
                  group === '' ? '' : 'mt-1 border-t border-line pt-1 first:mt-0 first:border-t-0'
                }
              >
                {group !== '' && (
                  <Base.GroupLabel className="px-2 py-1 pl-8 text-tiny text-subtle">
                    {group}
                  </Base.GroupLabel>
                )}
                {those.map((choice) => (
                  <Base.Item
                    key={choice.value}
                    value={choice.value}
                    className="flex h-7 items-center gap-2 rounded-small px-2 outline-none data-highlighted:bg-selected"
                  >
                    <span className="flex w-4 shrink-0 justify-center">
                      <Base.ItemIndicator>
                        <Check size={14} />
                      </Base.ItemIndicator>
                    </span>
                    <Base.ItemText
                      className={classNames('min-w-0 flex-1 truncate', data && 'data')}
                    >
                      {choice.label}
                    </Base.ItemText>
                    {choice.note !== undefined && (
                      <span className="shrink-0 pl-4 text-small text-subtle">{choice.note}</span>
                    )}
                  </Base.Item>
                ))}
              </Base.Group>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
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
  /** Its name, if its label stands elsewhere. */
  readonly label?: string
  readonly checked: boolean
  /** Whether it stands for several values of which only some are on. */
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
    <label htmlFor={id} className="flex w-fit min-w-0 items-center gap-2">
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

/** A field for a secret: hidden while typing, unless shown on request. Whitespace is kept, because it may be part of the secret. */
export function SecretField({
  label,
  placeholder,
  value,
  onChange,
  ...frame
}: FieldFrame & {
  readonly placeholder?: string | undefined
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
            className={`${controlStyle} pr-9 data`}
          />
          <IconButton
            label={shown ? `Hide ${label.toLowerCase()}` : `Show ${label.toLowerCase()}`}
            icon={shown ? EyeOff : Eye}
            className="absolute top-0.5 right-0.5 size-6"
            onClick={() => setShown(!shown)}
          />
        </span>
      )}
    </Field>
  )
}
