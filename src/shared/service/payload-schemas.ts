/** Which resource is the payload of which event (section 6.1 of the interface). */
import type { z } from 'zod'
import { brandSchema } from './brand.ts'
import { cardFailedSchema, cardSchema } from './card.ts'
import type { ShownEventType } from './event-type.ts'
import { locationStatusSchema } from './location.ts'
import { programSchema } from './program.ts'
import { qualifiedTransactionSchema, transactionSchema } from './transaction.ts'

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

/** Names that stand at the top of some event's payload. */
export const shownTopLevelKeys: ReadonlySet<string> = new Set(
  Object.values(payloadSchemas).flatMap((schema) => Object.keys(schema.shape)),
)
