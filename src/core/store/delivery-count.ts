/** Number of stored deliveries, kept in memory. */

interface CountDeps {
  readonly newest: number
  /** Number at the start; null takes `newest` as an estimate. */
  readonly initialCount: number | null
  count(): Promise<number>
}

/** Creates the count of deliveries, an estimate at first if there are very many. */
export function createDeliveryCount({ newest, initialCount, count }: CountDeps) {
  let total = initialCount ?? newest
  /** Deliveries of the total with a seq up to `newest`. */
  let older = total
  let moves = 0
  let counting: Promise<void> | null = initialCount === null ? null : Promise.resolve()

  async function countOlder(): Promise<void> {
    for (;;) {
      const before = moves
      const counted = await count()
      // Deliveries hidden meanwhile may or may not be counted.
      if (moves !== before) continue
      total += counted - older
      older = counted
      return
    }
  }

  return {
    now: () => total,
    /** Resolves with the exact number. Rejects if it can't be counted. */
    async counted() {
      counting ??= countOlder().catch((error: unknown) => {
        counting = null
        throw error
      })
      await counting
      return total
    },
    stored(added: number) {
      total += added
    },
    /** Runs a function that hides deliveries (`by` −1) or shows them. */
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
