/** Objects that a payload names, by which deliveries are linked (section 2). */
import { isJsonObject } from '../../shared/body/json-path.ts'
import type { LinkKind } from '../../shared/model/lifecycle.ts'

export interface ObjectLink {
  readonly kind: LinkKind
  readonly value: string
}

export function namedObjects(event: string, payload: unknown): ObjectLink[] {
  const kinds = kindsByPath[event] ?? kindsByPath[event.split('.')[0] ?? ''] ?? {}
  const seen = new Set<string>()
  return Object.entries(kinds).flatMap(([path, kind]): ObjectLink[] => {
    const id = path
      .split('.')
      .reduce<unknown>((at, name) => (isJsonObject(at) ? at[name] : undefined), payload)
    if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH || seen.has(kind + id))
      return []
    seen.add(kind + id)
    return [{ kind, value: id }]
  })
}

const MAX_ID_LENGTH = 100

/** Kinds of objects by the path of their id, for an event or events that start with this word. */
const kindsByPath: Readonly<Record<string, Readonly<Record<string, LinkKind>>>> = {
  transaction: {
    id: 'purchase',
    originalTransactionId: 'purchase',
    'card.id': 'card',
    'location.id': 'location',
    'brand.id': 'brand',
    programId: 'program',
    'offer.id': 'offer',
  },
  location: {
    'location.id': 'location',
    'location.brandId': 'brand',
    'location.programId': 'program',
  },
  'card.linked': { id: 'card', programId: 'program' },
  'card.failed': { 'card.id': 'card', 'card.programId': 'program' },
  brand: { id: 'brand' },
  program: { id: 'program' },
}
