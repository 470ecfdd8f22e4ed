/** A form derived from the schema of an input; `field-words.ts` says how a field looks. */
import { useState, type ReactNode } from 'react'
import type { z } from 'zod'
import type { FieldFinding } from '../ui/finding-text.tsx'
import { FormEnd } from '../ui/form-end.tsx'
import {
  draftOf,
  fieldsThatApply,
  findingsOfDraft,
  formFieldsOf,
  inputOfDraft,
  type FormDraft,
  type FormField,
} from '../ui/form-fields.ts'
import { controls, type FieldExtra } from './input-field.tsx'
import { useForm, type Form, type FormOptions } from '../ui/use-form.ts'

export interface InputFormState<Input> extends Form<FormDraft> {
  readonly fields: readonly FormField[]
  /** Input that the form would send now. */
  readonly input: Input
  draftFor(values: Readonly<Record<string, unknown>>): FormDraft
}

interface InputFormOptions<Schema extends z.ZodObject, T> extends Omit<
  FormOptions<FormDraft, T>,
  'begin' | 'check' | 'submit'
> {
  readonly schema: Schema
  /** Returns initial values; defaults otherwise. */
  readonly begin?: () => Readonly<Record<string, unknown>>
  /** Returns values shown and sent for fields in which nothing was typed. */
  readonly proposed?: (draft: FormDraft) => FormDraft
  /** Whether a field is shown; a hidden one keeps and sends its value. */
  readonly shows?: (name: string, draft: FormDraft) => boolean
  /** Returns problems beyond the schema's. */
  readonly check?: (input: z.input<Schema>) => readonly FieldFinding[]
  readonly submit: (input: z.input<Schema>) => ReturnType<FormOptions<FormDraft, T>['submit']>
}

export function useInputForm<Schema extends z.ZodObject, T = unknown>({
  schema,
  begin,
  proposed,
  shows,
  check,
  submit,
  ...options
}: InputFormOptions<Schema, T>): InputFormState<z.input<Schema>> {
  const [allFields] = useState(() => formFieldsOf(schema))
  const withProposals = (typed: FormDraft): FormDraft => {
    const proposals = proposed?.(typed)
    return Object.fromEntries(allFields.map(({ name }) => [name, typed[name] ?? proposals?.[name]]))
  }
  const inputOf = (typed: FormDraft) =>
    inputOfDraft(allFields, withProposals(typed)) as z.input<Schema>
  const shownIn = (draft: FormDraft) =>
    fieldsThatApply(allFields, draft).filter(({ name }) => shows?.(name, draft) !== false)
  const form = useForm<FormDraft, T>({
    ...options,
    begin: () => draftOf(allFields, begin?.() ?? {}),
    check(typed) {
      const draft = withProposals(typed)
      const shown = new Set(shownIn(draft).map(({ name }) => name))
      return [
        ...findingsOfDraft(schema, allFields, draft).filter(({ field }) =>
          shown.has(rootOf(field)),
        ),
        ...(check?.(inputOf(typed)) ?? []),
      ]
    },
    submit: (typed) => submit(inputOf(typed)),
  })
  const draft = withProposals(form.draft)
  return {
    ...form,
    draft,
    fields: shownIn(draft),
    input: inputOf(draft),
    draftFor: (others) => draftOf(allFields, others),
  }
}

/** Returns the field that a problem belongs to: `headers` for the entry `headers.accept`. */
export function rootOf(field: string): string {
  return field.split('.')[0] ?? field
}

interface InputFieldsProps<Input> {
  readonly form: InputFormState<Input>
  /** Facts beyond the words of the fields, by name. */
  readonly extra?: Readonly<Record<string, FieldExtra>> | undefined
  /** Whether the titles of parts are left out, so that all fields are visible. */
  readonly flat?: boolean | undefined
}

/** Shows the fields of a form, those of a part below its title. */
export function InputFields<Input>({ form, extra = {}, flat = false }: InputFieldsProps<Input>) {
  const parts = Map.groupBy(form.fields, ({ words }) => (flat ? '' : (words.part ?? '')))
  return [...parts].map(([title, fields]) => (
    <Part
      key={title}
      title={title}
      isChanged={fields.some((field) => isChanged(form, field))}
      isWrong={fields.some(({ name }) => form.problemAt(name) !== undefined)}
    >
      {fields.map((field) => (
        <InputField key={field.name} form={form} field={field} extra={extra[field.name] ?? {}} />
      ))}
    </Part>
  ))
}

function isChanged<Input>({ input }: InputFormState<Input>, { name, valueIfEmpty }: FormField) {
  const value = (input as Readonly<Record<string, unknown>>)[name]
  return JSON.stringify(value) !== JSON.stringify(valueIfEmpty)
}

/**
 * Groups fields under a title, collapsed at first unless one is changed; without a title, they are
 * always visible.
 */
function Part({
  title,
  isChanged: isOpenAtFirst,
  isWrong,
  children,
}: {
  readonly title: string
  readonly isChanged: boolean
  readonly isWrong: boolean
  readonly children: ReactNode
}) {
  const [opened, setOpened] = useState(isOpenAtFirst)
  const fields = <div className="flex flex-wrap items-start gap-x-3 gap-y-3.5">{children}</div>
  if (title === '') return fields
  return (
    <details open={opened || isWrong} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary className="mb-3 w-fit rounded-small text-muted">{title}</summary>
      {fields}
    </details>
  )
}

/** Kinds of numbers; such fields stand side by side. */
const narrow: ReadonlySet<string> = new Set(['number', 'seconds', 'mebibytes'])

function InputField<Input>({
  form: { draft, change, problemAt },
  field: { name, kind, words, isOptional },
  extra,
}: {
  readonly form: InputFormState<Input>
  readonly field: FormField
  readonly extra: FieldExtra
}) {
  const Control = controls[kind]
  const { label, hint, placeholder, choices = {} } = words
  return (
    <div
      className={`flex flex-col gap-3.5 ${narrow.has(kind) ? 'min-w-[120px] flex-1' : 'min-w-0 basis-full'}`}
    >
      <Control
        frame={{ label, hint: extra.hint ?? hint, optional: isOptional, problem: problemAt(name) }}
        extra={{
          placeholder,
          choices: Object.entries(choices).map(([value, text]) => ({ value, label: text })),
          ...extra,
        }}
        value={draft[name]}
        onChange={(value) => change({ [name]: value })}
        problemOf={(entry) => problemAt(`${name}.${entry}`)}
      />
    </div>
  )
}

export function InputForm<Input>({
  form,
  extra,
  flat,
  below,
  ...end
}: InputFieldsProps<Input> &
  Omit<Parameters<typeof FormEnd>[0], 'form' | 'covered'> & {
    readonly below?: ReactNode
  }) {
  return (
    <form className="flex flex-col gap-3.5" {...form.formProps}>
      <InputFields form={form} extra={extra} flat={flat} />
      {below}
      <FormEnd form={form} covered={form.fields.map(({ name }) => name)} {...end} />
    </form>
  )
}
