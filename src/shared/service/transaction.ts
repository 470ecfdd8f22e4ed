/** A transaction, the payload of the `transaction.*` events (section 2.6 of the interface). */
import { z } from 'zod'
import {
  countryCode,
  currencyCode,
  decimal,
  digits,
  flag,
  freeForm,
  freeFormOrNull,
  localTime,
  resource,
  resourceOrNull,
  shownText,
  text,
  textOrNull,
  timestamp,
  uuid,
  list,
  timestampOrNull,
} from './field.ts'

const offerShape = {
  qualified: flag(),
  id: uuid(),
  message: list(),
  qualificationDate: timestampOrNull(),
  cashback: decimal(),
  performanceFee: decimal(),
}

/** How a transaction qualified for an offer: the field `offer` of qualified events (section 2.7 of the interface). */
const offerQualificationSchema = resource('2.7', offerShape)
export type OfferQualification = z.infer<typeof offerQualificationSchema>

/** The offer of a transaction, or null (section 2.6). */
const offerQualificationOrNullSchema = resourceOrNull('2.7', offerShape)

const shape = {
  id: uuid(),
  accountId: uuid(),
  programId: uuid(),
  datetime: localTime(),
  created: timestamp(),
  updated: timestamp(),
  offer: offerQualificationOrNullSchema,
  approvalCode: text(),
  auth: flag(),
  authCode: text(),
  cardPresent: flag(),
  cleared: flag(),
  amount: decimal(),
  currency: currencyCode(),
  /** Null in the spec's examples; other values aren't shown, so any value is valid, but the field is required. */
  wallet: z.unknown().refine((value) => value !== undefined, { error: 'null or a value' }),
  /** Refund events only, and only if the original transaction was identified. */
  originalTransactionId: uuid().optional(),
  card: resource('2.6', {
    id: uuid(),
    firstNumbers: digits(6),
    lastNumbers: digits(4),
    scheme: shownText('visa', 'mastercard', 'amex'),
    metadata: freeForm().optional(),
  }),
  brand: resource('2.6', {
    id: uuid(),
    name: text(),
    logoURL: textOrNull(),
    metadata: freeFormOrNull(),
  }),
  location: resource('2.6', {
    id: uuid(),
    address: text(),
    city: text(),
    postcode: text(),
    countryCode: countryCode(),
    timezone: text(),
    geolocation: resourceOrNull('2.6', { latitude: decimal(), longitude: decimal() }),
    metadata: freeFormOrNull(),
  }),
  identifiers: resource('2.6', {
    MID: textOrNull(),
    mastercardAuthCode: textOrNull(),
    mastercardTransactionSequenceNumber: textOrNull(),
    mastercardRefNumber: textOrNull(),
    amexApprovalCode: textOrNull(),
    visaAuthCode: textOrNull(),
  }),
}

export const transactionSchema = resource('2.6', shape)
export type Transaction = z.infer<typeof transactionSchema>

/** The payload of a .qualified event: the same with an offer, which can't be null (section 6.1). */
export const qualifiedTransactionSchema = resource('2.6', {
  ...shape,
  offer: offerQualificationSchema,
})
