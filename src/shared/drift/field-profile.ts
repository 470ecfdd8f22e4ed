/** Fields of events' payloads: which values they had, how often, and when. */
import type { EventProfile, FieldProfile, Profile, Sighting, ValueKind } from './profile-schema.ts'

/** Whether `one` is the later sighting; at the same time, the one with the larger ID. */
export function isLater(one: Sighting, other: Sighting): boolean {
  return one.at === other.at ? one.id > other.id : one.at > other.at
}

/** Words per field; more are free text. */
export const MOST_WORDS = 20

/** Fields per event, because clients add any to `metadata`. */
export const MOST_PROFILED = 2_000

export function profiledCount({ events }: Pick<Profile, 'events'>): number {
  return events.reduce((total, { deliveries }) => total + deliveries, 0)
}

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
