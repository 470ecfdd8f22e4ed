/** The fields of a payload object in the spec's order (spec 2). */
import { z } from 'zod'
import { isShownEventType } from '../service/event-type.ts'
import { payloadSchemas } from '../service/payload-schemas.ts'

/** Field names at `steps` of the event's payload; empty if the spec doesn't list them. */
export function fieldOrder(event: string | null, steps: readonly (string | number)[]): string[] {
  if (event === null || !isShownEventType(event)) return []
  let at: z.core.$ZodType = payloadSchemas[event]
  for (const step of steps) {
    const object = unwrap(at)
    if (!(object instanceof z.ZodObject) || typeof step !== 'string' || !Object.hasOwn(object.shape, step)) return []
    at = object.shape[step] as z.core.$ZodType
  }
  const object = unwrap(at)
  return object instanceof z.ZodObject ? Object.keys(object.shape) : []
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodNullable || schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema
}
