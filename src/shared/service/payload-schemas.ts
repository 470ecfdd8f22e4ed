/** Payload resource of each event (section 6.1), and the order of its fields. */
import { z } from 'zod'
import {
  brandSchema,
  locationStatusSchema,
  cardFailedSchema,
  cardSchema,
  programSchema,
  qualifiedTransactionSchema,
  refundSchema,
  transactionSchema,
} from './resources.ts'
import { type ShownEventType, isShownEventType, shownEventTypes } from './event-type.ts'
import { fieldNotes } from './field.ts'
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
  'transaction.refund': refundSchema,
  'transaction.refund.qualified': qualifiedTransactionSchema,
} as const satisfies Record<ShownEventType, z.ZodObject>

export const shownTopLevelKeys: ReadonlySet<string> = new Set(
  Object.values(payloadSchemas).flatMap((schema) => Object.keys(schema.shape)),
)

/** Returns the schema at `steps` of a payload, if the spec lists it. */
function schemaAt(
  event: ShownEventType,
  steps: readonly (string | number)[],
): z.core.$ZodType | null {
  let at: z.core.$ZodType = payloadSchemas[event]
  for (const step of steps) {
    if (!(at instanceof z.ZodObject) || typeof step !== 'string' || !Object.hasOwn(at.shape, step))
      return null
    at = unwrap(at.shape[step] as z.core.$ZodType)
  }
  return at
}

/** Returns the field names at `steps`, in the spec's order (section 2). */
export function fieldOrder(event: string | null, steps: readonly (string | number)[]): string[] {
  const object = event !== null && isShownEventType(event) ? schemaAt(event, steps) : null
  return object instanceof z.ZodObject ? Object.keys(object.shape) : []
}

/** Whether some event's payload has a number at `steps`. */
export function isNumberField(steps: readonly (string | number)[]): boolean {
  return shownEventTypes.some((event) => {
    const schema = schemaAt(event, steps)
    const type = schema === null ? undefined : fieldNotes.get(schema)?.json?.type
    return type === 'number' || type === 'integer'
  })
}
