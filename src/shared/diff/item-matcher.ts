import { childOf, type JsonNode } from '../json/tree.ts'
import { longestRising, range, type Origins } from './alignment.ts'

/** Matches items of two JSON arrays, each at most once. */
export class ItemMatcher {
  readonly #left: JsonNode
  readonly #right: JsonNode
  /** Left index of each right item; null while unmatched. */
  readonly #origins: (number | null)[]
  readonly #unmatchedLeft: Set<number>

  constructor(left: JsonNode, right: JsonNode) {
    this.#left = left
    this.#right = right
    this.#origins = right.children.map(() => null)
    this.#unmatchedLeft = new Set(left.children.keys())
  }

  /** Matches by notation, by meaning, by `id`, then in order between the matches. */
  match(): Origins {
    this.#matchBy(({ notation }) => notation)
    this.#matchBy(({ value }) => value)
    this.#matchBy(idOf)
    this.#matchRemaining()
    return this.#origins
  }

  #matchBy(keyOf: (node: JsonNode) => unknown): void {
    const places = new Map<unknown, number[]>()
    for (const index of this.#unmatchedLeft) {
      const node = this.#left.children[index]
      const key = node === undefined ? null : keyOf(node)
      if (key === null) continue
      const indices = places.get(key)
      if (indices === undefined) places.set(key, [index])
      else indices.push(index)
    }
    for (const indices of places.values()) indices.reverse()
    this.#right.children.forEach((node, index) => {
      if (this.#origins[index] !== null) return
      const from = places.get(keyOf(node))?.pop()
      if (from !== undefined) this.#set(index, from)
    })
  }

  /** Matches other items of one kind in order, within each gap between items that stay. */
  #matchRemaining(): void {
    let leftFrom = 0
    let rightFrom = 0
    for (const rightTo of [...longestRising(this.#origins), this.#origins.length]) {
      const leftTo = this.#origins[rightTo] ?? this.#left.children.length
      const leftGap = range(leftFrom, leftTo).filter((index) => this.#unmatchedLeft.has(index))
      const rightGap = range(rightFrom, rightTo).filter((index) => this.#origins[index] === null)
      rightGap.slice(0, leftGap.length).forEach((index, position) => {
        const from = leftGap[position] ?? 0
        if (this.#left.children[from]?.kind === this.#right.children[index]?.kind)
          this.#set(index, from)
      })
      leftFrom = leftTo + 1
      rightFrom = rightTo + 1
    }
  }

  #set(rightIndex: number, leftIndex: number): void {
    this.#origins[rightIndex] = leftIndex
    this.#unmatchedLeft.delete(leftIndex)
  }
}

function idOf(node: JsonNode): string | null {
  const id = childOf(node, 'id')
  return id === null || id.children.length > 0 || id.kind === 'word' ? null : id.raw
}
