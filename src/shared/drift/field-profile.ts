/** Fields of events' payloads: which values they had, how often, and when. */
import { z } from 'zod'

export const VALUE_KINDS = ['string', 'number', 'boolean', 'object', 'array', 'null'] as const
export type ValueKind = (typeof VALUE_KINDS)[number]

const count = z.number().int().nonnegative()

/** Delivery, and its time of receipt in milliseconds since the epoch. */
const sightingSchema = z.object({ id: z.string(), at: z.number() })
export type Sighting = z.infer<typeof sightingSchema>

/** Whether `one` is the later sighting; at the same time, the one with the larger ID. */
export function isLater(one: Sighting, other: Sighting): boolean {
  return one.at === other.at ? one.id > other.id : one.at > other.at
}

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

/** Words per field; more are free text. */
export const MOST_WORDS = 20

/** Fields per event, because clients add any to `metadata`. */
export const MOST_PROFILED = 2_000

export function kindCount({ kinds }: FieldProfile, kind: ValueKind): number {
  return kinds.find((one) => one.kind === kind)?.count ?? 0
}

/** Counts how often a field was present, with any value. */
export function presentCount({ kinds }: FieldProfile): number {
  return kinds.reduce((total, one) => total + one.count, 0)
}

/** Counts the objects that could have a field; null if it can't be absent. */
export function parentCount(event: EventProfile, { parent }: FieldProfile): number | null {
  if (parent === null) return null
  const holder = event.fields.find(({ path }) => path === parent)
  return holder === undefined ? 0 : kindCount(holder, 'object')
}
