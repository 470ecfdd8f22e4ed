/** A card, the payload of `card.linked`, and that of `card.failed` around it (section 2.5 of the interface). */
import type { z } from 'zod'
import { countryCode, digits, firstOfMonth, flag, integer, resource, shownText, text, timestamp, uuid } from './field.ts'

export const cardSchema = resource('2.5', {
  id: uuid(),
  accountId: uuid(),
  programId: uuid(),
  countryCode: countryCode(),
  created: timestamp(),
  updated: timestamp(),
  expDate: firstOfMonth(),
  expMonth: integer(),
  expYear: integer(),
  firstNumbers: digits(6),
  lastNumbers: digits(4),
  live: flag(),
  scheme: shownText('visa', 'mastercard'),
  type: shownText('visa', 'mastercard'),
})
export type Card = z.infer<typeof cardSchema>

export const cardFailedSchema = resource('2.5', { card: cardSchema, event: text(), message: text() })
