/**
 * Reads a request's body: kept up to a limit, counted and hashed to its end. Received bytes are never changed, and a body that
 * stops early is distinguished from a complete one.
 */
import { createHash, hash, type Hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { HeldBodies } from './held-bodies.ts'
import type { ReceiverLimits } from './limits.ts'

export interface ReceivedBody {
  /** The bytes kept: all of them, or the start of a body over the limit. */
  readonly kept: Uint8Array
  /** Bytes received, including those beyond the limit. */
  readonly size: number
  readonly sha256: string
  readonly truncated: boolean
  /** Whether the sender stopped before the body's end. */
  readonly aborted: boolean
  /** Frees the kept bytes: nobody may read them afterwards. */
  release(): void
}

/** Receives a whole body that is over the limit, from its first byte, to verify its signature. */
export interface Overflow {
  update(chunk: Uint8Array): void
}

/** The body wasn't read to its end: large bodies use all the memory reserved for them. */
export class TooMuchInFlight extends Error {}

/**
 * Reads to the end. Rejects with `TooMuchInFlight` if the body must make room for older ones. `onBegun` gets a function that ends
 * the reading of an incomplete body, keeping the received part; it returns false if there is nothing left to end.
 */
export function receiveBody(
  request: IncomingMessage,
  limits: ReceiverLimits,
  heldBodies: HeldBodies,
  startOverflow: () => Overflow,
  onBegun: (stop: () => boolean) => void,
): Promise<ReceivedBody> {
  return new Promise((resolve, reject) => {
    const limit = limits.bodyBytes()
    let size = 0
    let overflow: { hash: Hash; also: Overflow } | null = null
    let done = false
    const announced = Number(request.headers['content-length'] ?? Number.NaN)
    const held = heldBodies.begin(
      Number.isSafeInteger(announced) ? Math.min(announced, limit) : null,
      () => {
        done = true
        reject(new TooMuchInFlight())
      },
    )

    const finish = (aborted: boolean) => {
      if (done) return
      done = true
      const kept = held.finish()
      const sha256 = overflow === null ? hash('sha256', kept, 'hex') : overflow.hash.digest('hex')
      resolve({ kept, size, sha256, truncated: overflow !== null, aborted, release: held.release })
    }

    onBegun(() => {
      // A complete body only waits to be passed on.
      if (request.complete || done) return false
      finish(true)
      return true
    })

    request.on('data', (chunk: Buffer) => {
      if (done) {
        heldBodies.spent(chunk)
        return
      }
      const before = size
      size += chunk.length
      if (overflow === null && size > limit) {
        overflow = { hash: createHash('sha256'), also: startOverflow() }
        const earlier = held.bytes()
        overflow.hash.update(earlier)
        overflow.also.update(earlier)
      }
      if (before < limit) held.add(size <= limit ? chunk : chunk.subarray(0, limit - before))
      else heldBodies.spent(chunk)
      overflow?.hash.update(chunk)
      overflow?.also.update(chunk)
    })
    request.on('end', () => finish(false))
    // A socket that closes early emits an error, or only a close: either way the received part is the body.
    request.on('error', () => finish(true))
    request.on('close', () => finish(!request.complete))
  })
}
