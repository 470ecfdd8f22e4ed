/** Which resource is the payload of which event (section 6.1 of the interface), and the order of its fields. */
import { z } from 'zod'
import {
  brandSchema,
  locationStatusSchema,
  cardFailedSchema,
  cardSchema,
  programSchema,
  qualifiedTransactionSchema,
  transactionSchema,
} from './resources.ts'
import { type ShownEventType, isShownEventType } from './event-type.ts'
import { unwrap } from './field-check.ts'

export const payloadSchemas = {
  'brand.consent': brandSchema,
  'card.linked': cardSchema,
  'card.failed': cardFailedSchema,
  'program.status': programSchema,
  'location.status': locationStatusSchema,
  'transaction.auth': transactionSchema,
  'transaction.auth.qualified': qualifiedTransactionSchema,
  'transaction.clearing': transactionSchema,
  'transaction.clearing.qualified': qualifiedTransactionSchema,
  'transaction.refund': transactionSchema,
  'transaction.refund.qualified': qualifiedTransactionSchema,
} as const satisfies Record<ShownEventType, z.ZodObject>

/** Names at the top level of some event's payload. */
export const shownTopLevelKeys: ReadonlySet<string> = new Set(
  Object.values(payloadSchemas).flatMap((schema) => Object.keys(schema.shape)),
)

// The fields of a payload object in the spec's order (spec 2).

/** Field names at `steps` of the event's payload; empty if the spec doesn't list them. */
export function fieldOrder(event: string | null, steps: readonly (string | number)[]): string[] {
  if (event === null || !isShownEventType(event)) return []
  let at: z.core.$ZodType = payloadSchemas[event]
  for (const step of steps) {
    const object = unwrap(at)
    if (
      !(object instanceof z.ZodObject) ||
      typeof step !== 'string' ||
      !Object.hasOwn(object.shape, step)
    )
      return []
    at = object.shape[step] as z.core.$ZodType
  }
  const object = unwrap(at)
  return object instanceof z.ZodObject ? Object.keys(object.shape) : []
}
