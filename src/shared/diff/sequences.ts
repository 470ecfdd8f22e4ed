/** Comparison of two sequences; items unique on both sides anchor the rest. */
import { createInterner } from './forms.ts'
import { longestRising } from './structure.ts'

export interface Run {
  readonly kind: 'same' | 'removed' | 'added'
  readonly left: number
  readonly right: number
  readonly count: number
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
  const intern = createInterner()
  const a = left.map(intern.text)
  const b = right.map(intern.text)
  const pairs: (readonly [number, number])[] = []
  const work: Block[] = [{ left: 0, leftEnd: a.length, right: 0, rightEnd: b.length }]
  for (let block = work.pop(); block !== undefined; block = work.pop()) {
    const inner = trim(a, b, block, pairs)
    if (inner.left === inner.leftEnd || inner.right === inner.rightEnd) continue
    const anchors = anchorsOf(a, b, inner)
    if (anchors.length > 0) {
      let { left: from, right: rightFrom } = inner
      for (const [i, j] of anchors) {
        work.push({ left: from, leftEnd: i, right: rightFrom, rightEnd: j })
        pairs.push([i, j])
        from = i + 1
        rightFrom = j + 1
      }
      work.push({ left: from, leftEnd: inner.leftEnd, right: rightFrom, rightEnd: inner.rightEnd })
    } else if ((inner.leftEnd - inner.left) * (inner.rightEnd - inner.right) <= MOST_CELLS)
      pairs.push(...commonPairs(a, b, inner))
  }
  return toRuns(
    pairs.toSorted(([i], [j]) => i - j),
    a.length,
    b.length,
  )
}

function trim(
  a: readonly number[],
  b: readonly number[],
  block: Block,
  pairs: (readonly [number, number])[],
): Block {
  let { left, leftEnd, right, rightEnd } = block
  while (left < leftEnd && right < rightEnd && a[left] === b[right]) pairs.push([left++, right++])
  while (left < leftEnd && right < rightEnd && a[leftEnd - 1] === b[rightEnd - 1])
    pairs.push([--leftEnd, --rightEnd])
  return { left, leftEnd, right, rightEnd }
}

/** Pairs items that occur once on each side, in equal order. */
function anchorsOf(
  a: readonly number[],
  b: readonly number[],
  { left, leftEnd, right, rightEnd }: Block,
): [number, number][] {
  const leftPlaces = uniquePlaces(a, left, leftEnd)
  const rightPlaces = uniquePlaces(b, right, rightEnd)
  const places: number[] = []
  const origins: number[] = []
  for (const [item, place] of rightPlaces) {
    const from = place === null ? null : (leftPlaces.get(item) ?? null)
    if (place === null || from === null) continue
    places.push(place)
    origins.push(from)
  }
  return longestRising(origins).map((index) => [origins[index] ?? 0, places[index] ?? 0])
}

/** Maps items to their position; null if repeated. */
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

function commonPairs(
  a: readonly number[],
  b: readonly number[],
  { left, leftEnd, right, rightEnd }: Block,
): [number, number][] {
  const height = leftEnd - left
  const width = rightEnd - right
  const lengths = new Uint32Array((height + 1) * (width + 1))
  for (let row = height - 1; row >= 0; row--)
    for (let column = width - 1; column >= 0; column--) {
      const at = row * (width + 1) + column
      lengths[at] =
        a[left + row] === b[right + column]
          ? (lengths[at + width + 2] ?? 0) + 1
          : Math.max(lengths[at + width + 1] ?? 0, lengths[at + 1] ?? 0)
    }
  const pairs: [number, number][] = []
  for (let row = 0, column = 0; row < height && column < width;) {
    const at = row * (width + 1) + column
    if (a[left + row] === b[right + column]) pairs.push([left + row++, right + column++])
    else if ((lengths[at + width + 1] ?? 0) >= (lengths[at + 1] ?? 0)) row++
    else column++
  }
  return pairs
}

function toRuns(
  pairs: readonly (readonly [number, number])[],
  leftEnd: number,
  rightEnd: number,
): Run[] {
  const runs: Run[] = []
  let left = 0
  let right = 0
  const add = (kind: Run['kind'], count: number) => {
    if (count === 0) return
    runs.push({ kind, left, right, count })
    if (kind !== 'added') left += count
    if (kind !== 'removed') right += count
  }
  for (let index = 0; index < pairs.length;) {
    const [i, j] = pairs[index] ?? [leftEnd, rightEnd]
    add('removed', i - left)
    add('added', j - right)
    let count = 0
    while (pairs[index + count]?.[0] === i + count && pairs[index + count]?.[1] === j + count)
      count++
    add('same', count)
    index += count
  }
  add('removed', leftEnd - left)
  add('added', rightEnd - right)
  return runs
}
