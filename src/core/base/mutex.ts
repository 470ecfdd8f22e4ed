/** Runs asynchronous work one piece at a time, so that nothing overwrites another piece's result. */

export type Mutex = <T>(work: () => Promise<T>) => Promise<T>

/** Work runs in the requested order, whether the previous piece succeeded or failed. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work, work)
    // Only the caller sees a failure; the next piece just waits for the end.
    last = mine.catch(() => null)
    return mine
  }
}
