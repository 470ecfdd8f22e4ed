/**
 * How far a job may have come, written down before its sends go, and a little ahead of them so that none waits for a commit: of
 * what has not ended up to there, nobody knows after a crash whether it has gone. Sends go in the order of their places.
 */

export interface ReachDeps {
  /** Where the job may have come to already. */
  readonly from: number
  /** Resolves once it is written down that the job may have come to a place. */
  write(place: number): Promise<void>
  /** How many places it is to be written down ahead at this moment. */
  ahead(): number
}

export interface Reach {
  /** Resolves once the send at a place may go; null where it may at once. */
  before(place: number): Promise<void> | null
  /** The send at a place goes. */
  goes(place: number): void
  /** Those that have not gone wait again. */
  close(): Promise<void>
}

export function createReach({ from, write, ahead }: ReachDeps): Reach {
  let written = from
  let asked = from
  let gone = from
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
    // Who comes to what could not be written hears of it.
    writing.catch(() => undefined)
    return writing
  }

  return {
    before(place) {
      const left = asked - place
      // What is written covers all that was asked for before it.
      const covering = left < 0 || left < ahead() / 4 ? writeTo(place + ahead()) : writing
      return place <= written ? null : covering
    },
    goes(place) {
      gone = Math.max(gone, place)
    },
    async close() {
      // Where that cannot be written, they are uncertain when the job is resumed.
      if (asked > gone) await writeTo(gone).catch(() => undefined)
    },
  }
}
