/**
 * Keeps the young generation of this thread's heap small. V8 lets it grow to 128 MiB while much is allocated, as when deliveries
 * stream in; since little survives, four work as well, with shorter pauses. Workers get their limit at their start
 * (`job-thread.ts`); the main thread can only be limited like this.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** The size at which it stops growing, in bytes. */
const ENOUGH = 4 * 1_048_576

function youngBytes(): number {
  return (
    getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
  )
}

/** Checks after each collection for the life of the process: call it before much is loaded. */
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
