/** Suggested deliveries to compare with, and the paths that a comparison ignores. */
import { z } from 'zod'
import { volatileFieldsSchema } from '../diff/rows.ts'
import { deliveryRowSchema } from './delivery.ts'

/** Why a delivery is suggested: it is the previous one, or an earlier event of the same purchase. */
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
  /** Completes the phrase "Compare with": `the auth of this clearing`. */
  name: z.string(),
  delivery: deliveryRowSchema,
})
export type ComparisonOffer = z.infer<typeof comparisonOfferSchema>

export const volatileListSchema = z.object({
  fields: volatileFieldsSchema,
  /** Whether the hook has its own list; otherwise the default list applies. */
  isOwn: z.boolean(),
})
export type VolatileList = z.infer<typeof volatileListSchema>
