/** What the command line says about a field of an input, or about a setting. Everything else about its option follows from the field's type. */
import { z } from 'zod'

export interface OptionWords {
  /** The placeholder of its value, or the option's whole flags if they don't follow from the field's name. A switch needs neither (''). */
  readonly option: string
  readonly help: string
  /**
   * How its text is read, if the field's type doesn't tell: `Name: value`, `path=value` with JSON or `name=value`, an event, seconds
   * as milliseconds, or a file's content.
   */
  readonly reads?: 'header' | 'literal' | 'field' | 'event' | 'seconds' | 'file' | undefined
  /** Completes "Expected …" for a value that the option can't take, unless its type says it. */
  readonly expected?: string
  /** What a number counts. Bytes may be given with a unit, such as MiB. */
  readonly unit?: readonly [one: string, many: string]
}

declare const isOption: unique symbol
/** The type of a field that is an option of the command line. */
export interface IsOption {
  readonly [isOption]: true
}

const words = z.registry<OptionWords>()

/** A field that is an option of the command line, under the same name. See `OptionWords`. */
export function option<Field extends z.ZodType>(
  field: Field,
  help: string,
  flags = '',
  reads?: OptionWords['reads'],
): Field & IsOption {
  words.add(field, { option: flags, help, reads })
  return field as Field & IsOption
}

export function optionWordsOf(field: z.core.$ZodType): OptionWords | undefined {
  return words.get(field)
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
