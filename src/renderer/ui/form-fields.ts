/** Fields of a form, from the schema of an input. */
import { z } from 'zod'
import {
  formWordsOf,
  valueType,
  type FieldKind,
  type FormWords,
} from '../../shared/model/field-words.ts'
import { describeInput, inputParseOptions } from '../../shared/rpc/input-problems.ts'
import type { FieldFinding } from './finding-text.tsx'
import { headersOfRows, repeatedNames, rowsOfHeaders, type HeaderRow } from './header-rows.ts'

export type FormFieldValue = string | boolean | readonly HeaderRow[]
/** Typed values by field. A missing field is empty. */
export type FormDraft = Readonly<Record<string, FormFieldValue | undefined>>

export interface FormField {
  readonly name: string
  readonly kind: FieldKind
  readonly words: FormWords
  /** Value sent for an empty field; '' means the schema reports it as missing. */
  readonly valueIfEmpty: unknown
  readonly isOptional: boolean
}

interface Conversion {
  /** Shows a value that isn't null. */
  write(value: unknown): FormFieldValue
  /** Reads a typed value; returns an empty text for an empty field. */
  read(typed: FormFieldValue): unknown
}

const trimmed: Conversion = { write: String, read: (text: string) => text.trim() }
const verbatim: Conversion = { write: String, read: (text: string) => text }

function scaled(unit: number): Conversion {
  return {
    write: (value: number) => String(value / unit),
    read: (text: string) => (text.trim() === '' ? '' : Math.round(Number(text) * unit)),
  }
}

/** Conversions by kind; fields of other kinds are trimmed text. */
const conversions: Readonly<Partial<Record<FieldKind, Conversion>>> = {
  area: verbatim,
  secret: verbatim,
  switch: { write: Boolean, read: (isOn: boolean) => isOn },
  number: { write: String, read: (text: string) => (text.trim() === '' ? '' : Number(text)) },
  seconds: scaled(1_000),
  mebibytes: scaled(1_048_576),
  headers: { write: rowsOfHeaders, read: headersOfRows },
  lines: {
    write: (record: Readonly<Record<string, string>>) =>
      Object.entries(record)
        .map(([name, value]) => `${name}=${value}`)
        .join('\n'),
    // A line without "=" has no value, which the schema refuses.
    read: (text: string) =>
      Object.fromEntries(
        text
          .split('\n')
          .filter((line) => line.trim() !== '')
          .map((line) => /^([^=]*)(?:=(.*))?$/.exec(line) ?? [])
          .map(([, name = '', value]) => [name.trim(), value?.trim()]),
      ),
  },
}

const conversionOf = ({ kind }: FormField) => conversions[kind] ?? trimmed

function kindOf(schema: z.ZodType): FieldKind {
  const type = valueType(schema)
  if (type instanceof z.ZodBoolean) return 'switch'
  if (type instanceof z.ZodNumber) return 'number'
  return type instanceof z.ZodEnum ? 'choice' : 'text'
}

/** Kinds whose control always has a value, so that its field is never optional. */
const filled: ReadonlySet<FieldKind> = new Set(['choice', 'environment', 'select', 'switch'])

function formField(name: string, schema: z.ZodType, words: FormWords): FormField {
  const absent = schema.safeParse(undefined)
  const isNullable = schema.safeParse(null).success
  const valueIfEmpty = absent.success ? absent.data : isNullable ? null : ''
  const kind = words.kind ?? kindOf(schema)
  const isEmpty =
    valueIfEmpty == null || (absent.success && valueIfEmpty === '') || kind === 'lines'
  const isOptional = isEmpty && words.isNeeded !== true && !filled.has(kind)
  const field = { name, kind, valueIfEmpty, words, isOptional }
  const example =
    isEmpty || typeof valueIfEmpty === 'object' ? '' : conversionOf(field).write(valueIfEmpty)
  return typeof example !== 'string' || example === ''
    ? field
    : { ...field, words: { placeholder: example, ...words } }
}

export function formFieldsOf({ shape }: z.ZodObject): readonly FormField[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const words = formWordsOf(schema)
    return words === undefined ? [] : [formField(name, schema as z.ZodType, words)]
  })
}

/** Returns the draft that shows an input's values, or defaults for missing ones. */
export function draftOf(
  fields: readonly FormField[],
  values: Readonly<Record<string, unknown>>,
): FormDraft {
  return Object.fromEntries(
    fields.map((field) => {
      const value = values[field.name] ?? field.valueIfEmpty
      return [
        field.name,
        value == null || value === '' ? undefined : conversionOf(field).write(value),
      ]
    }),
  )
}

export function fieldsThatApply(
  fields: readonly FormField[],
  draft: FormDraft,
): readonly FormField[] {
  return fields.filter(({ words }) => words.when?.(draft) !== false)
}

export function inputOfDraft(
  fields: readonly FormField[],
  draft: FormDraft,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    fieldsThatApply(fields, draft).map((field) => {
      const typed = draft[field.name]
      const value = typed === undefined ? '' : conversionOf(field).read(typed)
      return [field.name, value === '' ? field.valueIfEmpty : value]
    }),
  )
}

/** Returns the problems of a draft at its fields, in the schema's words. */
export function findingsOfDraft(
  schema: z.ZodObject,
  fields: readonly FormField[],
  draft: FormDraft,
): readonly FieldFinding[] {
  const input = inputOfDraft(fields, draft)
  const { error } = schema.safeParse(input, inputParseOptions)
  const problems = error === undefined ? [] : describeInput(error).problems
  return fieldsThatApply(fields, draft).flatMap(({ name, kind, words: { expected, label } }) => {
    const typed = draft[name]
    const ownProblems = problems
      .filter(({ field }) => field === name || field.startsWith(`${name}.`))
      .map(({ field, message }) => ({
        field: kind === 'headers' ? field : name,
        message:
          expected === undefined && input[name] !== ''
            ? message
            : `Enter ${expected ?? `the ${nameInSentence(label)}`}.`,
      }))
    const repeated = Array.isArray(typed) ? repeatedNames(typed as readonly HeaderRow[]) : []
    return [
      ...ownProblems,
      ...repeated.map((header) => ({
        field: `${name}.${header}`,
        message: 'This header name is used twice.',
      })),
    ]
  })
}

/** Lower-cases the start of a label, unless it is an abbreviation. */
function nameInSentence(label: string): string {
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label
}
