/**
 * Finds the service's objects that a payload names, so that the deliveries of one purchase can be linked (sections 2 and 6.3).
 * Pure.
 */
import type { LinkKind } from '../../shared/model/lifecycle.ts'
import { isJsonObject } from '../../shared/body/json-path.ts'

export interface ObjectLink {
  readonly kind: LinkKind
  readonly value: string
}

/** Ids of the service are UUIDs; anything longer isn't one. */
const LONGEST_ID = 100

type Place = readonly [LinkKind, ...string[]]

const places: Readonly<Record<string, readonly Place[]>> = {
  transaction: [
    ['purchase', 'id'],
    ['purchase', 'originalTransactionId'],
    ['card', 'card', 'id'],
    ['location', 'location', 'id'],
    ['brand', 'brand', 'id'],
    ['program', 'programId'],
    ['offer', 'offer', 'id'],
  ],
  location: [
    ['location', 'location', 'id'],
    ['brand', 'location', 'brandId'],
    ['program', 'location', 'programId'],
  ],
  'card.linked': [
    ['card', 'id'],
    ['program', 'programId'],
  ],
  'card.failed': [
    ['card', 'card', 'id'],
    ['program', 'card', 'programId'],
  ],
  brand: [['brand', 'id']],
  program: [['program', 'id']],
}

/** Links in a payload, by its event: the verified one, otherwise the first that its fields match. */
export function namedObjects(event: string, value: unknown): ObjectLink[] {
  const found = places[event] ?? places[event.split('.')[0] ?? ''] ?? []
  const seen = new Set<string>()
  return found.flatMap(([kind, ...path]): ObjectLink[] => {
    const id = path.reduce<unknown>((at, name) => (isJsonObject(at) ? at[name] : undefined), value)
    if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID || seen.has(kind + id))
      return []
    seen.add(kind + id)
    return [{ kind, value: id }]
  })
}
