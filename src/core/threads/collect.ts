/**
 * Collects garbage after work on a large body. Its text, words and parsed values are tens of megabytes, and a thread that then
 * has nothing to do would keep them: V8 collects only when more is allocated.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** In bytes. What smaller bodies leave behind, V8 collects soon enough. */
const LARGE = 1_048_576

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

/** Collects the garbage of this thread if a body of so many bytes was just worked on. */
export function collectAfter(bytes: number): void {
  if (bytes >= LARGE) collect()
}

/** Collects what was allocated last: a pause of a millisecond or two. */
export function collectYoung(): void {
  collect({ type: 'minor' })
}
