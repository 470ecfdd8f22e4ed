/**
 * Returns the most processor time in milliseconds that this thread used in one turn of the event
 * loop, for which a delivery would have waited.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isOver = false
  let before = process.threadCpuUsage()
  const measure = () => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, (now.user + now.system - before.user - before.system) / 1_000)
    before = now
    if (!isOver) setImmediate(measure)
  }
  setImmediate(measure)
  try {
    await work()
  } finally {
    isOver = true
  }
  return longest
}
