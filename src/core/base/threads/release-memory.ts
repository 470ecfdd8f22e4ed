/**
 * Frees the memory of large bodies early. V8 collects only when more is allocated, and hardly counts what lies outside its heap: an
 * idle thread would keep tens of megabytes of bodies, text and parsed values that nobody needs any more.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** In bytes. The next collection of the young generation frees smaller buffers for less. */
const LARGE_BUFFER = 65_536
/** In bytes. V8 collects soon enough what work on smaller bodies leaves behind. */
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

/** Empties `bytes`, which nobody may read after this. Small bytes, and bytes that share their memory with others, stay. */
export function releaseMemory(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (bytes.byteLength >= LARGE_BUFFER && buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength)
    buffer.transfer(0)
}

/** Collects the garbage of this thread if a body of so many bytes was just worked on. */
export function collectAfter(bytes: number): void {
  if (bytes >= LARGE_BODY) collect()
}

/** Collects what was allocated last: a pause of a millisecond or two. */
export function collectYoung(): void {
  collect({ type: 'minor' })
}
