/**
 * Records how far a job may have come before its requests are sent, and slightly ahead so that none waits for a commit. After a
 * crash, unfinished requests up to that point are uncertain. Requests are sent in order.
 */

export interface ReachDeps {
  /** How far the job may already have come. */
  readonly from: number
  /** Resolves once it is recorded that the job may have come this far. */
  write(place: number): Promise<void>
  /** How many requests to record ahead right now. */
  ahead(): number
}

export function createReach({ from, write, ahead }: ReachDeps) {
  let written = from
  let asked = from
  /** The last place whose send has started. */
  let last = from
  let writing: Promise<void> | null = null

  function writeTo(place: number): Promise<void> {
    asked = place
    writing = write(place).then(
      () => {
        written = Math.max(written, place)
      },
      (error: unknown) => {
        asked = written
        throw error
      },
    )
    // The requests waiting for a failed write get its error.
    writing.catch(() => undefined)
    return writing
  }

  return {
    /** Resolves once the request at this position may be sent; null if it may be sent right away. */
    before(place: number): Promise<void> | null {
      const left = asked - place
      // A write covers everything requested before it.
      const covering = left < 0 || left < ahead() / 4 ? writeTo(place + ahead()) : writing
      return place <= written ? null : covering
    },
    /** The send at a place starts now. */
    started(place: number) {
      last = Math.max(last, place)
    },
    /** Resets the requests that weren't sent to pending. */
    async close() {
      // If this can't be recorded, these requests are uncertain when the job is resumed.
      if (asked > last) await writeTo(last).catch(() => undefined)
    },
  }
}
