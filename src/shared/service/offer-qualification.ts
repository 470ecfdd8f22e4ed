/** How a transaction qualified for an offer: the field `offer` of qualified events (section 2.7 of the interface). */
import type { z } from 'zod'
import { decimal, flag, list, resource, resourceOrNull, timestampOrNull, uuid } from './field.ts'

const shape = {
  qualified: flag(),
  id: uuid(),
  message: list(),
  qualificationDate: timestampOrNull(),
  cashback: decimal(),
  performanceFee: decimal(),
}

export const offerQualificationSchema = resource('2.7', shape)
export type OfferQualification = z.infer<typeof offerQualificationSchema>

/** The offer of a transaction, null when there is none (section 2.6). */
export const offerQualificationOrNullSchema = resourceOrNull('2.7', shape)
