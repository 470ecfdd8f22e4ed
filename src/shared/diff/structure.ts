/**
 * Comparison of two JSON documents: fields are matched by name, items by content and `id`; the
 * longest sequence in the left order stays. No step exceeds n log n.
 */
import type { JsonNode } from '../json/tree.ts'
import { alignItems, matchNames } from './alignment.ts'
import { ItemMatcher } from './item-matcher.ts'

/** Difference of two values. `isSameValue`: only the notation differs. */
export type Delta =
  | {
      readonly kind: 'replaced'
      readonly left: JsonNode
      readonly right: JsonNode
      readonly isSameValue: boolean
    }
  | {
      readonly kind: 'children'
      readonly left: JsonNode
      readonly right: JsonNode
      /** Results by right child. */
      readonly entries: readonly Entry[]
      /** Left indices. */
      readonly removed: readonly number[]
    }

export interface Entry {
  /** Index on the left side; null if new. */
  readonly from: number | null
  readonly isMoved: boolean
  readonly delta: Delta | null
}

/** Depth from which parts count as replaced, because the stack is limited. */
const DEEPEST = 400

const namesOf = ({ children }: JsonNode) => children.map(({ name }) => name ?? '')

/** Compares two nodes from the same `createNumberedReader`. */
export function diffNodes(left: JsonNode, right: JsonNode): Delta | null {
  if (left.notation === right.notation) return null
  if (left.kind !== right.kind || !left.isContainer || left.depth >= DEEPEST)
    return { kind: 'replaced', left, right, isSameValue: left.value === right.value }
  const origins =
    left.kind === 'object'
      ? matchNames(namesOf(left), namesOf(right))
      : new ItemMatcher(left, right).match()
  const { places, removed } = alignItems(left.children.length, origins)
  const entries = places.map(({ from, isMoved }, index): Entry => {
    const child = right.children[index]
    const before = from === null ? undefined : left.children[from]
    const delta = before === undefined || child === undefined ? null : diffNodes(before, child)
    return { from, isMoved, delta }
  })
  return { kind: 'children', left, right, entries, removed }
}
