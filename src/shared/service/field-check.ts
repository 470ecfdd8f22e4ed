/** Compares a value with a resource's schema: missing fields, wrong types, new fields and unlisted values. */
import { z } from 'zod'
import { isJsonObject } from '../body/json-path.ts'
import { fieldNotes, type CountErrors } from './field.ts'
import type { ObservedDeparture } from './observed.ts'
import type { Section } from './hook-finding.ts'
import type { SchemaOutcome } from '../model/delivery.ts'

/** One finding: the place in the payload (`location.geolocation.latitude`; empty for the whole), a sentence, and the section. */
export interface PayloadNote {
  readonly path: string
  readonly message: string
  readonly section: Section
}

export interface PayloadCheck {
  readonly outcome: SchemaOutcome
  /** Missing fields and wrong types. */
  readonly failures: readonly PayloadNote[]
  /** Worth a look; the outcome stays the same. */
  readonly findings: readonly PayloadNote[]
}

/** New fields are named individually up to this number; beyond it they are only counted. */
const MOST_NEW_FIELDS = 50

type Path = readonly PropertyKey[]

/** `observed`: departures that are findings. */
export function checkFields(
  schema: z.ZodObject,
  value: unknown,
  observed: readonly ObservedDeparture[],
): { failures: PayloadNote[]; findings: PayloadNote[] } {
  const result = schema.safeParse(value)
  const failures: PayloadNote[] = []
  const findings: PayloadNote[] = []
  for (const issue of result.error?.issues ?? []) {
    const known = observedAt(observed, value, issue.path)
    if (known === null) failures.push(toFailure(schema, value, issue))
    else
      findings.push({
        path: known.path,
        section: known.section,
        message: `\`${known.path}\`: ${known.seen} here; the spec says ${known.spec}.`,
      })
  }
  collect(schema, value, [], sectionOf(schema), findings)
  return { failures, findings }
}

/**
 * Makes the function that counts the failures that `checkFields` finds, without zod: it runs for every delivery before its
 * acknowledgement, and takes a tenth of the time.
 */
export function countFailures(
  schema: z.core.$ZodType,
  observed: readonly ObservedDeparture[],
  at = '',
): CountErrors {
  const seen = observed.filter(({ path }) => path === at).map((known) => known.seen)
  const [orAbsent, orNull] = [seen.includes('absent'), seen.includes('null')]
  const count = countPresent(schema, observed, at)
  return (value) =>
    (value === undefined && orAbsent) || (value === null && orNull) ? 0 : count(value)
}

function countPresent(
  schema: z.core.$ZodType,
  observed: readonly ObservedDeparture[],
  at: string,
): CountErrors {
  if (schema instanceof z.ZodOptional) {
    const count = countPresent(schema.unwrap(), observed, at)
    return (value) => (value === undefined ? 0 : count(value))
  }
  if (schema instanceof z.ZodNullable) {
    const count = countPresent(schema.unwrap(), observed, at)
    return (value) => (value === null ? 0 : count(value))
  }
  if (schema instanceof z.ZodObject) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape
    const fields = Object.entries(shape).map(([name, field]) => ({
      name,
      count: countFailures(field, observed, at === '' ? name : `${at}.${name}`),
    }))
    return (value) => {
      if (!isJsonObject(value)) return 1
      let failures = 0
      for (const { name, count } of fields) failures += count(value[name])
      return failures
    }
  }
  const count = fieldNotes.get(schema)?.count
  if (count === undefined) throw new Error(`The field ${at} has no check.`)
  return count
}

/** The observed departure that an issue is about; null if it is another one. */
function observedAt(
  observed: readonly ObservedDeparture[],
  value: unknown,
  path: Path,
): ObservedDeparture | null {
  const found = valueAt(value, path)
  const seen = found === undefined ? 'absent' : found === null ? 'null' : null
  const at = showPath(path)
  return observed.find((known) => known.path === at && known.seen === seen) ?? null
}

function toFailure(schema: z.ZodObject, value: unknown, issue: z.core.$ZodIssue): PayloadNote {
  const path = showPath(issue.path)
  const section = sectionAt(schema, issue.path)
  const must = issue.message
  if (issue.path.length === 0)
    return { path, section, message: `The body must be ${must}, not ${kindOf(value)}.` }
  const found = valueAt(value, issue.path)
  if (found === undefined)
    return { path, section, message: `Missing required field \`${path}\` (${must}).` }
  return { path, section, message: `\`${path}\` must be ${must}, not ${kindOf(found)}.` }
}

/** Walks the schema alongside the value, only as deep as the schema. */
function collect(
  schema: z.core.$ZodType,
  value: unknown,
  path: Path,
  section: Section,
  findings: PayloadNote[],
): void {
  const inner = unwrap(schema)
  if (
    inner instanceof z.ZodObject &&
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value)
  ) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = inner.shape
    const own = sectionOf(inner, section)
    const names = Object.keys(value)
    findings.push(
      ...newFields(
        names.filter((name) => !Object.hasOwn(shape, name)),
        path,
        own,
      ),
    )
    for (const [name, field] of Object.entries(shape)) {
      if (Object.hasOwn(value, name))
        collect(
          field,
          (value as Readonly<Record<string, unknown>>)[name],
          [...path, name],
          own,
          findings,
        )
    }
    return
  }
  const shown = fieldNotes.get(inner)?.shown
  if (shown === undefined || typeof value !== 'string' || shown.includes(value)) return
  const name = showPath(path)
  findings.push({
    path: name,
    section,
    message: `\`${name}\` is \`${brief(value)}\`; the spec shows ${list(shown)}.`,
  })
}

function newFields(names: readonly string[], path: Path, section: Section): PayloadNote[] {
  const notes = names.slice(0, MOST_NEW_FIELDS).map((name): PayloadNote => {
    const at = showPath([...path, name])
    const shown = name === '' ? `${at}""` : brief(at)
    return { path: at, section, message: `New field \`${shown}\`: not in the spec.` }
  })
  const more = names.length - notes.length
  if (more > 0)
    notes.push({
      path: showPath(path),
      section,
      message: `${more} more new fields here that aren't in the spec.`,
    })
  return notes
}

/** The schema of the value itself, if there is one. */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodNullable || schema instanceof z.ZodOptional
    ? unwrap(schema.unwrap())
    : schema
}

function sectionOf(schema: z.core.$ZodType, otherwise: Section = '2'): Section {
  return fieldNotes.get(schema)?.section ?? otherwise
}

/** The section of the object that a field belongs to. */
function sectionAt(schema: z.ZodObject, path: Path): Section {
  let at: z.core.$ZodType = schema
  let section = sectionOf(schema)
  for (const name of path) {
    const object = unwrap(at)
    if (!(object instanceof z.ZodObject) || typeof name !== 'string') break
    section = sectionOf(object, section)
    const shape: Readonly<Record<string, z.core.$ZodType>> = object.shape
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (field === undefined) break
    at = field
  }
  return section
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Readonly<Record<PropertyKey, unknown>>)[name]
        : undefined,
    value,
  )
}

/** `location.geolocation.latitude`, `message[0]`. */
function showPath(path: Path): string {
  return path.reduce<string>(
    (text, name) =>
      typeof name === 'number'
        ? `${text}[${name}]`
        : text === ''
          ? String(name)
          : `${text}.${String(name)}`,
    '',
  )
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return `the string \`${brief(value)}\``
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return 'an object'
}

function brief(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function list(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(', ')
}
