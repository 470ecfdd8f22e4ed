/** Resources of the service and the payloads made of them (sections 2.2 to 2.7). */
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

/** Payload of `program.status` (section 2.3). */
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

export const schemes = ['visa', 'mastercard', 'amex'] as const
export type Scheme = (typeof schemes)[number]

/** Payload of `card.linked` and part of `card.failed` (section 2.5). */
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

/** Payload of `brand.consent` (section 2.2). */
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

const offerShape = {
  qualified: flag(),
  id: uuid(),
  message: list(),
  qualificationDate: timestampOrNull(),
  cashback: decimal(),
  performanceFee: decimal(),
}

/** Field `offer` of qualified events (section 2.7). */
const offerQualificationSchema = resource('OfferQualification', '2.7', offerShape)
export type OfferQualification = z.infer<typeof offerQualificationSchema>

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
  /** Any value, since the spec shows only null. */
  wallet: anything(),
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

/** Refund, because only refunds may lack an offer (`observed.ts`). */
export const refundSchema = resource('Refund', '2.6', shape)

/** Transaction with an offer (section 6.1). */
export const qualifiedTransactionSchema = resource('QualifiedTransaction', '2.6', {
  ...shape,
  offer: offerQualificationSchema,
})
