/** Registry of labels, flags and help of input fields, for the command line, forms and settings. */
import { z } from 'zod'

export type FieldKind =
  | 'area'
  | 'certificate'
  | 'choice'
  | 'environment'
  | 'event'
  | 'headers'
  | 'lines'
  | 'literals'
  | 'mebibytes'
  | 'number'
  | 'seconds'
  | 'secret'
  | 'select'
  | 'suggested'
  | 'switch'
  | 'text'
  | 'url'

interface FieldWords {
  readonly kind?: FieldKind
  /** Text that completes "Expected …" for an invalid value. */
  readonly expected?: string
  /** Unit of a number; bytes are entered with a unit, such as MiB. */
  readonly unit?: readonly [one: string, many: string]
}

export interface OptionWords extends FieldWords {
  /**
   * Value's placeholder (`<n>`), or the whole flag (`--hook <id>`) if the field has another name;
   * '' for a switch.
   */
  readonly option: string
  readonly help: string
}

/** Words for forms, which show the fields that have a label. */
export interface FormWords extends FieldWords {
  readonly label: string
  /** Default: the option's help. */
  readonly hint?: string
  readonly placeholder?: string
  readonly choices?: Readonly<Record<string, string>>
  readonly isNeeded?: true
  /** Title of a part of the form, collapsed while unchanged. */
  readonly part?: string
  /** Whether the field applies, given the other fields' values. */
  readonly when?: (draft: Readonly<Record<string, unknown>>) => boolean
}

/** Mark for the type checker that a field is an option. */
declare const isOption: unique symbol
export interface IsOption {
  readonly [isOption]: true
}

const words = z.registry<Partial<FormWords & OptionWords>>()

/** Adds the words of an option; with a label, forms have it too. */
export function option<Field extends z.ZodType>(
  field: Field,
  help: string,
  flags = '',
  formWords: Partial<FormWords> = {},
): Field & IsOption {
  words.add(field, { option: flags, help, ...formWords })
  return field as Field & IsOption
}

export function inForm<Field extends z.ZodType>(field: Field, formWords: FormWords): Field {
  words.add(field, formWords)
  return field
}

export function formWordsOf(field: z.core.$ZodType): FormWords | undefined {
  const { label, help = '', hint = hintFrom(help), ...rest } = words.get(field) ?? {}
  const end = hint === '' || hint.endsWith('.') ? '' : '.'
  return label === undefined ? undefined : { ...rest, label, hint: hint + end }
}

function hintFrom(help: string): string {
  const text = help.replace(/^bearer: /, '').replace(/ \((?:default|repeatable)[^()]*\)$/, '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export function optionWordsOf(field: z.core.$ZodType): OptionWords | undefined {
  const { option: flags, help, ...rest } = words.get(field) ?? {}
  return flags === undefined || help === undefined ? undefined : { ...rest, option: flags, help }
}

type WithoutDefault<Field> = Field extends z.ZodDefault<infer Inner> ? Inner : Field

export function withoutDefault<Field extends z.core.SomeType>(field: Field): WithoutDefault<Field> {
  return (field instanceof z.ZodDefault ? field.unwrap() : field) as WithoutDefault<Field>
}

type Changes<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape]: z.ZodOptional<WithoutDefault<Shape[Name]>> &
    (Shape[Name] extends IsOption ? IsOption : unknown)
}

/** Creates the schema of an update, where missing fields stay unchanged. */
export function updateSchemaOf<Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) {
  const fields = Object.entries(shape).map(([name, field]) => {
    const change = z.optional(withoutDefault(field))
    const optionWords = optionWordsOf(field)
    if (optionWords !== undefined) words.add(change, optionWords)
    return [name, change]
  })
  return z.object(Object.fromEntries(fields) as Changes<Shape>)
}

/** Returns the type of a field without null, undefined and default. */
export function valueType(field: unknown): unknown {
  return field instanceof z.ZodOptional ||
    field instanceof z.ZodNullable ||
    field instanceof z.ZodDefault
    ? valueType(field.unwrap())
    : field
}
