/**
 * The value types that resources consist of (section 2). The `must` of each completes sentences such as "`amount` must be a
 * number". A registry stores what zod has no place for.
 */
import { z } from 'zod'
import { isJsonObject } from '../body/json-path.ts'
import type { Section } from './hook-finding.ts'

/** What JSON Schema says about a value, apart from null and whether it is required. */
type JsonSchema = Pick<z.core.JSONSchema.BaseSchema, 'type' | 'format' | 'pattern'>

interface FieldNotes {
  readonly must: string
  readonly fits: (value: unknown) => boolean
  /** For a value that zod can't describe: its JSON Schema. */
  readonly json?: JsonSchema
  /** For an object: the name of its type, and the section that lists its fields. */
  readonly name?: string
  readonly section?: Section
  /** For a string: the values that the spec shows. Other values are a finding, not an error. */
  readonly shown?: readonly string[]
}

export const fieldNotes = z.registry<FieldNotes>()

function field<T>(
  must: string,
  json: JsonSchema,
  fits: (value: unknown) => boolean,
  shown?: readonly string[],
) {
  const notes = shown === undefined ? {} : { shown }
  return z.custom<T>(fits, { error: must }).register(fieldNotes, { must, fits, json, ...notes })
}

const textThat = (must: string, json: JsonSchema, fits: (value: string) => boolean) =>
  field<string>(
    must,
    { type: 'string', ...json },
    (value) => typeof value === 'string' && fits(value),
  )

const matching = (must: string, pattern: RegExp, json: JsonSchema = {}) =>
  textThat(must, { ...json, pattern: pattern.source }, (value) => pattern.test(value))

/** An object with the name of its type, the section that lists its fields, and its fields. */
export function resource<S extends z.core.$ZodLooseShape>(
  name: string,
  section: Section,
  shape: S,
  must = 'an object',
) {
  return z
    .object(shape, { error: must })
    .register(fieldNotes, { must, fits: isJsonObject, name, section })
}

/** The same, or null for "none". */
export function resourceOrNull<S extends z.core.$ZodLooseShape>(
  name: string,
  section: Section,
  shape: S,
) {
  return resource(name, section, shape, 'an object or null').nullable()
}

const isText = (value: unknown) => typeof value === 'string'
const STRING = { type: 'string' } as const
const OBJECT = { type: 'object' } as const

export const text = () => field<string>('a string', STRING, isText)

export const textOrNull = () => field<string>('a string or null', STRING, isText).nullable()

/** A string of which the spec shows only some values. */
export const shownText = (...values: string[]) => field<string>('a string', STRING, isText, values)

export const flag = () =>
  field<boolean>('true or false', { type: 'boolean' }, (value) => typeof value === 'boolean')

export const decimal = () => field<number>('a number', { type: 'number' }, Number.isFinite)

export const integer = () => field<number>('an integer', { type: 'integer' }, Number.isSafeInteger)

/** Any UUID: the spec requires no version. */
export const uuid = () => matching('a UUID', z.core.regexes.guid, { format: 'uuid' })

export const address = () => textThat('a URL', { format: 'uri' }, (value) => URL.canParse(value))

const TIMESTAMP = 'an ISO 8601 time in UTC with milliseconds and a trailing Z'
const UTC_TIME = z.core.regexes.datetime({ precision: 3 })
const isUtcTime = (value: string) => UTC_TIME.test(value)
const UTC = { format: 'date-time', pattern: String.raw`T[0-9:]{8}\.\d{3}Z$` }

export const timestamp = () => textThat(TIMESTAMP, UTC, isUtcTime)

export const timestampOrNull = () => textThat(`${TIMESTAMP}, or null`, UTC, isUtcTime).nullable()

const MONTH_BEGINS = '-01T00:00:00.000Z'

export const firstOfMonth = () =>
  textThat(
    `the first day of a month at midnight UTC, such as 2029-04${MONTH_BEGINS}`,
    { format: 'date-time', pattern: `${MONTH_BEGINS.replace('.', String.raw`\.`)}$` },
    (value) => isUtcTime(value) && value.endsWith(MONTH_BEGINS),
  )

export const localTime = () =>
  textThat(
    'an ISO 8601 time without zone and without milliseconds, such as 2026-04-01T13:37:00',
    { pattern: String.raw`^\d{4}-\d\d-\d\dT[0-9:]{8}$` },
    (value) => isUtcTime(`${value}.000Z`),
  )

const CODE = /^[A-Za-z]{3}$/

export const countryCode = () => matching('a three-letter country code', CODE)

export const currencyCode = () => matching('a three-letter currency code', CODE)

export const digits = (count: number) =>
  matching(`a string of ${count} digits`, new RegExp(String.raw`^\d{${count}}$`))

/** An array whose items the spec doesn't describe. */
export const list = () => field<unknown[]>('an array', { type: 'array' }, Array.isArray)

/** An object with keys chosen by the client. */
export const freeForm = () => field<Record<string, unknown>>('an object', OBJECT, isJsonObject)

export const freeFormOrNull = () =>
  field<Record<string, unknown>>('an object or null', OBJECT, isJsonObject).nullable()

/** Any value, null too, but not none. */
export const anything = () => field<unknown>('null or a value', {}, (value) => value !== undefined)
