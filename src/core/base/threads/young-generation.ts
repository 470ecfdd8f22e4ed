/**
 * Keeps the young generation of this thread's heap small. V8 lets it grow to 128 MiB while much is allocated, as it is while
 * deliveries stream in; with little that survives, four do as well, in shorter pauses. Workers have a limit of their own from
 * their start (`job-thread.ts`); the thread that the process began with takes one only this way.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Grows no further from here on, in bytes. */
const ENOUGH = 4 * 1_048_576

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
}

/** Looks after each collection, as long as the process lives: to be called before much is loaded. */
export function limitYoungGeneration(): void {
  let mayGrow = true
  const look = () => {
    const should = youngBytes() < ENOUGH
    if (should === mayGrow) return
    mayGrow = should
    setFlagsFromString(`--semi-space-growth-factor=${should ? 2 : 1}`)
  }
  new PerformanceObserver(look).observe({ entryTypes: ['gc'] })
  look()
}
