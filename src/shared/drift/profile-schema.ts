/** Schemas of profiles, in their own file because the store's threads start without zod. */
import { z } from 'zod'

/** Kinds of JSON values. */
export const VALUE_KINDS = ['string', 'number', 'boolean', 'object', 'array', 'null'] as const

const count = z.number().int().nonnegative()

/** Delivery, and its time of receipt in milliseconds since the epoch. */
const sightingSchema = z.object({ id: z.string(), at: z.number() })
export type Sighting = z.infer<typeof sightingSchema>

const fieldProfileSchema = z.object({
  /** Path as in searches, such as `items[].id`; `$` is the whole payload. */
  path: z.string(),
  /** Object that has the field; null for the payload and items, which can't be absent. */
  parent: z.string().nullable(),
  first: sightingSchema,
  last: sightingSchema,
  kinds: z.array(z.object({ kind: z.enum(VALUE_KINDS), count, last: sightingSchema })),
  /** All texts and booleans that the field had; null if they are many or free text. */
  words: z.array(z.object({ word: z.string(), count, last: sightingSchema })).nullable(),
})
export type FieldProfile = z.infer<typeof fieldProfileSchema>

const eventProfileSchema = z.object({
  event: z.string(),
  deliveries: count,
  fields: z.array(fieldProfileSchema),
})
export type EventProfile = z.infer<typeof eventProfileSchema>

export const profileSchema = z.object({
  events: z.array(eventProfileSchema),
  /** Deliveries without a known event or a readable JSON payload. */
  unread: count,
})
export type Profile = z.infer<typeof profileSchema>

export type ValueKind = (typeof VALUE_KINDS)[number]
