/** Number of stored deliveries, kept in memory. */

interface CountDeps {
  /** Largest seq at the start. */
  readonly newest: number
  /** Number of deliveries at the start; null takes `newest` as an estimate. */
  readonly initialCount: number | null
  /** Counts the deliveries up to `newest`. */
  count(): Promise<number>
}

/** Creates the count of deliveries, an estimate at first if there are very many. */
export function createDeliveryCount({ newest, initialCount, count }: CountDeps) {
  let total = initialCount ?? newest
  /** Deliveries of the total with a seq up to `newest`. */
  let older = total
  let changes = 0
  let counting: Promise<void> | null = initialCount === null ? null : Promise.resolve()

  async function countOlder(): Promise<void> {
    for (;;) {
      const before = changes
      const counted = await count()
      // Deliveries hidden meanwhile may or may not be counted.
      if (changes !== before) continue
      total += counted - older
      older = counted
      return
    }
  }

  async function changing(sign: 1 | -1, change: () => Promise<number[]>): Promise<number[]> {
    changes++
    const seqs = await change()
    changes++
    total += sign * seqs.length
    older += sign * seqs.filter((seq) => seq <= newest).length
    return seqs
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
    /** Runs a change that hides deliveries, whose seqs it returns. */
    hiding: (hide: () => Promise<number[]>) => changing(-1, hide),
    /** Runs a change that shows hidden deliveries again, whose seqs it returns. */
    showing: (show: () => Promise<number[]>) => changing(1, show),
  }
}
