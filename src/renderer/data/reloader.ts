/** Returns a function that requests a load of data that changes often: one at a time, with a pause after each. */
export function createReloader(read: () => Promise<void>, pauseMs: number): () => void {
  let asked = false
  let reading = false
  const next = async () => {
    reading = true
    asked = false
    await read()
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    reading = false
    if (asked) void next()
  }
  return () => {
    asked = true
    if (!reading) void next()
  }
}
