/** Frees memory of large bodies early, which V8 hardly counts, and limits the heap. */
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes from which a buffer is freed; collections are cheaper for smaller ones. */
const LARGE_BUFFER = 65_536
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

/** Empties `bytes`, unless they are small or share their memory. */
export function releaseMemory(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (
    bytes.byteLength >= LARGE_BUFFER &&
    buffer instanceof ArrayBuffer &&
    buffer.byteLength === bytes.byteLength
  )
    buffer.transfer(0)
}

/** Collects garbage after work on a large body. */
export function collectAfter(bytes: number): void {
  if (bytes >= LARGE_BODY) collect()
}

export function collectYoung(): void {
  collect({ type: 'minor' })
}

const MOST_YOUNG_BYTES = 4 * 1_048_576

function youngBytes(): number {
  return (
    getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
  )
}

/**
 * Limits the main thread's young generation; called before much is loaded. V8 would let it grow to
 * 128 MiB, although little survives.
 */
export function limitYoungGeneration(): void {
  let mayGrow = true
  const check = () => {
    const isSmall = youngBytes() < MOST_YOUNG_BYTES
    if (isSmall === mayGrow) return
    mayGrow = isSmall
    setFlagsFromString(`--semi-space-growth-factor=${isSmall ? 2 : 1}`)
  }
  new PerformanceObserver(check).observe({ entryTypes: ['gc'] })
  check()
}
