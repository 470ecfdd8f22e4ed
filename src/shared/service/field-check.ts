/** Comparison of a value with a resource's schema. */
import { z } from 'zod'
import { isJsonObject } from '../body/json-path.ts'
import { fieldNotes } from './field.ts'
import type { ObservedMismatch } from './observed.ts'
import type { Section } from './hook-finding.ts'
import type { SchemaOutcome } from '../model/delivery.ts'
import { counted } from '../text/english.ts'

/** Finding with its place in the payload; empty for the whole. */
export interface PayloadNote {
  readonly path: string
  readonly message: string
  readonly section: Section
}

export interface PayloadCheck {
  readonly outcome: SchemaOutcome
  readonly failures: readonly PayloadNote[]
  readonly findings: readonly PayloadNote[]
}

/** New fields listed by name; the others are counted. */
const MOST_NEW_FIELDS = 50

interface Place {
  readonly path: string
  readonly section: Section
}

interface Report {
  failure(value: unknown, must: string, place: Place): void
  observed?(mismatch: ObservedMismatch): void
  shown?(value: string, values: readonly string[], place: Place): void
  /** `place`: the object, with the section that lists its fields. */
  unknown?(names: readonly string[], place: Place): void
}

type Walk = (value: unknown, report: Report) => void

/**
 * Compiles a check, so that nothing is looked up while a delivery waits for its acknowledgement.
 * @param observed mismatches that are findings
 */
export function createCheck(schema: z.ZodObject, observed: readonly ObservedMismatch[]) {
  const walk = walkOf(schema, observed, { path: '', section: '2' })
  return {
    count(value: unknown): number {
      let failures = 0
      walk(value, { failure: () => failures++ })
      return failures
    },
    check(value: unknown): { failures: PayloadNote[]; findings: PayloadNote[] } {
      const failures: PayloadNote[] = []
      const observedNotes: PayloadNote[] = []
      const findings: PayloadNote[] = []
      walk(value, {
        failure: (actual, must, place) => failures.push(failureNote(actual, must, place)),
        observed: ({ path, section, seen, spec }) =>
          observedNotes.push({
            path,
            section,
            message: `\`${path}\`: ${seen} here; the spec says ${spec}.`,
          }),
        shown(actual, values, { path, section }) {
          const message = `\`${path}\` is \`${brief(actual)}\`; the spec shows ${listed(values)}.`
          if (!values.includes(actual)) findings.push({ path, section, message })
        },
        unknown: (names, place) => findings.push(...newFields(names, place)),
      })
      return { failures, findings: [...observedNotes, ...findings] }
    },
  }
}

function walkOf(
  schema: z.core.$ZodType,
  observed: readonly ObservedMismatch[],
  place: Place,
): Walk {
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
  const mismatchOf = (seen: ObservedMismatch['seen']) =>
    observed.find((mismatch) => mismatch.path === place.path && mismatch.seen === seen)
  const [absent, asNull] = [mismatchOf('absent'), mismatchOf('null')]
  const inside = schema instanceof z.ZodObject ? membersOf(schema, observed, place) : undefined
  return (value, report) => {
    const mismatch = value === undefined ? absent : value === null ? asNull : undefined
    if (mismatch !== undefined) report.observed?.(mismatch)
    else if (!fits(value)) report.failure(value, must, place)
    else if (inside !== undefined) inside(value as Readonly<Record<string, unknown>>, report)
    else if (shown !== undefined) report.shown?.(value as string, shown, place)
  }
}

function membersOf(
  schema: z.ZodObject,
  observed: readonly ObservedMismatch[],
  { path, section }: Place,
) {
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

function failureNote(value: unknown, must: string, { path, section }: Place): PayloadNote {
  const message =
    path === ''
      ? `The body must be ${must}, not ${kindOf(value)}.`
      : value === undefined
        ? `Missing required field \`${path}\` (${must}).`
        : `\`${path}\` must be ${must}, not ${kindOf(value)}.`
  return { path, section, message }
}

function newFields(names: readonly string[], { path, section }: Place): PayloadNote[] {
  const notes = names.slice(0, MOST_NEW_FIELDS).map((name): PayloadNote => {
    const at = path === '' ? name : `${path}.${name}`
    const shown = name === '' ? `${at}""` : brief(at)
    return { path: at, section, message: `New field \`${shown}\`: not in the spec.` }
  })
  const furtherCount = names.length - notes.length
  const message = `${furtherCount} more new fields here that aren't in the spec.`
  return furtherCount > 0 ? [...notes, { path, section, message }] : notes
}

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

/** Longest quoted text; a longer one isn't cut, because its start could be a part of a secret. */
const MOST_QUOTED = 60

function brief(text: string): string {
  return text.length > MOST_QUOTED ? `(${counted(text.length, 'character')})` : text
}

function listed(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(', ')
}
