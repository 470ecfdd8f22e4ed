/**
 * The words of an input's fields, for the command line, forms and settings. All else follows from
 * the field's type.
 */
import { z } from 'zod'

/** What a field holds: how a form edits it, and how the command line reads it. */
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
  /** If the field's type doesn't tell. */
  readonly kind?: FieldKind
  /**
   * Completes "Expected …" or "Enter …" for a value that it can't take, unless its type or schema
   * says it.
   */
  readonly expected?: string
  /** What a number counts. The command line takes bytes with a unit, such as MiB. */
  readonly unit?: readonly [one: string, many: string]
}

export interface OptionWords extends FieldWords {
  /**
   * The placeholder of its value, or the option's whole flags if they don't follow from the field's
   * name. A switch needs neither ('').
   */
  readonly option: string
  readonly help: string
}

/** How a form shows a field. Forms show the fields that have a label, in the order of the input. */
export interface FormWords extends FieldWords {
  readonly label: string
  /** The option's help, unless given; empty for none. */
  readonly hint?: string
  /** An example. A default is shown anyway. */
  readonly placeholder?: string
  /** The labels of its choices, in their order. */
  readonly choices?: Readonly<Record<string, string>>
  /** Whether it is needed or filled in, although its schema lets it be absent. */
  readonly isNeeded?: true
  /** The title of the part that has it, collapsed while it is unchanged. */
  readonly part?: string
  /** Whether it applies, by the values of other fields. It isn't sent otherwise. */
  readonly when?: (draft: Readonly<Record<string, unknown>>) => boolean
}

declare const isOption: unique symbol
/** The type of a field that is an option of the command line. */
export interface IsOption {
  readonly [isOption]: true
}

const words = z.registry<Partial<FormWords & OptionWords>>()

/**
 * A field that is an option of the command line, under the same name, and with a label a field of
 * forms.
 */
export function option<Field extends z.ZodType>(
  field: Field,
  help: string,
  flags = '',
  its: Partial<FormWords> = {},
): Field & IsOption {
  words.add(field, { option: flags, help, ...its })
  return field as Field & IsOption
}

/** A field of forms that isn't an option of the command line. */
export function inForm<Field extends z.ZodType>(field: Field, its: FormWords): Field {
  words.add(field, its)
  return field
}

/** Returns how a form shows a field, with its hint; undefined if forms leave it out. */
export function formWordsOf(field: z.core.$ZodType): FormWords | undefined {
  const { label, help = '', hint = hintFrom(help), ...its } = words.get(field) ?? {}
  return label === undefined ? undefined : { ...its, label, hint }
}

/** Returns an option's help as a sentence, without what only the command line needs. */
function hintFrom(help: string): string {
  const text = help.replace(/^bearer: /, '').replace(/ \((?:default|repeatable)[^()]*\)$/, '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns what the command line says about a field; undefined if it isn't an option. */
export function optionWordsOf(field: z.core.$ZodType): OptionWords | undefined {
  const { option: flags, help, ...its } = words.get(field) ?? {}
  return flags === undefined || help === undefined ? undefined : { ...its, option: flags, help }
}

type Bare<Field> = Field extends z.ZodDefault<infer Inner> ? Inner : Field

/** A field without its default. */
export function bare<Field extends z.core.SomeType>(field: Field): Bare<Field> {
  return (field instanceof z.ZodDefault ? field.unwrap() : field) as Bare<Field>
}

type Changes<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape]: z.ZodOptional<Bare<Shape[Name]>> &
    (Shape[Name] extends IsOption ? IsOption : unknown)
}

/** Changes of an object's fields: a missing one stays unchanged. Options stay options. */
export function changedFieldsOf<Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) {
  const fields = Object.entries(shape).map(([name, field]) => {
    const change = z.optional(bare(field))
    const its = optionWordsOf(field)
    if (its !== undefined) words.add(change, its)
    return [name, change]
  })
  return z.object(Object.fromEntries(fields) as Changes<Shape>)
}

/** The type of a field's values other than null and undefined. */
export function valueType(field: unknown): unknown {
  return field instanceof z.ZodOptional ||
    field instanceof z.ZodNullable ||
    field instanceof z.ZodDefault
    ? valueType(field.unwrap())
    : field
}
