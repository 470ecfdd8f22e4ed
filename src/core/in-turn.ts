/** Lets pieces of work that read, wait and write go one after another, so that none writes over what another has just written. */

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/** Work given to the same one waits for what was given before, whether that succeeds or fails. */
export function createTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work, work)
    // Its failure is for whoever asked; the next in turn only waits for its end.
    last = mine.catch(() => null)
    return mine
  }
}
