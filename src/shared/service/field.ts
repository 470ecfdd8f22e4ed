/**
 * Value types of resources (section 2). `must` completes sentences such as "`amount` must be a
 * number".
 */
import { z } from 'zod'
import { isJsonObject } from '../body/json-path.ts'
import type { Section } from './hook-finding.ts'

type JsonSchema = Pick<z.core.JSONSchema.BaseSchema, 'type' | 'format' | 'pattern'>

interface FieldNotes {
  readonly must: string
  readonly fits: (value: unknown) => boolean
  /** Given if zod can't describe the value. */
  readonly json?: JsonSchema
  /** Type name of an object, and the section that lists its fields. */
  readonly name?: string
  readonly section?: Section
  /** Strings that the spec shows; others are a finding, not an error. */
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

/** Converts a pattern for languages whose `\d` has more digits. */
const portable = ({ source }: RegExp) => source.replaceAll(String.raw`\d`, '[0-9]')

/**
 * Creates a string field with a complete pattern, because most readers of JSON Schema ignore
 * formats.
 */
const matching = (must: string, pattern: RegExp, json: JsonSchema = {}) =>
  field<string>(
    must,
    { type: 'string', ...json, pattern: portable(pattern) },
    (value) => typeof value === 'string' && pattern.test(value),
  )

/** Creates an object field by its type name and section. */
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

export const shownText = (...values: string[]) => field<string>('a string', STRING, isText, values)

export const flag = () =>
  field<boolean>('true or false', { type: 'boolean' }, (value) => typeof value === 'boolean')

export const decimal = () => field<number>('a number', { type: 'number' }, Number.isFinite)

export const integer = () => field<number>('an integer', { type: 'integer' }, Number.isSafeInteger)

/** Creates a UUID field of any version. */
export const uuid = () => matching('a UUID', z.core.regexes.guid, { format: 'uuid' })

const URL_TEXT = /^[A-Za-z][A-Za-z0-9+.-]*:[/]*[^\s/?#<>^|\\]+(?:[/?#].*)?$/

export const address = () => matching('a URL', URL_TEXT, { format: 'uri' })

/** Creates a time zone field; `payload-sense.ts` checks the name. */
export const timeZone = () =>
  matching('an IANA time zone name, such as Europe/London', /^\S(?:.*\S)?$/)

const inside = ({ source }: RegExp) => source.slice(1, -1)
/** Calendar days: 2026-02-30 isn't one. */
const DAY_AND_TIME = `${inside(z.core.regexes.date)}T${inside(z.core.regexes.time({ precision: 0 }))}`
const UTC_TIME = new RegExp(String.raw`^${DAY_AND_TIME}\.\d{3}Z$`)
const LOCAL_TIME = new RegExp(`^${DAY_AND_TIME}$`)
const FIRST_OF_MONTH = /^\d{4}-(?:0[1-9]|1[0-2])-01T00:00:00\.000Z$/

const TIMESTAMP = 'an ISO 8601 time in UTC with milliseconds and a trailing Z'
const DATE_TIME = { format: 'date-time' }

export const timestamp = () => matching(TIMESTAMP, UTC_TIME, DATE_TIME)

export const timestampOrNull = () =>
  matching(`${TIMESTAMP}, or null`, UTC_TIME, DATE_TIME).nullable()

export const firstOfMonth = () =>
  matching(
    'the first day of a month at midnight UTC, such as 2029-04-01T00:00:00.000Z',
    FIRST_OF_MONTH,
    DATE_TIME,
  )

export const localTime = () =>
  matching(
    'an ISO 8601 time without zone and without milliseconds, such as 2026-04-01T13:37:00',
    LOCAL_TIME,
  )

const CODE = /^[A-Za-z]{3}$/

export const countryCode = () => matching('a three-letter country code', CODE)

export const currencyCode = () => matching('a three-letter currency code', CODE)

export const digits = (count: number) =>
  matching(`a string of ${count} digits`, new RegExp(String.raw`^\d{${count}}$`))

export const list = () => field<unknown[]>('an array', { type: 'array' }, Array.isArray)

export const freeForm = () => field<Record<string, unknown>>('an object', OBJECT, isJsonObject)

export const freeFormOrNull = () =>
  field<Record<string, unknown>>('an object or null', OBJECT, isJsonObject).nullable()

/** Creates a required field of any value, null too. */
export const anything = () => field<unknown>('null or a value', {}, (value) => value !== undefined)
