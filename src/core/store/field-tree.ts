import { DEEPEST_FIELD, pathText, ANY_ITEM, type PathStep } from '../../shared/body/json-path.ts'
import { isLater, MOST_PROFILED, MOST_WORDS } from '../../shared/drift/field-profile.ts'
import type { FieldProfile, Sighting, ValueKind } from '../../shared/drift/profile-schema.ts'

interface Counted {
  count: number
  last: Sighting
}

/** Letters with spaces and a few signs: names of states, not IDs, times or free text. */
const WORD = /^\p{L}[\p{L} _./-]{0,39}$/u

/** Longer names are data, not fields. */
const LONGEST_NAME = 200

function kindOf(value: unknown): ValueKind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value as ValueKind
}

function countIn<Key>(counts: Map<Key, Counted>, key: Key, sighting: Sighting): void {
  const entry = counts.get(key)
  if (entry === undefined) counts.set(key, { count: 1, last: sighting })
  else {
    entry.count++
    if (isLater(sighting, entry.last)) entry.last = sighting
  }
}

/** Field with its own fields or items, so that its path is written once, not per payload. */
class FieldNode {
  readonly steps: readonly PathStep[]
  readonly parent: string | null
  readonly names = new Map<string, FieldNode>()
  items: FieldNode | null = null
  readonly #kinds = new Map<ValueKind, Counted>()
  #words: Map<string, Counted> | null = new Map()
  #first: Sighting | null = null
  #last: Sighting | null = null

  constructor(steps: readonly PathStep[], parent: string | null) {
    this.steps = steps
    this.parent = parent
  }

  count(value: unknown, kind: ValueKind, sighting: Sighting): void {
    countIn(this.#kinds, kind, sighting)
    if (this.#first === null || isLater(this.#first, sighting)) this.#first = sighting
    if (this.#last === null || isLater(sighting, this.#last)) this.#last = sighting
    if (this.#words === null || (kind !== 'string' && kind !== 'boolean')) return
    const word = String(value)
    if (WORD.test(word)) countIn(this.#words, word, sighting)
    if (!WORD.test(word) || this.#words.size > MOST_WORDS) this.#words = null
  }

  profile(): FieldProfile | null {
    if (this.#first === null || this.#last === null) return null
    return {
      path: pathText(this.steps),
      parent: this.parent,
      first: this.#first,
      last: this.#last,
      kinds: Array.from(this.#kinds, ([kind, counted]) => ({ kind, ...counted })),
      words: this.#words && Array.from(this.#words, ([word, counted]) => ({ word, ...counted })),
    }
  }
}

/** Fields of one event's payloads. Deeper or more fields than limits allow aren't followed. */
export class FieldTree {
  deliveries = 0
  readonly #root = new FieldNode([], null)
  readonly #nodes = [this.#root]

  add(payload: unknown, sighting: Sighting): void {
    this.deliveries++
    this.#visit(this.#root, payload, sighting)
  }

  profiles(): FieldProfile[] {
    return this.#nodes.flatMap((node) => node.profile() ?? [])
  }

  #visit(node: FieldNode, value: unknown, sighting: Sighting): void {
    const kind = kindOf(value)
    node.count(value, kind, sighting)
    if (typeof value !== 'object' || value === null || node.steps.length >= DEEPEST_FIELD) return
    if (Array.isArray(value)) {
      if (value.length === 0) return
      node.items ??= this.#child([...node.steps, ANY_ITEM], null)
      if (node.items !== null) for (const item of value) this.#visit(node.items, item, sighting)
      return
    }
    for (const [name, member] of Object.entries(value)) {
      let child = node.names.get(name) ?? null
      if (child === null && name.length <= LONGEST_NAME) {
        child = this.#child([...node.steps, name], pathText(node.steps))
        if (child !== null) node.names.set(name, child)
      }
      if (child !== null) this.#visit(child, member, sighting)
    }
  }

  #child(steps: readonly PathStep[], parent: string | null): FieldNode | null {
    if (this.#nodes.length >= MOST_PROFILED) return null
    const node = new FieldNode(steps, parent)
    this.#nodes.push(node)
    return node
  }
}
