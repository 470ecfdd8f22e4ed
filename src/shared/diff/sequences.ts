/**
 * Comparison of two sequences as a patience diff: items that occur once on each side, in equal
 * order, are anchors, and the blocks between them are compared likewise. A small block without
 * anchors is compared by its longest common subsequence.
 */
import { longestRising } from './alignment.ts'
import { Interner } from './interner.ts'

/** Adjacent items with one result, from a left and a right index on. */
export interface Run {
  readonly kind: 'same' | 'removed' | 'added'
  readonly left: number
  readonly right: number
  readonly count: number
}

/** Indices of an equal item. */
interface Pair {
  readonly left: number
  readonly right: number
}

/** Most cells (left × right) compared exactly; larger blocks without anchors count as replaced. */
const MOST_CELLS = 1_000_000

interface Block {
  readonly left: number
  readonly leftEnd: number
  readonly right: number
  readonly rightEnd: number
}

export function diffSequences(left: readonly string[], right: readonly string[]): Run[] {
  return new SequenceDiff(left, right).runs()
}

class SequenceDiff {
  /** Items as numbers, which compare faster than texts. */
  readonly #left: readonly number[]
  readonly #right: readonly number[]
  readonly #pairs: Pair[] = []

  constructor(left: readonly string[], right: readonly string[]) {
    const interner = new Interner()
    this.#left = left.map(interner.text)
    this.#right = right.map(interner.text)
  }

  runs(): Run[] {
    const leftEnd = this.#left.length
    const rightEnd = this.#right.length
    const blocks: Block[] = [{ left: 0, leftEnd, right: 0, rightEnd }]
    for (let block = blocks.pop(); block !== undefined; block = blocks.pop())
      blocks.push(...this.#compare(this.#trim(block)))
    return toRuns(
      this.#pairs.toSorted((one, other) => one.left - other.left),
      { left: leftEnd, right: rightEnd },
    )
  }

  /** Pairs equal items at both ends of a block; returns the rest. */
  #trim({ left, leftEnd, right, rightEnd }: Block): Block {
    const isEqual = (leftIndex: number, rightIndex: number) =>
      left < leftEnd && right < rightEnd && this.#left[leftIndex] === this.#right[rightIndex]
    while (isEqual(left, right)) this.#pairs.push({ left: left++, right: right++ })
    while (isEqual(leftEnd - 1, rightEnd - 1))
      this.#pairs.push({ left: --leftEnd, right: --rightEnd })
    return { left, leftEnd, right, rightEnd }
  }

  /** Pairs items of a block; returns the blocks that are left to compare. */
  #compare(block: Block): Block[] {
    const { leftEnd, rightEnd } = block
    const height = leftEnd - block.left
    const width = rightEnd - block.right
    if (height === 0 || width === 0) return []
    const anchors = this.#anchorsOf(block)
    if (anchors.length === 0) {
      if (height * width <= MOST_CELLS) this.#pairLongestCommon(block)
      return []
    }
    this.#pairs.push(...anchors)
    const starts = [
      block,
      ...anchors.map((anchor) => ({ left: anchor.left + 1, right: anchor.right + 1 })),
    ]
    const ends = [...anchors, { left: leftEnd, right: rightEnd }]
    return starts.map(({ left, right }, index) => {
      const end = ends[index]!
      return { left, leftEnd: end.left, right, rightEnd: end.right }
    })
  }

  #anchorsOf({ left, leftEnd, right, rightEnd }: Block): Pair[] {
    const leftPlaces = uniquePlaces(this.#left, left, leftEnd)
    const pairs: Pair[] = []
    for (const [item, rightPlace] of uniquePlaces(this.#right, right, rightEnd)) {
      const leftPlace = leftPlaces.get(item) ?? null
      if (leftPlace !== null && rightPlace !== null)
        pairs.push({ left: leftPlace, right: rightPlace })
    }
    return longestRising(pairs.map((pair) => pair.left)).map((index) => pairs[index]!)
  }

  /** Pairs the longest common subsequence, from a table of its length from each cell on. */
  #pairLongestCommon({ left, leftEnd, right, rightEnd }: Block): void {
    const height = leftEnd - left
    const width = rightEnd - right
    const lengths = new Uint32Array((height + 1) * (width + 1))
    const cellOf = (row: number, column: number) => row * (width + 1) + column
    const isEqual = (row: number, column: number) =>
      this.#left[left + row] === this.#right[right + column]
    for (let row = height - 1; row >= 0; row--)
      for (let column = width - 1; column >= 0; column--)
        lengths[cellOf(row, column)] = isEqual(row, column)
          ? (lengths[cellOf(row + 1, column + 1)] ?? 0) + 1
          : Math.max(lengths[cellOf(row + 1, column)] ?? 0, lengths[cellOf(row, column + 1)] ?? 0)
    for (let row = 0, column = 0; row < height && column < width;) {
      if (isEqual(row, column)) this.#pairs.push({ left: left + row++, right: right + column++ })
      else if ((lengths[cellOf(row + 1, column)] ?? 0) >= (lengths[cellOf(row, column + 1)] ?? 0))
        row++
      else column++
    }
  }
}

/** Maps items to their index; null if repeated. */
function uniquePlaces(
  items: readonly number[],
  from: number,
  to: number,
): Map<number, number | null> {
  const places = new Map<number, number | null>()
  for (let index = from; index < to; index++) {
    const item = items[index] ?? -1
    places.set(item, places.has(item) ? null : index)
  }
  return places
}

function toRuns(pairs: readonly Pair[], end: Pair): Run[] {
  const runs: Run[] = []
  let left = 0
  let right = 0
  const add = (kind: Run['kind'], count: number) => {
    if (count === 0) return
    runs.push({ kind, left, right, count })
    if (kind !== 'added') left += count
    if (kind !== 'removed') right += count
  }
  const addGap = (to: Pair) => {
    add('removed', to.left - left)
    add('added', to.right - right)
  }
  for (let index = 0; index < pairs.length;) {
    const first = pairs[index] ?? end
    addGap(first)
    let count = 0
    for (
      let pair = pairs[index];
      pair?.left === first.left + count && pair.right === first.right + count;
      pair = pairs[index + count]
    )
      count++
    add('same', count)
    index += count
  }
  addGap(end)
  return runs
}
