/** Runs asynchronous work one piece at a time, so that nothing overwrites what another piece has just written. */

export type Mutex = <T>(work: () => Promise<T>) => Promise<T>

/** Work runs in the order it was asked for, whether the piece before succeeded or failed. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work, work)
    // Only the caller hears of a failure; the next piece just waits for the end.
    last = mine.catch(() => null)
    return mine
  }
}
