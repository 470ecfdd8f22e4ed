/** Assigns equal numbers to equal texts, and to equal pairs of such numbers: exact, unlike a hash. */

export type Interner = ReturnType<typeof createInterner>

const EMPTY = -1

export function createInterner() {
  const texts = new Map<string, number>()
  let next = 0
  // A table of pairs in flat arrays with open addressing: a map of a hundred thousand pairs costs several times as much. It starts
  // small because most uses only number texts.
  let mask = 15
  let firsts = new Int32Array(mask + 1)
  let seconds = new Int32Array(mask + 1)
  let numbers = new Int32Array(mask + 1).fill(EMPTY)
  let filled = 0

  /** The slot of a pair, or the empty slot for it. */
  const slotOf = (first: number, second: number): number => {
    let slot = (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 0
    slot = (slot ^ (slot >>> 15)) & mask
    while (numbers[slot] !== EMPTY && (firsts[slot] !== first || seconds[slot] !== second))
      slot = (slot + 1) & mask
    return slot
  }
  const grow = () => {
    const old = { firsts, seconds, numbers }
    mask = mask * 2 + 1
    firsts = new Int32Array(mask + 1)
    seconds = new Int32Array(mask + 1)
    numbers = new Int32Array(mask + 1).fill(EMPTY)
    old.numbers.forEach((number, index) => {
      if (number === EMPTY) return
      const first = old.firsts[index] ?? 0
      const second = old.seconds[index] ?? 0
      const slot = slotOf(first, second)
      firsts[slot] = first
      seconds[slot] = second
      numbers[slot] = number
    })
  }

  return {
    text(text: string) {
      const found = texts.get(text)
      if (found !== undefined) return found
      texts.set(text, next)
      return next++
    },
    pair(first: number, second: number) {
      const slot = slotOf(first, second)
      const found = numbers[slot] ?? EMPTY
      if (found !== EMPTY) return found
      firsts[slot] = first
      seconds[slot] = second
      numbers[slot] = next
      filled++
      if (filled * 2 > mask) grow()
      return next++
    },
  }
}
