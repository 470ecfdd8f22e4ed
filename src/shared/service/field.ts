/**
 * The value types that resources consist of (section 2). The `error` of each completes sentences such as "`amount` must be a
 * number". A registry stores what zod has no place for: an object's section, and the values that the spec shows without saying that
 * the list is complete.
 */
import { z } from 'zod'
import type { Section } from './hook-finding.ts'

interface FieldNotes {
  /** For an object: the section that lists its fields. */
  readonly section?: Section
  /** For a string: the values shown. Other values are a finding, not an error. */
  readonly shown?: readonly string[]
}

export const fieldNotes = z.registry<FieldNotes>()

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

export function text() {
  return z.string({ error: 'a string' })
}

export function textOrNull() {
  return z.string({ error: 'a string or null' }).nullable()
}

/** A string of which the spec shows only some values. */
export function shownText(...values: string[]) {
  return z.string({ error: 'a string' }).register(fieldNotes, { shown: values })
}

export function flag() {
  return z.boolean({ error: 'true or false' })
}

export function decimal() {
  return z.number({ error: 'a number' })
}

export function integer() {
  return z.int({ error: 'an integer' })
}

/** Any UUID: the spec requires no version. */
export function uuid() {
  return z.guid({ error: 'a UUID' })
}

export function address() {
  return z.string({ error: 'a URL' }).refine((value) => URL.canParse(value), { error: 'a URL' })
}

const TIMESTAMP = 'an ISO 8601 time in UTC with milliseconds and a trailing Z'

export function timestamp() {
  return z.iso.datetime({ precision: 3, error: TIMESTAMP })
}

export function timestampOrNull() {
  return z.iso.datetime({ precision: 3, error: `${TIMESTAMP}, or null` }).nullable()
}

const MONTH = 'the first day of a month at midnight UTC, such as 2029-04-01T00:00:00.000Z'

export function firstOfMonth() {
  return z.iso
    .datetime({ precision: 3, error: MONTH })
    .refine((value) => /-01T00:00:00\.000Z$/.test(value), { error: MONTH })
}

const LOCAL_TIME =
  'an ISO 8601 time without zone and without milliseconds, such as 2026-04-01T13:37:00'

export function localTime() {
  return z
    .string({ error: LOCAL_TIME })
    .refine((value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(value) && isTime(`${value}.000Z`), {
      error: LOCAL_TIME,
    })
}

/** Whether a well-formed UTC time is a real date: `Date` alone reads April 31 as May 1. */
function isTime(value: string): boolean {
  const time = new Date(value)
  return !Number.isNaN(time.getTime()) && time.toISOString() === value
}

export function countryCode() {
  return z
    .string({ error: 'a three-letter country code' })
    .regex(/^[A-Za-z]{3}$/, { error: 'a three-letter country code' })
}

export function currencyCode() {
  return z
    .string({ error: 'a three-letter currency code' })
    .regex(/^[A-Za-z]{3}$/, { error: 'a three-letter currency code' })
}

export function digits(count: number) {
  const words = `a string of ${count} digits`
  return z.string({ error: words }).regex(new RegExp(`^\\d{${count}}$`), { error: words })
}

/** An array whose items the spec doesn't describe. */
export function list() {
  return z.array(z.unknown(), { error: 'an array' })
}

/** An object with keys chosen by the client. */
export function freeForm() {
  return z.record(z.string(), z.unknown(), { error: 'an object' })
}

export function freeFormOrNull() {
  return z.record(z.string(), z.unknown(), { error: 'an object or null' }).nullable()
}
