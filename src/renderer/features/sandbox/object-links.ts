/** How the objects of the sandbox hang together: what an object names, and what names it. */
import type { SandboxObject, SandboxObjectKind } from '../../../shared/model/sandbox-object.ts'
import { valueAt } from './json-edit.ts'

interface Reference {
  readonly path: string
  readonly kind: SandboxObjectKind
  /** What the object that is named is to this one. */
  readonly name: string
  /** What this one is to the object that it names. */
  readonly back: string
}

const references: Readonly<Record<SandboxObjectKind, readonly Reference[]>> = {
  program: [],
  brand: [],
  location: [
    { path: 'brandId', kind: 'brand', name: 'Brand', back: 'Locations' },
    { path: 'programId', kind: 'program', name: 'Program', back: 'Locations' },
  ],
  card: [{ path: 'programId', kind: 'program', name: 'Program', back: 'Cards' }],
  offer: [{ path: 'programId', kind: 'program', name: 'Program', back: 'Offers' }],
  transaction: [
    { path: 'originalTransactionId', kind: 'transaction', name: 'Purchase that it refunds', back: 'Refunds' },
    { path: 'card.id', kind: 'card', name: 'Card', back: 'Transactions' },
    { path: 'location.id', kind: 'location', name: 'Location', back: 'Transactions' },
    { path: 'brand.id', kind: 'brand', name: 'Brand', back: 'Transactions' },
    { path: 'programId', kind: 'program', name: 'Program', back: 'Transactions' },
  ],
}

export interface Link {
  readonly name: string
  readonly id: string
  /** Null where the object named is not there: set by hand, or of another mode. */
  readonly object: SandboxObject | null
}

/** What the object names, in the order of `references`. */
export function linksOf({ kind, data }: Pick<SandboxObject, 'kind' | 'data'>, all: readonly SandboxObject[]): readonly Link[] {
  return references[kind].flatMap(({ path, kind: other, name }) => {
    const id = valueAt(data, path)
    if (typeof id !== 'string') return []
    return [{ name, id, object: all.find((object) => object.kind === other && object.id === id) ?? null }]
  })
}

export interface BackLinks {
  readonly name: string
  /** Newest first. */
  readonly objects: readonly SandboxObject[]
}

/** What names the object, by kind. */
export function backLinksOf(
  { kind, id }: Pick<SandboxObject, 'kind' | 'id'>,
  all: readonly SandboxObject[],
): readonly BackLinks[] {
  const groups = new Map<string, SandboxObject[]>()
  for (const object of all) {
    for (const { path, kind: other, back } of references[object.kind]) {
      if (other !== kind || valueAt(object.data, path) !== id) continue
      groups.set(back, [object, ...(groups.get(back) ?? [])])
    }
  }
  return [...groups].map(([name, objects]) => ({ name, objects }))
}
