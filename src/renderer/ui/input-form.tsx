/**
 * A form of an input's fields, derived from its schema. The words of a field (`field-words.ts`) say
 * how it looks; what they can't know is given with it.
 */
import { useState, type ReactNode } from 'react'
import type { z } from 'zod'
import type { FieldFinding } from './finding-text.tsx'
import { FormEnd } from './form-end.tsx'
import {
  draftOf,
  fieldsThatApply,
  findingsOfDraft,
  formFieldsOf,
  inputOfDraft,
  type FormDraft,
  type FormField,
} from './form-fields.ts'
import { controls, type FieldExtra } from './input-field.tsx'
import { useForm, type Form, type FormOptions } from './use-form.ts'

export interface InputFormState<Input> extends Form<FormDraft> {
  /** The fields shown now. */
  readonly fields: readonly FormField[]
  /** What it would send now. */
  readonly input: Input
  /** Returns the draft that shows other values. */
  draftFor(values: Readonly<Record<string, unknown>>): FormDraft
}

interface InputFormOptions<Schema extends z.ZodObject, T> extends Omit<
  FormOptions<FormDraft, T>,
  'begin' | 'check' | 'submit'
> {
  readonly schema: Schema
  /** What it begins with; defaults otherwise. */
  readonly begin?: () => Readonly<Record<string, unknown>>
  /** Shown and sent for fields in which nothing was typed. */
  readonly proposed?: (draft: FormDraft) => FormDraft
  /** Whether a field is shown. One that isn't keeps and sends its value. */
  readonly shows?: (name: string, draft: FormDraft) => boolean
  /** Problems beyond the schema's. */
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
  const [all] = useState(() => formFieldsOf(schema))
  const completed = (typed: FormDraft): FormDraft => {
    const offered = proposed?.(typed)
    return Object.fromEntries(all.map(({ name }) => [name, typed[name] ?? offered?.[name]]))
  }
  const inputOf = (typed: FormDraft) => inputOfDraft(all, completed(typed)) as z.input<Schema>
  const shownIn = (draft: FormDraft) =>
    fieldsThatApply(all, draft).filter(({ name }) => shows?.(name, draft) !== false)
  const form = useForm<FormDraft, T>({
    ...options,
    begin: () => draftOf(all, begin?.() ?? {}),
    check(typed) {
      const draft = completed(typed)
      const shown = new Set(shownIn(draft).map(({ name }) => name))
      return [
        ...findingsOfDraft(schema, all, draft).filter(({ field }) => shown.has(rootOf(field))),
        ...(check?.(inputOf(typed)) ?? []),
      ]
    },
    submit: (typed) => submit(inputOf(typed)),
  })
  const draft = completed(form.draft)
  return {
    ...form,
    draft,
    fields: shownIn(draft),
    input: inputOf(draft),
    draftFor: (others) => draftOf(all, others),
  }
}

/** Returns the field of a problem at one of its entries. */
export function rootOf(field: string): string {
  return field.split('.')[0] ?? field
}

interface InputFieldsProps<Input> {
  readonly form: InputFormState<Input>
  /** What the words of a field can't know, by its name. */
  readonly extra?: Readonly<Record<string, FieldExtra>> | undefined
  /** Whether to show the fields of parts as all others. */
  readonly flat?: boolean | undefined
}

/** The fields of a form, those of a part below its title. */
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

/** Whether a field has a value other than its default. */
function isChanged<Input>({ input }: InputFormState<Input>, { name, otherwise }: FormField) {
  const value = (input as Readonly<Record<string, unknown>>)[name]
  return JSON.stringify(value) !== JSON.stringify(otherwise)
}

/**
 * Fields under a title, collapsed at first unless one is changed. Without a title, they are always
 * visible.
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

/** Numbers that follow each other stand side by side. */
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

/** The form of an input: its fields, what else it says, and its buttons. */
export function InputForm<Input>({
  form,
  extra,
  flat,
  below,
  ...end
}: InputFieldsProps<Input> &
  Omit<Parameters<typeof FormEnd>[0], 'form' | 'covered'> & {
    /** Between the fields and the buttons. */
    readonly below?: ReactNode
  }) {
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <InputFields form={form} extra={extra} flat={flat} />
      {below}
      <FormEnd form={form} covered={form.fields.map(({ name }) => name)} {...end} />
    </form>
  )
}
