/** Payloads as JSON Schema (draft 2020-12), from the schemas that check deliveries. */
import { z } from 'zod'
import {
  eventMeaning,
  eventTypes,
  isShownEventType,
  shownEventTypes,
  type EventType,
} from '../../shared/service/event-type.ts'
import { fieldNotes } from '../../shared/service/field.ts'
import { observedIn, type ObservedMismatch } from '../../shared/service/observed.ts'
import { capitalized, listed } from '../../shared/text/english.ts'
import { payloadSchemas } from '../../shared/service/payload-schemas.ts'

export type JsonSchema = z.core.JSONSchema.BaseSchema

export interface ObjectSchema extends JsonSchema {
  readonly description: string
  properties: Record<string, JsonSchema>
  required: string[]
}

export interface PayloadSchema {
  /** Objects by name, referenced as `#/$defs/NAME`. */
  readonly definitions: Readonly<Record<string, ObjectSchema>>
  /** Payloads by event: a reference, unless the spec doesn't show it. */
  readonly events: Readonly<Record<EventType, JsonSchema & { readonly description: string }>>
}

const REFERENCE = '#/$defs/'

export function definitionName(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

export function payloadSchema(): PayloadSchema {
  const definitions: Record<string, ObjectSchema> = {}
  const events = Object.fromEntries(
    eventTypes.map((event) => [
      event,
      isShownEventType(event)
        ? {
            description: eventMeaning(event),
            ...withReferences(jsonSchemaOf(payloadSchemas[event]), definitions),
          }
        : { description: "The spec doesn't show this event's payload." },
    ]),
  ) as PayloadSchema['events']
  for (const event of shownEventTypes)
    for (const observed of observedIn(event)) allowObserved(observed, events[event], definitions)
  for (const [name, definition] of Object.entries(definitions)) {
    const matches = shownEventTypes.filter(
      (event) => definitionName(events[event].$ref ?? '') === name,
    )
    const subject =
      matches.length === 0 ? 'Part of a payload' : `Payload of ${listed(matches, 'and')}`
    definitions[name] = { ...definition, description: `${subject} (${definition.description}).` }
  }
  return { definitions, events }
}

/** Returns the schema with object names as titles. */
function jsonSchemaOf(schema: z.ZodObject): JsonSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const notes = fieldNotes.get(zodSchema)
      if (notes === undefined) return
      const { must, json = {}, name, section, shown } = notes
      if (json.pattern !== undefined || json.format !== undefined)
        jsonSchema.description = sentence(must.replace(/,? or null$/, ''))
      Object.assign(jsonSchema, json)
      if (shown !== undefined) jsonSchema.examples = [...shown]
      if (name !== undefined)
        Object.assign(jsonSchema, { title: name, description: `spec ${section}` })
    },
  })
}

function sentence(words: string): string {
  return `${capitalized(words)}.`
}

/** Moves objects to `definitions` and returns the rest with references. */
function withReferences(schema: JsonSchema, definitions: Record<string, ObjectSchema>): JsonSchema {
  const { title, anyOf, properties } = schema
  if (anyOf !== undefined)
    return { ...schema, anyOf: anyOf.map((one) => withReferences(one, definitions)) }
  if (title === undefined) return schema
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [
    name,
    withReferences(field as JsonSchema, definitions),
  ])
  const { title: _, $schema: __, ...rest } = schema
  definitions[title] = { ...rest, properties: Object.fromEntries(fields) } as ObjectSchema
  return { $ref: `${REFERENCE}${title}` }
}

/** Allows what test-mode accounts were seen to send. */
function allowObserved(
  { path, seen }: ObservedMismatch,
  payload: JsonSchema,
  definitions: Readonly<Record<string, ObjectSchema>>,
): void {
  const steps = path.split('.')
  const name = steps.pop() ?? ''
  const objectIn = ({ $ref = '' }: JsonSchema) => definitions[definitionName($ref)]
  const parent = steps.reduce(
    (object, step) => objectIn(object?.properties[step] ?? {}),
    objectIn(payload),
  )
  const field = parent?.properties[name]
  const note = `${seen === 'absent' ? 'Missing' : 'Null'} for some accounts in test mode.`
  // Events share definitions.
  if (parent === undefined || field === undefined || field.description?.endsWith(note) === true)
    return
  const { description, ...rest } = field
  parent.properties[name] = {
    ...(seen === 'absent' ? rest : { anyOf: [rest, { type: 'null' }] }),
    description: description === undefined ? note : `${description} ${note}`,
  }
  if (seen === 'absent') parent.required = parent.required.filter((one) => one !== name)
}
