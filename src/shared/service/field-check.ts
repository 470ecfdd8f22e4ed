/** Compares a value with a resource's schema: missing fields, wrong types, new fields and unlisted values. */
import { z } from 'zod'
import { isJsonObject } from '../body/json-path.ts'
import { fieldNotes } from './field.ts'
import type { Observed } from './observed.ts'
import type { Section } from './hook-finding.ts'
import type { SchemaOutcome } from '../model/delivery.ts'
import { counted } from '../text/counted.ts'

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

/** A field of the schema: its path, and the section of the object that it belongs to. */
interface Place {
  readonly path: string
  readonly section: Section
}

interface Report {
  failure(value: unknown, must: string, place: Place): void
  /** A mismatch that accounts have been seen to send. */
  observed?(known: Observed): void
  /** A string with values that the spec shows. */
  shown?(value: string, values: readonly string[], place: Place): void
  /** An object's names that aren't in the spec; `section` lists its fields. */
  unknown?(names: readonly string[], place: Place): void
}

type Walk = (value: unknown, report: Report) => void

/**
 * Makes the functions that check a value: `count` runs for every delivery before its acknowledgement, so nothing is looked up while
 * they run. `observed`: mismatches that are findings.
 */
export function createCheck(schema: z.ZodObject, observed: readonly Observed[]) {
  const walk = walkOf(schema, observed, { path: '', section: '2' })
  return {
    /** How many failures there are. */
    count(value: unknown): number {
      let failures = 0
      walk(value, { failure: () => failures++ })
      return failures
    },
    check(value: unknown): { failures: PayloadNote[]; findings: PayloadNote[] } {
      const failures: PayloadNote[] = []
      const seen: PayloadNote[] = []
      const findings: PayloadNote[] = []
      walk(value, {
        failure: (found, must, place) => failures.push(failureNote(found, must, place)),
        observed: ({ path, section, seen: what, spec }) =>
          seen.push({
            path,
            section,
            message: `\`${path}\`: ${what} here; the spec says ${spec}.`,
          }),
        shown(found, values, { path, section }) {
          const message = `\`${path}\` is \`${brief(found)}\`; the spec shows ${listed(values)}.`
          if (!values.includes(found)) findings.push({ path, section, message })
        },
        unknown: (names, place) => findings.push(...newFields(names, place)),
      })
      return { failures, findings: [...seen, ...findings] }
    },
  }
}

function walkOf(schema: z.core.$ZodType, observed: readonly Observed[], place: Place): Walk {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    const [inner, none] = [
      walkOf(schema.unwrap(), observed, place),
      schema instanceof z.ZodOptional ? undefined : null,
    ]
    return (value, report) => {
      if (value !== none) inner(value, report)
    }
  }
  const notes = fieldNotes.get(schema)
  if (notes === undefined) throw new Error(`The field ${place.path} has no check.`)
  const { must, fits, shown } = notes
  const known = (seen: Observed['seen']) =>
    observed.find((one) => one.path === place.path && one.seen === seen)
  const [absent, asNull] = [known('absent'), known('null')]
  const inside = schema instanceof z.ZodObject ? membersOf(schema, observed, place) : undefined
  return (value, report) => {
    const mismatch = value === undefined ? absent : value === null ? asNull : undefined
    if (mismatch !== undefined) report.observed?.(mismatch)
    else if (!fits(value)) report.failure(value, must, place)
    else if (inside !== undefined) inside(value as Readonly<Record<string, unknown>>, report)
    else if (shown !== undefined) report.shown?.(value as string, shown, place)
  }
}

/** Walks an object's fields, only as deep as the schema. */
function membersOf(schema: z.ZodObject, observed: readonly Observed[], { path, section }: Place) {
  const own: Place = { path, section: fieldNotes.get(schema)?.section ?? section }
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape
  const members = Object.entries(shape).map(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`
    return { name, walk: walkOf(field, observed, { path: at, section: own.section }) }
  })
  return (value: Readonly<Record<string, unknown>>, report: Report) => {
    report.unknown?.(
      Object.keys(value).filter((name) => !Object.hasOwn(shape, name)),
      own,
    )
    for (const { name, walk } of members) walk(value[name], report)
  }
}

function failureNote(found: unknown, must: string, { path, section }: Place): PayloadNote {
  const message =
    path === ''
      ? `The body must be ${must}, not ${kindOf(found)}.`
      : found === undefined
        ? `Missing required field \`${path}\` (${must}).`
        : `\`${path}\` must be ${must}, not ${kindOf(found)}.`
  return { path, section, message }
}

function newFields(names: readonly string[], { path, section }: Place): PayloadNote[] {
  const notes = names.slice(0, MOST_NEW_FIELDS).map((name): PayloadNote => {
    const at = path === '' ? name : `${path}.${name}`
    const shown = name === '' ? `${at}""` : brief(at)
    return { path: at, section, message: `New field \`${shown}\`: not in the spec.` }
  })
  const more = names.length - notes.length
  const message = `${more} more new fields here that aren't in the spec.`
  return more > 0 ? [...notes, { path, section, message }] : notes
}

/** The schema of the value itself, if there is one. */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodNullable || schema instanceof z.ZodOptional
    ? unwrap(schema.unwrap())
    : schema
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string')
    return value.length > MOST_QUOTED
      ? `a string of ${counted(value.length, 'character')}`
      : `the string \`${value}\``
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return isJsonObject(value) ? 'an object' : 'nothing'
}

/** A longer text isn't quoted: its start could end within a secret. */
const MOST_QUOTED = 60

function brief(text: string): string {
  return text.length > MOST_QUOTED ? `(${counted(text.length, 'character')})` : text
}

function listed(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(', ')
}
