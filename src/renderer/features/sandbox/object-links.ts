/** Links between objects: those that an object refers to, and those that refer to it. */
import type { SandboxObject, SandboxObjectKind } from '../../../shared/model/sandbox.ts'
import { valueAt } from './json-edit.ts'

interface Reference {
  readonly path: string
  readonly kind: SandboxObjectKind
  /** The role of the referenced object. */
  readonly name: string
  /** The role of this object for the one it refers to. */
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
    {
      path: 'originalTransactionId',
      kind: 'transaction',
      name: 'Refunded purchase',
      back: 'Refunds',
    },
    { path: 'card.id', kind: 'card', name: 'Card', back: 'Transactions' },
    { path: 'location.id', kind: 'location', name: 'Location', back: 'Transactions' },
    { path: 'brand.id', kind: 'brand', name: 'Brand', back: 'Transactions' },
    { path: 'programId', kind: 'program', name: 'Program', back: 'Transactions' },
  ],
}

interface Link {
  readonly name: string
  readonly id: string
  /** Referenced object; null if it does not exist in this mode. */
  readonly object: SandboxObject | null
}

/** Objects this one refers to, in the order of `references`. */
export function linksOf(
  { kind, data }: Pick<SandboxObject, 'kind' | 'data'>,
  all: readonly SandboxObject[],
): readonly Link[] {
  return references[kind].flatMap(({ path, kind: other, name }) => {
    const id = valueAt(data, path)
    if (typeof id !== 'string') return []
    return [
      { name, id, object: all.find((object) => object.kind === other && object.id === id) ?? null },
    ]
  })
}

export interface BackLinks {
  readonly name: string
  /** Newest first. */
  readonly objects: readonly SandboxObject[]
}

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
