/** Pause after a read, as a multiple of its duration. */
const PAUSE_RATIO = 10

/**
 * Returns a function that requests a read: one at a time, with a pause after each that grows with
 * its duration.
 */
export function createReloader(read: () => Promise<void>, pauseMs: number): () => void {
  let isRequested = false
  let isReading = false
  const next = async () => {
    isReading = true
    isRequested = false
    const startedAt = performance.now()
    await read()
    const tookMs = performance.now() - startedAt
    await new Promise((resolve) => setTimeout(resolve, Math.max(pauseMs, PAUSE_RATIO * tookMs)))
    isReading = false
    if (isRequested) void next()
  }
  return () => {
    isRequested = true
    if (!isReading) void next()
  }
}
