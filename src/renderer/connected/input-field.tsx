/** The control of each kind of field, with its label, hint and problem. */
import type { ComponentProps, ReactNode } from 'react'
import type { FieldKind } from '../../shared/model/field-words.ts'
import { eventTypes, hookKindOf } from '../../shared/service/event-type.ts'
import { environmentChoices } from '../core-data/environments.ts'
import { useApp } from '../ui-state/use-app.ts'
import { CaCertificateField } from './authority-field.tsx'
import {
  CheckField,
  Field,
  SecretField,
  TextAreaField,
  TextField,
  type FieldFrame,
} from '../ui/field.tsx'
import type { FormFieldValue } from '../ui/form-fields.ts'
import { HeaderEditor } from '../ui/header-editor.tsx'
import type { HeaderRow } from '../ui/header-rows.ts'
import { Segments } from '../ui/segments.tsx'
import { SuggestInput, type Suggestion } from '../ui/suggest-input.tsx'
import { SelectField, type ListedChoice } from '../ui/select.tsx'

/** Facts about a field that a form adds to its words. */
export interface FieldExtra {
  readonly hint?: ReactNode
  readonly placeholder?: string | undefined
  readonly choices?: readonly ListedChoice<string>[]
  readonly suggestions?: readonly Suggestion[]
  readonly readOnly?: boolean
}

export interface ControlProps {
  readonly frame: FieldFrame
  readonly value: FormFieldValue | undefined
  readonly extra: FieldExtra
  readonly onChange: (value: FormFieldValue) => void
  /** Returns the problem of an entry of the field, such as a header. */
  readonly problemOf: (entry: string) => ReactNode
}

const textOf = (value: FormFieldValue | undefined) => (typeof value === 'string' ? value : '')

/** Makes a text field whose on-screen keyboard suits its values. */
const textField =
  (inputMode: ComponentProps<'input'>['inputMode']) =>
  ({ frame, value, extra: { placeholder, readOnly }, onChange }: ControlProps) => (
    <TextField
      {...frame}
      {...{ inputMode, placeholder, readOnly, onChange }}
      value={textOf(value)}
    />
  )

const number = textField('decimal')

function Choice({
  frame: { label, hint },
  value,
  extra: { choices = [] },
  onChange,
}: ControlProps) {
  return (
    <div className="flex flex-col items-start gap-1">
      <p className="text-small font-medium text-muted" aria-hidden>
        {label}
      </p>
      <Segments {...{ label, onChange }} options={choices} value={textOf(value)} />
      <p className="text-small text-subtle empty:hidden">{hint}</p>
    </div>
  )
}

function ListChoice({ frame, value, extra: { choices = [] }, onChange }: ControlProps) {
  return <SelectField {...frame} {...{ choices, onChange }} value={textOf(value)} />
}

function EnvironmentChoice(props: ControlProps) {
  const environments = useApp((state) => state.core.environments)
  return <ListChoice {...props} extra={{ choices: environmentChoices(environments) }} />
}

function Suggested({
  frame,
  value,
  extra: { placeholder, suggestions = [] },
  onChange,
}: ControlProps) {
  return (
    <Field {...frame}>
      {(control) => (
        <SuggestInput
          {...control}
          {...{ placeholder, suggestions, onChange }}
          value={textOf(value)}
        />
      )}
    </Field>
  )
}

/** Events by the kind of hook, in the order of spec 6.1. */
const eventSuggestions = (
  [
    ['program', 'Program hooks'],
    ['brand', 'Brand hook'],
    [null, 'Registration not shown in the spec'],
  ] as const
).flatMap(([kind, group]) =>
  eventTypes.filter((event) => hookKindOf(event) === kind).map((value) => ({ value, group })),
)

const area =
  (rows: number) =>
  ({ frame, value, extra: { placeholder }, onChange }: ControlProps) => (
    <TextAreaField {...frame} {...{ rows, placeholder, onChange }} value={textOf(value)} />
  )

export const controls: Readonly<Record<FieldKind, (props: ControlProps) => ReactNode>> = {
  text: textField('text'),
  url: textField('url'),
  number,
  seconds: number,
  mebibytes: number,
  area: area(2),
  lines: area(2),
  literals: area(2),
  choice: Choice,
  select: ListChoice,
  environment: EnvironmentChoice,
  suggested: Suggested,
  event: (props) => <Suggested {...props} extra={{ suggestions: eventSuggestions }} />,
  secret: ({ frame, value, extra: { placeholder }, onChange }) => (
    <SecretField {...frame} {...{ placeholder, onChange }} value={textOf(value)} />
  ),
  switch: ({ frame: { label }, value, onChange }) => (
    <CheckField checked={value === true} onChange={onChange}>
      {label}
    </CheckField>
  ),
  certificate: ({ frame: { hint, problem }, value, onChange }) => (
    <CaCertificateField {...{ hint, problem, onChange }} without="Remove" value={textOf(value)} />
  ),
  headers: ({ frame: { label, hint, problem }, value, onChange, problemOf }) => (
    <>
      <HeaderEditor
        {...{ label, hint, onChange, problemOf }}
        rows={Array.isArray(value) ? (value as readonly HeaderRow[]) : []}
      />
      <p className="-mt-2 text-small text-bad empty:hidden">{problem}</p>
    </>
  ),
}
