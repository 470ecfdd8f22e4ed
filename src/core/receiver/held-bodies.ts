/**
 * Bytes of bodies until they are stored. If large ones don't fit, the newest incomplete ones are
 * rejected.
 */
import { collectYoung, releaseMemory } from '../base/threads/memory.ts'

export type HeldBodies = ReturnType<typeof createHeldBodies>

/** Bytes. */
export const SMALL_BODY = 65_536

/** Bytes for a body of unknown size. */
const FIRST_BLOCK = 4 * SMALL_BODY

/** Bytes of garbage, which V8 hardly counts. */
const COLLECT_AFTER = 4 * 1_048_576

/** Creates the memory of bodies; large ones may use `limit` bytes. */
export function createHeldBodies(limit: () => number) {
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
    spent,
    /** `onRefused` is called if the body must make room. */
    begin(expected: number | null, onRefused: () => void) {
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
      /** Rejects the newest bodies, possibly this one, to make room. */
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
        /** May reject and free the body. */
        add(chunk: Uint8Array) {
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
        /** Returns bytes that are valid until the next call. */
        bytes,
        /** Returns bytes that are valid until `release`. */
        finish() {
          arriving.delete(body)
          return bytes()
        },
        release: drop,
      }
    },
  }
}
