/**
 * How many deliveries are stored, without asking the database each time. With very many the start does not wait for their number:
 * until they are counted it is a guess, good enough to be shown. Nothing may be removed by it: that waits for `counted`.
 */

export interface TotalDeps {
  /** Largest seq at the start. */
  readonly newest: number
  /** Their number, where it is known already; null: `newest` is the guess. */
  readonly known: number | null
  /** Counts those up to `newest` that are not hidden. */
  count(): Promise<number>
  /** The guess was another number. */
  onCorrected(): void
}

export interface Total {
  now(): number
  /** The number once it is no guess. Rejects where they cannot be counted; the next call tries again. */
  counted(): Promise<number>
  stored(count: number): void
  /** Runs what hides deliveries (`by` −1) or shows them again; gives their seqs, as it does. */
  moving(by: 1 | -1, move: () => Promise<number[]>): Promise<number[]>
}

export function createTotal({ newest, known, count, onCorrected }: TotalDeps): Total {
  let total = known ?? newest
  /** Of the total, those up to `newest`. */
  let older = total
  let moves = 0
  let counting: Promise<void> | null = known === null ? null : Promise.resolve()

  async function countOlder(): Promise<void> {
    for (;;) {
      const before = moves
      const counted = await count()
      // What was moved meanwhile is in that number, or it is not.
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
    async counted() {
      counting ??= countOlder().catch((error: unknown) => {
        counting = null
        throw error
      })
      await counting
      return total
    },
    stored(stored) {
      total += stored
    },
    async moving(by, move) {
      moves++
      const moved = await move()
      moves++
      total += by * moved.length
      older += by * moved.filter((seq) => seq <= newest).length
      return moved
    },
  }
}
