/** Reads values of options: numbers, times, fields and headers. */
import { z } from 'zod'
import { InvalidArgumentError } from 'commander'
import { type OptionWords, valueType } from '../../shared/model/field-words.ts'
import { unitMs } from '../../shared/text/time-text.ts'
import { type Literals, literalFromText } from '../../shared/body/json-literals.ts'

/**
 * Returns a reader of a value; `expected` completes the error. Creates the schema on first use,
 * because unused ones took a quarter of a quick command's time.
 */
export function readWith<T>(makeSchema: () => z.ZodType<T>, expected: string): (text: string) => T {
  let schema: z.ZodType<T> | undefined
  return (text) => {
    const parsed = (schema ??= makeSchema()).safeParse(text)
    if (parsed.success) return parsed.data
    throw new InvalidArgumentError(`Expected ${expected}.`)
  }
}

const UNIT_BYTES: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1_000,
  KiB: 1_024,
  MB: 1_000_000,
  MiB: 1_048_576,
  GB: 1_000_000_000,
  GiB: 1_073_741_824,
}

function bytesIn(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?) ?([A-Za-z]*)$/.exec(text) ?? []
  return Math.round(Number(amount) * (unit === '' ? 1 : (UNIT_BYTES[unit] ?? Number.NaN)))
}

function numberWords({ minValue, maxValue, isInt }: z.ZodNumber): string {
  const least = minValue ?? 0
  if (!isInt) return `a number above ${least}, at most ${maxValue}`
  return maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER
    ? `an integer of ${Math.max(0, least)} or more`
    : `an integer from ${least} to ${maxValue}`
}

/** Returns a reader of a field's typed values, such as bytes with a unit, or `on` and `off`. */
export function readerOf<Value>(
  field: z.ZodType<Value>,
  { expected, unit }: Pick<OptionWords, 'expected' | 'unit'> = {},
): (text: string) => Value {
  const type = valueType(field) as z.ZodType<Value>
  const isDecimal = type instanceof z.ZodNumber && !type.isInt
  const valueOf = (text: string): unknown => {
    if (type instanceof z.ZodBoolean) return { on: true, off: false }[text]
    if (!(type instanceof z.ZodNumber)) return text
    if (unit?.[0] === 'byte') return bytesIn(text)
    return (isDecimal ? /^\d+(\.\d+)?$/ : /^\d+$/).test(text) ? Number(text) : null
  }
  const describeValues = () =>
    type instanceof z.ZodNumber
      ? numberWords(type)
      : type instanceof z.ZodEnum
        ? type.options.join(', ')
        : 'on or off'
  return (text) => {
    const read = type.safeParse(valueOf(text))
    if (read.success) return read.data
    throw new InvalidArgumentError(`Expected ${expected ?? describeValues()}.`)
  }
}

export const readCount = readerOf(z.int().min(1))
export const readCountFromZero = readerOf(z.int().min(0))

/** Reads a port; 0 means any free port. */
export const readPort = readerOf(z.int().max(65_535), {
  expected: 'a port from 0 (any free port) to 65535',
})

export const readSpeed = readerOf(z.number().positive().max(100_000))

/** A century in milliseconds: calendars have limits, and so does the sandbox clock. */
const LONGEST_MS = 36_500 * 86_400_000

export function readDuration(text: string): number {
  const ms = Number.parseFloat(text) * unitMs(text)
  if (/^\d+(\.\d+)?(ms|s|m|h|d)$/.test(text) && ms > 0 && ms <= LONGEST_MS) return ms
  throw new InvalidArgumentError('Expected a duration like 90s, 15m, 72h or 3d, at most 36500d.')
}

/** Reads an amount of time to move times by, such as `-30d`, in milliseconds. */
export function readShift(text: string): number {
  const [, sign = '', amount = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  return Math.round(readDuration(amount)) * (sign === '-' ? -1 : 1)
}

const readNumberOfSeconds = readerOf(z.number().max((2 ** 31 - 1) / 1_000), {
  expected: 'seconds, like 30 or 0.5, at most 2147483',
})

/** Reads seconds, with decimals, as whole milliseconds. */
export function readSeconds(text: string): number {
  return Math.round(readNumberOfSeconds(text) * 1_000)
}

/** Reads a time as milliseconds since the epoch. */
export const readInstant = readWith(
  () => z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  'a time like 2026-11-21T09:30:00Z',
)

/**
 * Reads `path=value` and adds it to the previous ones. The value is JSON as typed (`amount=10.00`
 * stays `10.00`), or text.
 */
export function readLiteral(text: string, previous: Literals | undefined): Literals {
  const equals = text.indexOf('=')
  if (equals < 1)
    throw new InvalidArgumentError(
      'Expected path=value, for example amount=12.5 or card.lastNumbers=4001.',
    )
  return { ...previous, [text.slice(0, equals)]: literalFromText(text.slice(equals + 1)) }
}

type Headers = Readonly<Record<string, string>>

/** Reads a header and adds it to the previous ones (section 4.3). */
export function readHeader(text: string, previous: Headers | undefined): Headers {
  const colon = text.indexOf(':')
  const name = text.slice(0, Math.max(colon, 0)).trim()
  if (name === '') throw new InvalidArgumentError("Expected 'Name: value'.")
  if (Object.keys(previous ?? {}).some((other) => other.toLowerCase() === name.toLowerCase()))
    throw new InvalidArgumentError(`Header ${name} given twice.`)
  return { ...previous, [name]: text.slice(colon + 1).trim() }
}

/** Adds a header line; names may repeat, so headers stay in order. */
export function readHeaderLine(
  line: string,
  previous: readonly [string, string][] = [],
): [string, string][] {
  const colon = line.indexOf(':')
  if (colon < 1) throw new InvalidArgumentError("Expected 'Name: value'.")
  return [...previous, [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]]
}

/** Reads `name=value` and adds it to the previous fields. */
export function readField(
  text: string,
  previous: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const equals = text.indexOf('=')
  const name = text.slice(0, Math.max(equals, 0)).trim()
  if (name === '') throw new InvalidArgumentError('Expected name=value, for example scope=hooks.')
  if (Object.hasOwn(previous, name)) throw new InvalidArgumentError(`Field ${name} given twice.`)
  return { ...previous, [name]: text.slice(equals + 1) }
}
