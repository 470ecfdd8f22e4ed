/**
 * How many deliveries are stored.
 *
 * The number is known without querying the database each time. With very many, the start doesn't wait for it: until it is counted it is an estimate, good enough to show,
 * but not to delete by: that waits for `counted`.
 */
export interface TotalDeps {
  /** The largest seq at the start. */
  readonly newest: number
  /** Their number, if already known; null: `newest` is the estimate. */
  readonly known: number | null
  /** Counts visible deliveries up to `newest`. */
  count(): Promise<number>
  /** The estimate was wrong. */
  onCorrected(): void
}

export function createTotal({ newest, known, count, onCorrected }: TotalDeps) {
  let total = known ?? newest
  /** The part of the total up to `newest`. */
  let older = total
  let moves = 0
  let counting: Promise<void> | null = known === null ? null : Promise.resolve()

  async function countOlder(): Promise<void> {
    for (;;) {
      const before = moves
      const counted = await count()
      // Deliveries hidden in the meantime may or may not be in that number.
      if (moves !== before) continue
      const isCorrected = counted !== older
      total += counted - older
      older = counted
      if (isCorrected) onCorrected()
      return
    }
  }

  return {
    now: () => total,
    /** The exact number. Rejects if it can't be counted; the next call tries again. */
    async counted() {
      counting ??= countOlder().catch((error: unknown) => {
        counting = null
        throw error
      })
      await counting
      return total
    },
    stored(stored: number) {
      total += stored
    },
    /** Runs a function that hides deliveries (`by` −1) or shows them again; returns their seqs. */
    async moving(by: 1 | -1, move: () => Promise<number[]>): Promise<number[]> {
      moves++
      const moved = await move()
      moves++
      total += by * moved.length
      older += by * moved.filter((seq) => seq <= newest).length
      return moved
    },
  }
}
