/** Suggested deliveries to compare with, and the paths that a comparison ignores. */
import { z } from 'zod'
import { volatileFieldsSchema } from '../diff/volatile-fields.ts'
import { deliveryRowSchema } from './delivery.ts'

export const comparisonReasonSchema = z.enum([
  'previous',
  'previous-attempt',
  'duplicated',
  'auth',
  'clearing',
  'original',
  'refund',
  'qualified',
])

export const comparisonOfferSchema = z.object({
  reason: comparisonReasonSchema,
  /** Text that completes "Compare with": `the auth of this clearing`. */
  name: z.string(),
  delivery: deliveryRowSchema,
})
export type ComparisonOffer = z.infer<typeof comparisonOfferSchema>

export const volatileListSchema = z.object({
  fields: volatileFieldsSchema,
  isOwn: z.boolean(),
})
export type VolatileList = z.infer<typeof volatileListSchema>
