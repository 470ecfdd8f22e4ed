/** Numbers texts and pairs of numbers, equal ones alike; exact, unlike a hash. */
export class Interner {
  readonly #texts = new Map<string, number>()
  #next = 0
  // A hash table in flat arrays: a map of pairs costs several times as much.
  #slots = new PairSlots(16)
  #pairCount = 0

  readonly text = (text: string): number => {
    const number = this.#texts.get(text)
    if (number !== undefined) return number
    this.#texts.set(text, this.#next)
    return this.#next++
  }

  pair(first: number, second: number): number {
    const slot = this.#slots.find(first, second)
    const number = this.#slots.numbers[slot] ?? EMPTY
    if (number !== EMPTY) return number
    this.#slots.set(slot, first, second, this.#next)
    this.#pairCount++
    if (this.#pairCount * 2 >= this.#slots.size) this.#slots = this.#slots.doubled()
    return this.#next++
  }
}

const EMPTY = -1

/** Hash table with open addressing: a taken slot's successors are tried in order. */
class PairSlots {
  /** Power of two. */
  readonly size: number
  readonly numbers: Int32Array
  readonly #firsts: Int32Array
  readonly #seconds: Int32Array

  constructor(size: number) {
    this.size = size
    this.numbers = new Int32Array(size).fill(EMPTY)
    this.#firsts = new Int32Array(size)
    this.#seconds = new Int32Array(size)
  }

  /** Returns the slot of a pair, or an empty one. */
  find(first: number, second: number): number {
    const mask = this.size - 1
    // Odd constants of MurmurHash and xxHash spread the bits.
    let slot = (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 0
    slot = (slot ^ (slot >>> 15)) & mask
    while (
      this.numbers[slot] !== EMPTY &&
      (this.#firsts[slot] !== first || this.#seconds[slot] !== second)
    )
      slot = (slot + 1) & mask
    return slot
  }

  set(slot: number, first: number, second: number, number: number): void {
    this.#firsts[slot] = first
    this.#seconds[slot] = second
    this.numbers[slot] = number
  }

  doubled(): PairSlots {
    const larger = new PairSlots(this.size * 2)
    this.numbers.forEach((number, slot) => {
      if (number === EMPTY) return
      const first = this.#firsts[slot] ?? 0
      const second = this.#seconds[slot] ?? 0
      larger.set(larger.find(first, second), first, second, number)
    })
    return larger
  }
}
