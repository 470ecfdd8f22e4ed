/** How a transaction qualified for an offer: the field `offer` of qualified events (section 2.7 of the interface). */
import type { z } from 'zod'
import { decimal, fieldNotes, flag, list, resource, timestampOrNull, uuid } from './field.ts'

export const offerQualificationSchema = resource('2.7', {
  qualified: flag(),
  id: uuid(),
  message: list(),
  qualificationDate: timestampOrNull(),
  cashback: decimal(),
  performanceFee: decimal(),
})
export type OfferQualification = z.infer<typeof offerQualificationSchema>

/** The same where no offer is a transaction's usual case (section 2.6). */
export const offerQualificationOrNullSchema = offerQualificationSchema.clone().register(fieldNotes, { section: '2.7' }).nullable()
