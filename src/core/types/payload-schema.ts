/**
 * The payloads of the service's events as JSON Schema (draft 2020-12), from the schemas that check deliveries. It
 * also allows new fields, and what accounts in test mode have been seen to send.
 */
import { z } from 'zod'
import {
  eventMeaning,
  eventTypes,
  isShownEventType,
  shownEventTypes,
  type EventType,
} from '../../shared/service/event-type.ts'
import { fieldNotes } from '../../shared/service/field.ts'
import { observedIn, type Observed } from '../../shared/service/observed.ts'
import { capitalized, listed } from '../../shared/text/counted.ts'
import { payloadSchemas } from '../../shared/service/payload-schemas.ts'

export type JsonSchema = z.core.JSONSchema.BaseSchema

export interface ObjectSchema extends JsonSchema {
  readonly description: string
  properties: Record<string, JsonSchema>
  required: string[]
}

export interface PayloadSchema {
  /** The objects by name, each after those that it contains. Their fields refer to others as `#/$defs/NAME`. */
  readonly definitions: Readonly<Record<string, ObjectSchema>>
  /** The payload of each event: a reference, unless the spec doesn't show it. The description is of the event. */
  readonly events: Readonly<Record<EventType, JsonSchema & { readonly description: string }>>
}

const REFERENCE = '#/$defs/'

export function nameIn(reference: string): string {
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
            ...named(jsonSchemaOf(payloadSchemas[event]), definitions),
          }
        : { description: "The spec doesn't show this event's payload." },
    ]),
  ) as PayloadSchema['events']
  for (const event of shownEventTypes)
    for (const observed of observedIn(event)) allow(observed, events[event], definitions)
  for (const [name, definition] of Object.entries(definitions)) {
    const its = shownEventTypes.filter((event) => nameIn(events[event].$ref ?? '') === name)
    const what = its.length === 0 ? 'Part of a payload' : `Payload of ${listed(its, 'and')}`
    definitions[name] = { ...definition, description: `${what} (${definition.description}).` }
  }
  return { definitions, events }
}

/** The schema with the name of each object as its title. */
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

/** The schema with its objects moved to `definitions` and replaced by references. */
function named(schema: JsonSchema, definitions: Record<string, ObjectSchema>): JsonSchema {
  const { title, anyOf, properties } = schema
  if (anyOf !== undefined) return { ...schema, anyOf: anyOf.map((one) => named(one, definitions)) }
  if (title === undefined) return schema
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [
    name,
    named(field as JsonSchema, definitions),
  ])
  const { title: _, $schema: __, ...rest } = schema
  definitions[title] = { ...rest, properties: Object.fromEntries(fields) } as ObjectSchema
  return { $ref: `${REFERENCE}${title}` }
}

/** Changes the definition of a field to allow what accounts in test mode have been seen to send. */
function allow(
  { path, seen }: Observed,
  payload: JsonSchema,
  definitions: Readonly<Record<string, ObjectSchema>>,
): void {
  const steps = path.split('.')
  const name = steps.pop() ?? ''
  const objectIn = ({ $ref = '' }: JsonSchema) => definitions[nameIn($ref)]
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
