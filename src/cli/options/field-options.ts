/** Creates options from the fields of the contract's inputs. */
import { z } from 'zod'
import {
  type FieldKind,
  type IsOption,
  type OptionWords,
  optionWordsOf,
  valueType,
} from '../../shared/model/field-words.ts'
import {
  type Input,
  flagOption,
  listOption,
  choiceOption,
  parsedOption,
  textOption,
  nonBlankOption,
} from './input.ts'
import { readEventName } from './event-names.ts'
import { textOfFile } from './input-files.ts'
import { readerOf, readSeconds, readLiteral, readHeader, readField } from './value-readers.ts'

function optionOf(field: z.ZodType, words: OptionWords): Input<unknown> {
  const { option, help, kind } = words
  const type = valueType(field)
  if (type instanceof z.ZodBoolean) return flagOption(help, option)
  if (type instanceof z.ZodArray) return listOption(option, help)
  if (type instanceof z.ZodEnum) return choiceOption(option, help, type.options as string[])
  const specialOption = kind === undefined ? undefined : specialOptions[kind]
  if (specialOption !== undefined) return specialOption(option, help)
  if (type instanceof z.ZodNumber) {
    const number = parsedOption(option, help, readerOf(field, words))
    const otherwise: unknown = field instanceof z.ZodDefault ? field.def.defaultValue : null
    return otherwise === null ? number : number.default(otherwise)
  }
  return (type as z.ZodType).safeParse('').success
    ? textOption(option, help)
    : nonBlankOption(option, help)
}

type OptionOf<Field extends z.core.SomeType> =
  NonNullable<z.output<Field>> extends boolean
    ? boolean
    : NonNullable<z.output<Field>> extends readonly string[]
      ? string[]
      : Exclude<z.input<Field>, null>
type OptionsOf<Shape extends z.ZodRawShape> = {
  readonly [Name in keyof Shape as Shape[Name] extends IsOption ? Name : never]: Input<
    OptionOf<Shape[Name]>
  >
}

/** Creates options of the fields that have words. Fields without a default are required. */
export function optionsOf<Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) {
  const options = Object.entries(shape).flatMap(([name, field]) => {
    const words = optionWordsOf(field)
    if (words === undefined) return []
    const option = optionOf(field as z.ZodType, words)
    const isNeeded = !(field as z.ZodType).safeParse(undefined).success
    return [[name, isNeeded ? option.required() : option]]
  })
  return Object.fromEntries(options) as OptionsOf<Shape>
}

/** Makers of options for fields whose type doesn't tell how to read them. */
const specialOptions: Readonly<
  Partial<Record<FieldKind, (option: string, help: string) => Input<unknown>>>
> = {
  headers: (option, help) => parsedOption(option, help, readHeader),
  literals: (option, help) => parsedOption(option, help, readLiteral),
  lines: (option, help) => parsedOption(option, help, readField),
  event: (option, help) => parsedOption(option, help, readEventName),
  seconds: (option, help) => parsedOption(option, help, readSeconds),
  certificate: textOfFile,
}
