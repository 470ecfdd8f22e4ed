/**
 * Where the bytes of bodies are while they arrive and until they are stored. Large bodies share a fixed amount of memory: if they
 * don't fit, the newest of those that are still arriving are refused. Small bodies always fit.
 */
import { collectYoung } from '../threads/collect.ts'
import { giveBack } from '../threads/give-back.ts'

export interface HeldBody {
  /** Keeps a chunk. The body itself may be refused for it; nothing of it is held then. */
  add(chunk: Uint8Array): void
  /** All bytes kept so far, valid until the next call. */
  bytes(): Uint8Array
  /** All bytes kept, valid until `release`. The body is no longer refused. */
  finish(): Uint8Array
  release(): void
}

export interface HeldBodies {
  /** Hears of a chunk that nobody needs any more. */
  spent(chunk: Uint8Array): void
  /** Begins a body of which at most `expected` bytes will be kept, if that is known. `onRefused` is called if it has to make room. */
  begin(expected: number | null, onRefused: () => void): HeldBody
}

/** A body of up to so many bytes is small. The headers of a request may take as many. */
export const SMALL_BODY = 65_536
/** The first block of a body whose size is not known. */
const FIRST_BLOCK = 4 * SMALL_BODY
/** A chunk that was copied or thrown away is garbage outside V8's heap, where V8 hardly counts it: it is collected after so many bytes. */
const COLLECT_AFTER = 4 * 1_048_576

/** `limit` says how many bytes all large bodies may take. */
export function createHeldBodies(limit: () => number): HeldBodies {
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
    spent,
    begin(expected, onRefused) {
      let chunks: Uint8Array[] = []
      let block: Uint8Array | null = null
      let size = 0

      const drop = () => {
        arriving.delete(body)
        if (block !== null) {
          held -= size
          giveBack(block)
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
      /** Whether so many bytes more fit. Those that have to make room are refused, this body too if it is the newest. */
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
        const larger = new Uint8Array(Math.max(bytes, expected ?? Math.max(FIRST_BLOCK, 2 * (block?.length ?? 0))))
        if (block === null) larger.set(Buffer.concat(chunks))
        else {
          larger.set(block.subarray(0, size))
          giveBack(block)
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
