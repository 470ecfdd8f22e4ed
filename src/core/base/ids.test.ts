import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createIds } from './ids.ts'

describe('ids', () => {
  it('are unique, and sort in creation order, also within a millisecond', () => {
    let now = 1_795_233_000_000
    const ids = createIds({ now: () => now }, (count) => randomBytes(count))
    const made = Array.from({ length: 20_000 }, (_, index) => {
      if (index % 5_000 === 0) now++
      return ids.next()
    })
    expect(new Set(made).size).toBe(made.length)
    expect(made.toSorted()).toEqual(made)
  })

  it("don't go back with the clock", () => {
    let now = 1_795_233_000_000
    const ids = createIds({ now: () => now }, (count) => randomBytes(count))
    const before = ids.next()
    now -= 60_000
    expect(ids.next() > before).toBe(true)
  })
})
