/**
 * Frees the memory of large bodies early. V8 collects only when more is allocated, and hardly counts memory outside its heap: an
 * idle thread would keep tens of megabytes of unused bodies, text and parsed values.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

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
