/**
 * Returns the processor time of synchronous work in milliseconds, unlike the clock independent of
 * other programs.
 */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
