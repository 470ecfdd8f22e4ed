/**
 * Holds the bytes of bodies while they arrive and until they are stored. Large bodies share a fixed amount of memory: if they don't
 * fit, the newest incomplete ones are rejected. Small bodies always fit.
 */
import { collectYoung, releaseMemory } from '../base/threads/memory.ts'

export interface HeldBody {
  /** Keeps a chunk. If it doesn't fit, the body may be rejected and freed. */
  add(chunk: Uint8Array): void
  /** All bytes kept so far, valid until the next call. */
  bytes(): Uint8Array
  /** All bytes kept, valid until `release`. From now on the body can't be rejected. */
  finish(): Uint8Array
  release(): void
}

export type HeldBodies = ReturnType<typeof createHeldBodies>

/** Largest small body, in bytes; also the limit of a request's headers. */
export const SMALL_BODY = 65_536
/** Size of the first block for a body of unknown size. */
const FIRST_BLOCK = 4 * SMALL_BODY
/** A copied or discarded chunk is garbage outside V8's heap, where V8 hardly counts it: it is collected after this many bytes. */
const COLLECT_AFTER = 4 * 1_048_576

/** `limit`: bytes that all large bodies may use together. */
export function createHeldBodies(limit: () => number) {
  /** Large ones, oldest first. */
  const arriving = new Set<{ refuse(): void }>()
  let held = 0
  let spentBytes = 0

  function spent({ length }: Uint8Array): void {
    spentBytes += length
    if (spentBytes < COLLECT_AFTER) return
    spentBytes = 0
    collectYoung()
  }

  return {
    /** Called with a chunk that is no longer needed. */
    spent,
    /** Starts a body of which at most `expected` bytes will be kept, if known. `onRefused` is called if it has to make room. */
    begin(expected: number | null, onRefused: () => void): HeldBody {
      let chunks: Uint8Array[] = []
      let block: Uint8Array | null = null
      let size = 0

      const drop = () => {
        arriving.delete(body)
        if (block !== null) {
          held -= size
          releaseMemory(block)
        }
        block = null
        chunks = []
        size = 0
      }
      const body = {
        refuse() {
          drop()
          onRefused()
        },
      }
      /** Makes room for more bytes if possible, by rejecting the newest bodies, possibly this one. */
      const reserve = (bytes: number): boolean => {
        while (held + bytes > limit()) {
          const newest = [...arriving].at(-1) ?? body
          newest.refuse()
          if (newest === body) return false
        }
        held += bytes
        return true
      }
      const blockFor = (bytes: number): Uint8Array => {
        if (block !== null && bytes <= block.length) return block
        const larger = new Uint8Array(
          Math.max(bytes, expected ?? Math.max(FIRST_BLOCK, 2 * (block?.length ?? 0))),
        )
        if (block === null) larger.set(Buffer.concat(chunks))
        else {
          larger.set(block.subarray(0, size))
          releaseMemory(block)
        }
        chunks = []
        return larger
      }

      const bytes = () => {
        if (block !== null) return block.subarray(0, size)
        return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      }

      return {
        add(chunk) {
          const next = size + chunk.length
          if (block === null && next <= SMALL_BODY) {
            chunks.push(chunk)
            size = next
            return
          }
          arriving.add(body)
          if (!reserve(block === null ? next : chunk.length)) return
          block = blockFor(next)
          block.set(chunk, size)
          size = next
          spent(chunk)
        },
        bytes,
        finish() {
          arriving.delete(body)
          return bytes()
        },
        release: drop,
      }
    },
  }
}
