/** A read takes at most one part in so many of the time: the rest is for others. */
const REST = 10

/**
 * Returns a function that requests a load of data that changes often: one at a time, with a pause after each, which is longer after
 * a slow one.
 */
export function createReloader(read: () => Promise<void>, pauseMs: number): () => void {
  let asked = false
  let reading = false
  const next = async () => {
    reading = true
    asked = false
    const startedAt = performance.now()
    await read()
    const tookMs = performance.now() - startedAt
    await new Promise((resolve) => setTimeout(resolve, Math.max(pauseMs, REST * tookMs)))
    reading = false
    if (asked) void next()
  }
  return () => {
    asked = true
    if (!reading) void next()
  }
}
