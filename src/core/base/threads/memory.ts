/** Keeps the memory of a thread small. */
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Frees the memory of large bodies early. V8 collects only when more is allocated, and hardly counts memory outside its heap: an
// idle thread would keep tens of megabytes of unused bodies, text and parsed values.

/** In bytes. For smaller buffers the next young-generation collection is cheaper. */
const LARGE_BUFFER = 65_536
/** In bytes. V8 collects the garbage of smaller bodies soon enough. */
const LARGE_BODY = 1_048_576

type Collect = (options?: { readonly type: 'minor' }) => void

let collector: Collect | null = null

function collect(options?: { readonly type: 'minor' }): void {
  if (collector === null) {
    setFlagsFromString('--expose-gc')
    collector = runInNewContext('gc') as Collect
    setFlagsFromString('--no-expose-gc')
  }
  collector(options)
}

/** Empties `bytes`, which nobody may read afterwards. Small bytes, and bytes that share their memory with others, stay. */
export function releaseMemory(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (
    bytes.byteLength >= LARGE_BUFFER &&
    buffer instanceof ArrayBuffer &&
    buffer.byteLength === bytes.byteLength
  )
    buffer.transfer(0)
}

/** Collects this thread's garbage after work on a body of at least this size. */
export function collectAfter(bytes: number): void {
  if (bytes >= LARGE_BODY) collect()
}

/** Collects recent allocations: a pause of a millisecond or two. */
export function collectYoung(): void {
  collect({ type: 'minor' })
}

/** The size at which it stops growing, in bytes. */
const ENOUGH = 4 * 1_048_576

function youngBytes(): number {
  return (
    getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
  )
}

/**
 * Keeps the young generation of this thread's heap small. V8 lets it grow to 128 MiB while much is allocated, as when deliveries
 * stream in; since little survives, four work as well, with shorter pauses. Workers get their limit at their start
 * (`job-thread.ts`); the main thread can only be limited like this.
 * Checks after each collection for the life of the process: call it before much is loaded.
 */
export function limitYoungGeneration(): void {
  let mayGrow = true
  const check = () => {
    const should = youngBytes() < ENOUGH
    if (should === mayGrow) return
    mayGrow = should
    setFlagsFromString(`--semi-space-growth-factor=${should ? 2 : 1}`)
  }
  new PerformanceObserver(check).observe({ entryTypes: ['gc'] })
  check()
}
