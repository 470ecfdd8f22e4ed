/**
 * The value types that resources consist of (section 2). The `error` of each completes sentences such as "`amount` must be a
 * number". A registry stores what zod has no place for: an object's section, and the values that the spec shows without saying that
 * the list is complete.
 */
import { z } from 'zod'
import { isJsonObject } from '../body/json-path.ts'
import type { Section } from './hook-finding.ts'

/** How many errors zod finds in a value. */
export type CountErrors = (value: unknown) => number

interface FieldNotes {
  /** For a value: the same check without zod, which takes several times as long. A test holds both equal. */
  readonly count?: CountErrors
  /** For an object: the section that lists its fields. */
  readonly section?: Section
  /** For a string: the values shown. Other values are a finding, not an error. */
  readonly shown?: readonly string[]
}

export const fieldNotes = z.registry<FieldNotes>()

/** Adds the check without zod to a schema, with the other notes. */
function counted<Schema extends z.core.$ZodType>(
  schema: Schema,
  count: CountErrors,
  notes: FieldNotes = {},
): Schema {
  fieldNotes.add(schema, { ...notes, count })
  return schema
}

/** A check of which a string can fail the parts one by one. */
const textThat =
  (...parts: readonly ((value: string) => boolean)[]): CountErrors =>
  (value) =>
    typeof value === 'string' ? parts.filter((fits) => !fits(value)).length : 1

/** An object with its fields and the section that lists them. */
export function resource<S extends z.core.$ZodLooseShape>(section: Section, shape: S) {
  return z.object(shape, { error: 'an object' }).register(fieldNotes, { section })
}

/** The same, or null for "none". */
export function resourceOrNull<S extends z.core.$ZodLooseShape>(section: Section, shape: S) {
  return z
    .object(shape, { error: 'an object or null' })
    .register(fieldNotes, { section })
    .nullable()
}

const isText = textThat()

export function text() {
  return counted(z.string({ error: 'a string' }), isText)
}

export function textOrNull() {
  return counted(z.string({ error: 'a string or null' }), isText).nullable()
}

/** A string of which the spec shows only some values. */
export function shownText(...values: string[]) {
  return counted(z.string({ error: 'a string' }), isText, { shown: values })
}

export function flag() {
  return counted(z.boolean({ error: 'true or false' }), (value) =>
    Number(typeof value !== 'boolean'),
  )
}

export function decimal() {
  return counted(z.number({ error: 'a number' }), (value) => Number(!Number.isFinite(value)))
}

export function integer() {
  return counted(z.int({ error: 'an integer' }), (value) => Number(!Number.isSafeInteger(value)))
}

const isGuid = textThat((value) => z.core.regexes.guid.test(value))

/** Any UUID: the spec requires no version. */
export function uuid() {
  return counted(z.guid({ error: 'a UUID' }), isGuid)
}

const isAddress = textThat((value) => URL.canParse(value))

export function address() {
  return counted(
    z.string({ error: 'a URL' }).refine((value) => URL.canParse(value), { error: 'a URL' }),
    isAddress,
  )
}

const TIMESTAMP = 'an ISO 8601 time in UTC with milliseconds and a trailing Z'
const UTC_TIME = z.core.regexes.datetime({ precision: 3 })
const isUtcTime = (value: string) => UTC_TIME.test(value)
const isTimestamp = textThat(isUtcTime)

export function timestamp() {
  return counted(z.iso.datetime({ precision: 3, error: TIMESTAMP }), isTimestamp)
}

export function timestampOrNull() {
  return counted(
    z.iso.datetime({ precision: 3, error: `${TIMESTAMP}, or null` }),
    isTimestamp,
  ).nullable()
}

const MONTH = 'the first day of a month at midnight UTC, such as 2029-04-01T00:00:00.000Z'
const startsMonth = (value: string) => /-01T00:00:00\.000Z$/.test(value)
const isFirstOfMonth = textThat(isUtcTime, startsMonth)

export function firstOfMonth() {
  return counted(
    z.iso.datetime({ precision: 3, error: MONTH }).refine(startsMonth, { error: MONTH }),
    isFirstOfMonth,
  )
}

const LOCAL_TIME =
  'an ISO 8601 time without zone and without milliseconds, such as 2026-04-01T13:37:00'
const isLocal = (value: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(value) && isTime(`${value}.000Z`)
const isLocalTime = textThat(isLocal)

export function localTime() {
  return counted(
    z.string({ error: LOCAL_TIME }).refine(isLocal, { error: LOCAL_TIME }),
    isLocalTime,
  )
}

/** Whether a well-formed UTC time is a real date: `Date` alone reads April 31 as May 1. */
function isTime(value: string): boolean {
  const time = new Date(value)
  return !Number.isNaN(time.getTime()) && time.toISOString() === value
}

function fitting(words: string, pattern: RegExp) {
  return counted(
    z.string({ error: words }).regex(pattern, { error: words }),
    textThat((value) => pattern.test(value)),
  )
}

export function countryCode() {
  return fitting('a three-letter country code', /^[A-Za-z]{3}$/)
}

export function currencyCode() {
  return fitting('a three-letter currency code', /^[A-Za-z]{3}$/)
}

export function digits(count: number) {
  return fitting(`a string of ${count} digits`, new RegExp(`^\\d{${count}}$`))
}

/** An array whose items the spec doesn't describe. */
export function list() {
  return counted(z.array(z.unknown(), { error: 'an array' }), (value) =>
    Number(!Array.isArray(value)),
  )
}

const isAnyObject: CountErrors = (value) => Number(!isJsonObject(value))

/** An object with keys chosen by the client. */
export function freeForm() {
  return counted(z.record(z.string(), z.unknown(), { error: 'an object' }), isAnyObject)
}

export function freeFormOrNull() {
  return counted(
    z.record(z.string(), z.unknown(), { error: 'an object or null' }),
    isAnyObject,
  ).nullable()
}

/** Any value, null too, but not none. */
export function anything() {
  return counted(
    z.unknown().refine((value) => value !== undefined, { error: 'null or a value' }),
    (value) => Number(value === undefined),
  )
}
