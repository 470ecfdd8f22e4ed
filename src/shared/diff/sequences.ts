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
  /** Blocks that are left to compare. */
  readonly #blocks: Block[] = []

  constructor(left: readonly string[], right: readonly string[]) {
    const interner = new Interner()
    this.#left = left.map(interner.text)
    this.#right = right.map(interner.text)
  }

  runs(): Run[] {
    const end = { left: this.#left.length, right: this.#right.length }
    this.#blocks.push({ left: 0, leftEnd: end.left, right: 0, rightEnd: end.right })
    for (let block = this.#blocks.pop(); block !== undefined; block = this.#blocks.pop())
      this.#compare(this.#trim(block))
    return toRuns(
      this.#pairs.toSorted((one, other) => one.left - other.left),
      end,
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

  /** Pairs items of a block, and leaves the blocks between its anchors for later. */
  #compare(block: Block): void {
    const { left, leftEnd, right, rightEnd } = block
    if (left === leftEnd || right === rightEnd) return
    const anchors = this.#anchorsOf(block)
    if (anchors.length === 0) {
      if ((leftEnd - left) * (rightEnd - right) <= MOST_CELLS) this.#pairLongestCommon(block)
      return
    }
    let from: Pair = block
    // One by one: a spread of so many arguments would exceed the stack.
    for (const anchor of anchors) {
      this.#pairs.push(anchor)
      this.#blocks.push({ ...from, leftEnd: anchor.left, rightEnd: anchor.right })
      from = { left: anchor.left + 1, right: anchor.right + 1 }
    }
    this.#blocks.push({ ...from, leftEnd, rightEnd })
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
    const rows = this.#left.slice(left, leftEnd)
    const columns = this.#right.slice(right, rightEnd)
    const below = columns.length + 1
    const lengths = new Uint32Array((rows.length + 1) * below)
    for (let row = rows.length - 1; row >= 0; row--)
      for (let column = columns.length - 1; column >= 0; column--) {
        const cell = row * below + column
        lengths[cell] =
          rows[row] === columns[column]
            ? (lengths[cell + below + 1] ?? 0) + 1
            : Math.max(lengths[cell + below] ?? 0, lengths[cell + 1] ?? 0)
      }
    for (let row = 0, column = 0; row < rows.length && column < columns.length;) {
      const cell = row * below + column
      if (rows[row] === columns[column])
        this.#pairs.push({ left: left + row++, right: right + column++ })
      else if ((lengths[cell + below] ?? 0) >= (lengths[cell + 1] ?? 0)) row++
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
