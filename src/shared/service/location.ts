/** A location, and the payload of `location.status` around it (section 2.4 of the interface). */
import type { z } from 'zod'
import {
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
} from './field.ts'

/** What one card scheme knows of the location. */
function schemeState() {
  return resource('2.4', {
    status: shownText('active', 'inactive'),
    auth: flag(),
    clearing: flag(),
    authTransactionId: textOrNull(),
    clearingTransactionId: textOrNull(),
    estimatedActivationDate: timestampOrNull(),
  })
}

export const locationSchema = resource('2.4', {
  id: uuid(),
  accountId: uuid(),
  brandId: uuid(),
  programId: uuid(),
  address: text(),
  city: text(),
  postcode: text(),
  countryCode: countryCode(),
  currency: currencyCode(),
  timezone: text(),
  geolocation: resource('2.4', { latitude: decimal(), longitude: decimal() }),
  live: flag(),
  preonboard: flag(),
  created: timestamp(),
  updated: timestamp(),
  activeDate: timestamp(),
  searchBy: resource('2.4', { merchantIds: resource('2.4', { visa: list(), mastercard: list() }) }),
  mastercard: schemeState(),
  visa: schemeState(),
  amex: schemeState(),
})
export type Location = z.infer<typeof locationSchema>

export const locationStatusSchema = resource('2.4', {
  location: locationSchema,
  scheme: shownText('visa', 'mastercard', 'amex'),
  status: shownText('location.active', 'location.failed'),
})
export type LocationStatus = z.infer<typeof locationStatusSchema>
