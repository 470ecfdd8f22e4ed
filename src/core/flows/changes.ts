/** Counts what happens, so that a waiter misses nothing between looking and waiting. */
export interface Changes {
  /** So many have been noted. */
  count(): number
  note(): void
  /** Resolves once there are more than `seen`, or when the signal aborts. */
  after(seen: number, signal: AbortSignal): Promise<void>
}

export function createChanges(): Changes {
  let count = 0
  let waiting = Promise.withResolvers<undefined>()
  return {
    count: () => count,
    note() {
      count++
      waiting.resolve(undefined)
      waiting = Promise.withResolvers<undefined>()
    },
    async after(seen, signal) {
      if (count > seen || signal.aborted) return
      const aborted = Promise.withResolvers<undefined>()
      const onAbort = () => {
        aborted.resolve(undefined)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      await Promise.race([waiting.promise, aborted.promise])
      signal.removeEventListener('abort', onAbort)
    },
  }
}
