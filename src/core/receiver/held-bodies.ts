/**
 * Bytes of bodies until they are stored. If large ones don't fit, the newest incomplete ones are
 * rejected.
 */
import { collectYoung, releaseMemory } from '../base/threads/memory.ts'

/** Size in bytes up to which a body doesn't count as large. */
const SMALL_BODY = 65_536

/** First block for a large body of unknown size, in bytes. */
const FIRST_BLOCK_BYTES = 4 * SMALL_BODY

/** Bytes of garbage after which it is collected, because V8 hardly counts buffers. */
const COLLECT_AFTER_BYTES = 4 * 1_048_576

/** Memory of bodies; large ones may use `limit` bytes. */
export class HeldBodies {
  readonly #limit: () => number
  /** Incomplete large bodies, oldest first. */
  readonly #arriving = new Set<HeldBody>()
  #held = 0
  #spentBytes = 0

  constructor(limit: () => number) {
    this.#limit = limit
  }

  /** Begins a body; `onRefused` is called if it must make room for others. */
  begin(expected: number | null, onRefused: () => void): HeldBody {
    return new HeldBody(this, expected, onRefused)
  }

  /** Rejects the newest bodies, possibly this one, to make room. */
  reserve(body: HeldBody, bytes: number): boolean {
    this.#arriving.add(body)
    while (this.#held + bytes > this.#limit()) {
      const newest = [...this.#arriving].at(-1) ?? body
      newest.refuse()
      if (newest === body) return false
    }
    this.#held += bytes
    return true
  }

  /** Keeps a complete body from being rejected. */
  complete(body: HeldBody): void {
    this.#arriving.delete(body)
  }

  free(bytes: number): void {
    this.#held -= bytes
  }

  /** Collects garbage once enough chunks were copied or dropped. */
  spent({ length }: Uint8Array): void {
    this.#spentBytes += length
    if (this.#spentBytes < COLLECT_AFTER_BYTES) return
    this.#spentBytes = 0
    collectYoung()
  }
}

/** Bytes of one body: chunks while it is small, then a block. */
class HeldBody {
  readonly #bodies: HeldBodies
  readonly #expected: number | null
  readonly #onRefused: () => void
  #chunks: Uint8Array[] = []
  #block: Uint8Array | null = null
  #size = 0

  constructor(bodies: HeldBodies, expected: number | null, onRefused: () => void) {
    this.#bodies = bodies
    this.#expected = expected
    this.#onRefused = onRefused
  }

  /** Adds a chunk, which may reject and free the body. */
  add(chunk: Uint8Array): void {
    const next = this.#size + chunk.length
    if (this.#block === null && next <= SMALL_BODY) {
      this.#chunks.push(chunk)
      this.#size = next
      return
    }
    if (!this.#bodies.reserve(this, this.#block === null ? next : chunk.length)) return
    this.#block = this.#blockFor(next)
    this.#block.set(chunk, this.#size)
    this.#size = next
    this.#bodies.spent(chunk)
  }

  /** Returns bytes that are valid until the next call. */
  bytes(): Uint8Array {
    if (this.#block !== null) return this.#block.subarray(0, this.#size)
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
  }

  /** Returns bytes that are valid until `release`. */
  finish(): Uint8Array {
    this.#bodies.complete(this)
    return this.bytes()
  }

  release(): void {
    this.#bodies.complete(this)
    if (this.#block !== null) {
      this.#bodies.free(this.#size)
      releaseMemory(this.#block)
    }
    this.#block = null
    this.#chunks = []
    this.#size = 0
  }

  refuse(): void {
    this.release()
    this.#onRefused()
  }

  #blockFor(bytes: number): Uint8Array {
    const block = this.#block
    if (block !== null && bytes <= block.length) return block
    const larger = new Uint8Array(
      Math.max(bytes, this.#expected ?? Math.max(FIRST_BLOCK_BYTES, 2 * (block?.length ?? 0))),
    )
    if (block === null) larger.set(Buffer.concat(this.#chunks))
    else {
      larger.set(block.subarray(0, this.#size))
      releaseMemory(block)
    }
    this.#chunks = []
    return larger
  }
}
