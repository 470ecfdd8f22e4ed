/** Reloads data that changes often: one load at a time, with a pause after each. */

/** Returns a function that requests a load: now, or after the current one and its pause. */
export function createReloader(
  read: () => Promise<void>,
  pauseMs: number,
  ending: AbortSignal,
): () => void {
  let asked = false
  let reading = false
  const next = async () => {
    reading = true
    asked = false
    await read()
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    reading = false
    if (asked && !ending.aborted) void next()
  }
  return () => {
    asked = true
    if (!reading) void next()
  }
}
