/** Deliveries that are worth comparing with one, and what is ignored in doing so. */
import { z } from 'zod'
import { volatileFieldsSchema } from '../diff/volatile.ts'
import { deliveryRowSchema } from './delivery.ts'

/** Why a delivery is worth comparing with: it is the one before, or an earlier event of the same purchase. */
export const comparisonReasonSchema = z.enum([
  'previous',
  'previous-attempt',
  'duplicated',
  'auth',
  'clearing',
  'original',
  'refund',
  'twin',
])

export const comparisonOfferSchema = z.object({
  reason: comparisonReasonSchema,
  /** What it is, as it reads behind "Compare with": `the auth of this clearing`. */
  name: z.string(),
  delivery: deliveryRowSchema,
})
export type ComparisonOffer = z.infer<typeof comparisonOfferSchema>

export const volatileListSchema = z.object({
  fields: volatileFieldsSchema,
  /** Whether the hook has a list of its own; else it is the usual one. */
  isOwn: z.boolean(),
})
export type VolatileList = z.infer<typeof volatileListSchema>
