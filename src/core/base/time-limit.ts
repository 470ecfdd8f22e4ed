/** Limits how long to wait for work that may never end. The work itself continues. */

/** The result of `work`, or what `onLate` returns or throws if the work takes longer than `ms` of real time. */
export async function withTimeLimit<T>(ms: number, work: Promise<T>, onLate: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  }).then(onLate)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
