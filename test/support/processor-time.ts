/** For tests that measure time: on a busy computer only processor time says anything. */

/** Milliseconds of processor time that this thread takes for synchronous work. */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
