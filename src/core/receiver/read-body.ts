/**
 * Reads the body of a request: kept up to a limit, counted and hashed to its end. What arrives is never changed; a body that
 * stops early is told apart from one that ended.
 */
import { createHash, hash, type Hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { HeldBodies } from './held-bodies.ts'
import type { ReceiverLimits } from './limits.ts'

export interface ReceivedBody {
  /** The bytes kept: all of them, or the head of a body over the limit. */
  readonly kept: Uint8Array
  /** Bytes received, those beyond the limit included. */
  readonly size: number
  readonly sha256: string
  readonly truncated: boolean
  /** Whether the sender stopped before the body's end. */
  readonly aborted: boolean
  /** Frees the bytes kept: nobody may read them after this. */
  release(): void
}

/** Hears the whole of a body that is over the limit, from its first byte: for judging its signature. */
export interface Overflow {
  update(chunk: Uint8Array): void
}

/** The body was not read to its end: large bodies use all the memory reserved for them. */
export class TooMuchInFlight extends Error {}

/**
 * Reads to the end. Rejects with `TooMuchInFlight` if the body has to make room for older ones.
 * `onBegun` gets a function that ends the reading of a body that has not arrived whole; what came of it is then the body. It
 * gives false where there is nothing left to end.
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
    const held = heldBodies.begin(Number.isSafeInteger(announced) ? Math.min(announced, limit) : null, () => {
      done = true
      reject(new TooMuchInFlight())
    })

    const finish = (aborted: boolean) => {
      if (done) return
      done = true
      const kept = held.finish()
      const sha256 = overflow === null ? hash('sha256', kept, 'hex') : overflow.hash.digest('hex')
      resolve({ kept, size, sha256, truncated: overflow !== null, aborted, release: held.release })
    }

    onBegun(() => {
      // What is already whole is only waiting to be handed over.
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
    request.on('end', () => {
      finish(false)
    })
    // A socket that closes before the end gives an error, or only a close: either way the body is what came.
    request.on('error', () => {
      finish(true)
    })
    request.on('close', () => {
      finish(!request.complete)
    })
  })
}
