/** Reproducible randomness: a failing test prints its seed, and `SEED=n` repeats the run. */

export interface SeededRandom {
  readonly seed: number
  integer(least: number, most: number): number
  pick<T>(items: readonly T[]): T
  bytes(count: number): Buffer
}

/** Returns the seed of this run: the environment's `SEED`, or a new one. */
export function chooseSeed(): number {
  const given = Number(process.env['SEED'] ?? Number.NaN)
  return Number.isSafeInteger(given) ? given : Math.floor(Math.random() * 0x7fff_ffff)
}

export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const integer = (least: number, most: number) => least + (next() % (most - least + 1))
  return {
    seed,
    integer,
    pick: (items) => {
      const item = items[integer(0, items.length - 1)]
      if (item === undefined) throw new Error('The list is empty.')
      return item
    },
    bytes(count) {
      const bytes = Buffer.allocUnsafe(count)
      for (let index = 0; index < count; index++) bytes[index] = next() >>> 11
      return bytes
    },
  }
}
