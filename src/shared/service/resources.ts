/**
 * The service's resources and the payloads made of them: programs, cards, brands and locations (sections 2.2 to 2.5 of the
 * interface).
 */
import type { z } from 'zod'
import {
  anything,
  countryCode,
  currencyCode,
  decimal,
  flag,
  list,
  resource,
  shownText,
  text,
  textOrNull,
  timestamp,
  timestampOrNull,
  uuid,
  address,
  digits,
  firstOfMonth,
  integer,
  freeForm,
  freeFormOrNull,
  localTime,
  resourceOrNull,
  timeZone,
} from './field.ts'

/** A program, the payload of `program.status` (section 2.3 of the interface). */
export const programSchema = resource('Program', '2.3', {
  id: uuid(),
  accountId: uuid(),
  active: flag(),
  activeDate: timestamp(),
  created: timestamp(),
  updated: timestamp(),
  live: flag(),
  name: text(),
  syncStats: resource('SyncStats', '2.3', {
    created: timestamp(),
    locations: integer(),
    estimatedEndDate: timestamp(),
    status: shownText('syncing'),
  }),
})
export type Program = z.infer<typeof programSchema>

/** The card schemes of the service (section 1). */
export const schemes = ['visa', 'mastercard', 'amex'] as const
export type Scheme = (typeof schemes)[number]

/** A card, the payload of `card.linked`, and that of `card.failed` around it (section 2.5 of the interface). */
export const cardSchema = resource('Card', '2.5', {
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

export const cardFailedSchema = resource('CardFailed', '2.5', {
  card: cardSchema,
  event: text(),
  message: text(),
})

/** A brand, the payload of `brand.consent` (section 2.2 of the interface). */
export const brandSchema = resource('Brand', '2.2', {
  id: uuid(),
  accountId: uuid(),
  consent: flag(),
  created: timestamp(),
  updated: timestamp(),
  live: flag(),
  name: text(),
  logoURL: address(),
})
export type Brand = z.infer<typeof brandSchema>

/** A card scheme's data about the location. */
const schemeState = resource('LocationScheme', '2.4', {
  status: shownText('active', 'inactive'),
  auth: flag(),
  clearing: flag(),
  authTransactionId: textOrNull(),
  clearingTransactionId: textOrNull(),
  estimatedActivationDate: timestampOrNull(),
})

export const locationSchema = resource('Location', '2.4', {
  id: uuid(),
  accountId: uuid(),
  brandId: uuid(),
  programId: uuid(),
  address: text(),
  city: text(),
  postcode: text(),
  countryCode: countryCode(),
  currency: currencyCode(),
  timezone: timeZone(),
  geolocation: resource('Geolocation', '2.4', { latitude: decimal(), longitude: decimal() }),
  live: flag(),
  preonboard: flag(),
  created: timestamp(),
  updated: timestamp(),
  activeDate: timestamp(),
  searchBy: resource('SearchBy', '2.4', {
    merchantIds: resource('MerchantIds', '2.4', { visa: list(), mastercard: list() }),
  }),
  mastercard: schemeState,
  visa: schemeState,
  amex: schemeState,
})
export type Location = z.infer<typeof locationSchema>

export const locationStatusSchema = resource('LocationStatus', '2.4', {
  location: locationSchema,
  scheme: shownText('visa', 'mastercard', 'amex'),
  status: shownText('location.active', 'location.failed'),
})
export type LocationStatus = z.infer<typeof locationStatusSchema>

// A transaction, the payload of the `transaction.*` events (section 2.6 of the interface).

const offerShape = {
  qualified: flag(),
  id: uuid(),
  message: list(),
  qualificationDate: timestampOrNull(),
  cashback: decimal(),
  performanceFee: decimal(),
}

/** How a transaction qualified for an offer: the field `offer` of qualified events (section 2.7 of the interface). */
const offerQualificationSchema = resource('OfferQualification', '2.7', offerShape)
export type OfferQualification = z.infer<typeof offerQualificationSchema>

/** The offer of a transaction, or null (section 2.6). */
const offerQualificationOrNullSchema = resourceOrNull('OfferQualification', '2.7', offerShape)

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
  wallet: anything(),
  /** Refund events only, and only if the original transaction was identified. */
  originalTransactionId: uuid().optional(),
  card: resource('TransactionCard', '2.6', {
    id: uuid(),
    firstNumbers: digits(6),
    lastNumbers: digits(4),
    scheme: shownText('visa', 'mastercard', 'amex'),
    metadata: freeForm().optional(),
  }),
  brand: resource('TransactionBrand', '2.6', {
    id: uuid(),
    name: text(),
    logoURL: textOrNull(),
    metadata: freeFormOrNull(),
  }),
  location: resource('TransactionLocation', '2.6', {
    id: uuid(),
    address: text(),
    city: text(),
    postcode: text(),
    countryCode: countryCode(),
    timezone: timeZone(),
    geolocation: resourceOrNull('Geolocation', '2.6', {
      latitude: decimal(),
      longitude: decimal(),
    }),
    metadata: freeFormOrNull(),
  }),
  identifiers: resource('TransactionIdentifiers', '2.6', {
    MID: textOrNull(),
    mastercardAuthCode: textOrNull(),
    mastercardTransactionSequenceNumber: textOrNull(),
    mastercardRefNumber: textOrNull(),
    amexApprovalCode: textOrNull(),
    visaAuthCode: textOrNull(),
  }),
}

export const transactionSchema = resource('Transaction', '2.6', shape)
export type Transaction = z.infer<typeof transactionSchema>

/** A refund: not simply a transaction, because only a refund may lack its offer (`observed.ts`). */
export const refundSchema = resource('Refund', '2.6', shape)

/** The payload of a .qualified event: the same with an offer, which can't be null (section 6.1). */
export const qualifiedTransactionSchema = resource('QualifiedTransaction', '2.6', {
  ...shape,
  offer: offerQualificationSchema,
})
