/**
 * Comparison of two JSON documents. Items are matched by content, then by `id`; the longest
 * unchanged sequence stays. No step exceeds n log n.
 */
import { childOf, type JsonNode } from '../json/tree.ts'

export type Delta =
  /** `isForm`: equal meaning in another notation. */
  | {
      readonly kind: 'replaced'
      readonly left: JsonNode
      readonly right: JsonNode
      readonly isForm: boolean
    }
  | {
      readonly kind: 'children'
      readonly left: JsonNode
      readonly right: JsonNode
      readonly entries: readonly Entry[]
      readonly removed: readonly number[]
    }

export interface Entry {
  /** Index on the left side; null if new. */
  readonly from: number | null
  readonly isMoved: boolean
  readonly delta: Delta | null
}

/** Depth below which parts count as replaced, because the stack is limited. */
const DEEPEST = 400

const namesOf = ({ children }: JsonNode) => children.map(({ name }) => name ?? '')

/** Compares two nodes from the same `createNumberedReader`. */
export function diffNodes(left: JsonNode, right: JsonNode): Delta | null {
  if (left.form === right.form) return null
  if (left.kind !== right.kind || !left.isContainer || left.depth >= DEEPEST)
    return { kind: 'replaced', left, right, isForm: left.value === right.value }
  const { places, removed } = alignmentOf(
    left.children.length,
    left.kind === 'object' ? matchNames(namesOf(left), namesOf(right)) : matchItems(left, right),
  )
  const entries = places.map(({ from, isMoved }, index): Entry => {
    const child = right.children[index]
    const before = from === null ? undefined : left.children[from]
    const delta = before === undefined || child === undefined ? null : diffNodes(before, child)
    return { from, isMoved, delta }
  })
  return { kind: 'children', left, right, entries, removed }
}

/** Maps each right name to its left index, duplicates in order. */
export function matchNames(
  left: readonly string[],
  right: readonly string[],
): readonly (number | null)[] {
  const places = Map.groupBy(left.keys().toArray().reverse(), (index) => left[index])
  return right.map((name) => places.get(name)?.pop() ?? null)
}

/** Marks moved values of the right side, and lists removed indices of the left. */
export function alignmentOf(leftCount: number, origins: readonly (number | null)[]) {
  const stayed = new Set(longestRising(origins))
  const used = new Set(origins)
  return {
    places: origins.map((from, index) => ({ from, isMoved: from !== null && !stayed.has(index) })),
    removed: range(0, leftCount).filter((index) => !used.has(index)),
  }
}

function matchItems(left: JsonNode, right: JsonNode): readonly (number | null)[] {
  const origins: (number | null)[] = right.children.map(() => null)
  const free = new Set(left.children.keys())
  const pairUp = (keyOf: (node: JsonNode) => unknown) => {
    const places = new Map<unknown, number[]>()
    for (const index of free) {
      const node = left.children[index]
      const key = node === undefined ? null : keyOf(node)
      if (key === null) continue
      const indices = places.get(key)
      if (indices === undefined) places.set(key, [index])
      else indices.push(index)
    }
    for (const indices of places.values()) indices.reverse()
    right.children.forEach((node, index) => {
      if (origins[index] !== null) return
      const from = places.get(keyOf(node))?.pop()
      if (from === undefined) return
      origins[index] = from
      free.delete(from)
    })
  }
  pairUp(({ form }) => form)
  pairUp(({ value }) => value)
  pairUp(identity)
  pairNeighbours(left, right, origins, free)
  return origins
}

function identity(node: JsonNode): string | null {
  const id = childOf(node, 'id')
  return id === null || id.children.length > 0 || id.kind === 'word' ? null : id.raw
}

function pairNeighbours(
  left: JsonNode,
  right: JsonNode,
  origins: (number | null)[],
  free: Set<number>,
): void {
  const fixed = longestRising(origins)
  let leftFrom = 0
  let rightFrom = 0
  for (const place of [...fixed, origins.length]) {
    const leftTo = origins[place] ?? left.children.length
    const leftOpen = range(leftFrom, leftTo).filter((index) => free.has(index))
    const rightOpen = range(rightFrom, place).filter((index) => origins[index] === null)
    let next = 0
    for (const index of rightOpen) {
      const from = leftOpen[next]
      if (from === undefined) break
      next++
      if (left.children[from]?.kind !== right.children[index]?.kind) continue
      origins[index] = from
      free.delete(from)
    }
    leftFrom = leftTo + 1
    rightFrom = place + 1
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset)
}

/** Returns the indices of the longest increasing subsequence. */
export function longestRising(values: readonly (number | null)[]): number[] {
  /** Index of the smallest last value, by length. */
  const ends: number[] = []
  const before: number[] = []
  values.forEach((value, index) => {
    if (value === null) return
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((values[ends[middle] ?? 0] ?? 0) < value) low = middle + 1
      else high = middle
    }
    before[index] = low === 0 ? -1 : (ends[low - 1] ?? -1)
    ends[low] = index
  })
  const chosen: number[] = []
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) chosen.push(index)
  return chosen.reverse()
}
