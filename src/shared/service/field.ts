/**
 * The value types that resources consist of (section 2). The `must` of each completes sentences such as "`amount` must be a
 * number". A registry stores what zod has no place for.
 */
import { z } from 'zod'
import { isJsonObject } from '../body/json-path.ts'
import type { Section } from './hook-finding.ts'

interface FieldNotes {
  readonly must: string
  readonly fits: (value: unknown) => boolean
  /** For an object: the section that lists its fields. */
  readonly section?: Section
  /** For a string: the values that the spec shows. Other values are a finding, not an error. */
  readonly shown?: readonly string[]
}

export const fieldNotes = z.registry<FieldNotes>()

function field<T>(must: string, fits: (value: unknown) => boolean, shown?: readonly string[]) {
  const notes = shown === undefined ? {} : { shown }
  return z.custom<T>(fits, { error: must }).register(fieldNotes, { must, fits, ...notes })
}

const textThat = (must: string, fits: (value: string) => boolean) =>
  field<string>(must, (value) => typeof value === 'string' && fits(value))

/** An object with its fields and the section that lists them. */
export function resource<S extends z.core.$ZodLooseShape>(
  section: Section,
  shape: S,
  must = 'an object',
) {
  return z
    .object(shape, { error: must })
    .register(fieldNotes, { must, fits: isJsonObject, section })
}

/** The same, or null for "none". */
export function resourceOrNull<S extends z.core.$ZodLooseShape>(section: Section, shape: S) {
  return resource(section, shape, 'an object or null').nullable()
}

const isText = (value: unknown) => typeof value === 'string'

export const text = () => field<string>('a string', isText)

export const textOrNull = () => field<string>('a string or null', isText).nullable()

/** A string of which the spec shows only some values. */
export const shownText = (...values: string[]) => field<string>('a string', isText, values)

export const flag = () => field<boolean>('true or false', (value) => typeof value === 'boolean')

export const decimal = () => field<number>('a number', Number.isFinite)

export const integer = () => field<number>('an integer', Number.isSafeInteger)

/** Any UUID: the spec requires no version. */
export const uuid = () => textThat('a UUID', (value) => z.core.regexes.guid.test(value))

export const address = () => textThat('a URL', (value) => URL.canParse(value))

const TIMESTAMP = 'an ISO 8601 time in UTC with milliseconds and a trailing Z'
const UTC_TIME = z.core.regexes.datetime({ precision: 3 })
const isUtcTime = (value: string) => UTC_TIME.test(value)

export const timestamp = () => textThat(TIMESTAMP, isUtcTime)

export const timestampOrNull = () => textThat(`${TIMESTAMP}, or null`, isUtcTime).nullable()

export const firstOfMonth = () =>
  textThat(
    'the first day of a month at midnight UTC, such as 2029-04-01T00:00:00.000Z',
    (value) => isUtcTime(value) && value.endsWith('-01T00:00:00.000Z'),
  )

export const localTime = () =>
  textThat(
    'an ISO 8601 time without zone and without milliseconds, such as 2026-04-01T13:37:00',
    (value) => isUtcTime(`${value}.000Z`),
  )

const isCode = (value: string) => /^[A-Za-z]{3}$/.test(value)

export const countryCode = () => textThat('a three-letter country code', isCode)

export const currencyCode = () => textThat('a three-letter currency code', isCode)

export const digits = (count: number) =>
  textThat(`a string of ${count} digits`, (value) => value.length === count && /^\d+$/.test(value))

/** An array whose items the spec doesn't describe. */
export const list = () => field<unknown[]>('an array', Array.isArray)

/** An object with keys chosen by the client. */
export const freeForm = () => field<Record<string, unknown>>('an object', isJsonObject)

export const freeFormOrNull = () =>
  field<Record<string, unknown>>('an object or null', isJsonObject).nullable()

/** Any value, null too, but not none. */
export const anything = () => field<unknown>('null or a value', (value) => value !== undefined)
