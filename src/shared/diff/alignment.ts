/** Alignment of a right list with a left one: which items stay, move, are new or removed. */

/** Left index of each right item; null if new. */
export type Origins = readonly (number | null)[]

/** Maps each right name to its left index, duplicates in order. */
export function matchNames(left: readonly string[], right: readonly string[]): Origins {
  const places = Map.groupBy(left.keys().toArray().reverse(), (index) => left[index])
  return right.map((name) => places.get(name)?.pop() ?? null)
}

/** Marks right items outside of the longest sequence in left order as moved. */
export function alignItems(leftCount: number, origins: Origins) {
  const stayed = new Set(longestRising(origins))
  const used = new Set(origins)
  return {
    places: origins.map((from, index) => ({ from, isMoved: from !== null && !stayed.has(index) })),
    /** Left indices. */
    removed: range(0, leftCount).filter((index) => !used.has(index)),
  }
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset)
}

/**
 * Returns the indices of the longest increasing subsequence, by patience sorting: for each length,
 * the smallest last value is known, so a binary search finds the sequence that a value extends.
 */
export function longestRising(values: Origins): number[] {
  /** Index of the smallest last value, by length. */
  const ends: number[] = []
  /** Index before each value in its sequence; -1 for none. */
  const previous: number[] = []
  values.forEach((value, index) => {
    if (value === null) return
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((values[ends[middle] ?? 0] ?? 0) < value) low = middle + 1
      else high = middle
    }
    previous[index] = low === 0 ? -1 : (ends[low - 1] ?? -1)
    ends[low] = index
  })
  const indices: number[] = []
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) indices.push(index)
  return indices.reverse()
}
