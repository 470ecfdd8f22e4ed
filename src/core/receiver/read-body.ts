import { createHash, hash, type Hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { HeldBodies } from './held-bodies.ts'
import type { OversizedVerification, ReceivedBody } from './request.ts'

/** Error if large bodies already use all their memory. */
export class NoRoomError extends Error {}

/**
 * Reads a body.
 * @param limit In bytes; the rest is counted and hashed, but not kept.
 * @param startVerification Called once the body exceeds the limit.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  heldBodies: HeldBodies,
  startVerification: () => OversizedVerification,
) {
  const { promise, resolve, reject } = Promise.withResolvers<ReceivedBody>()
  let size = 0
  let oversized: { hash: Hash; verification: OversizedVerification } | null = null
  let isDone = false
  const announced = Number(request.headers['content-length'] ?? Number.NaN)
  const held = heldBodies.begin(
    Number.isSafeInteger(announced) ? Math.min(announced, limit) : null,
    () => {
      isDone = true
      reject(new NoRoomError())
    },
  )

  const finish = (aborted: boolean) => {
    if (isDone) return
    isDone = true
    const kept = held.finish()
    const sha256 = oversized === null ? hash('sha256', kept, 'hex') : oversized.hash.digest('hex')
    const oversizedVerification = oversized?.verification ?? null
    const release = () => held.release()
    resolve({ kept, size, sha256, oversizedVerification, aborted, release })
  }

  request.on('data', (chunk: Buffer) => {
    if (isDone) {
      heldBodies.spent(chunk)
      return
    }
    const before = size
    size += chunk.length
    if (oversized === null && size > limit) {
      oversized = { hash: createHash('sha256'), verification: startVerification() }
      const earlier = held.bytes()
      oversized.hash.update(earlier)
      oversized.verification.stream.update(earlier)
    }
    if (before < limit) held.add(size <= limit ? chunk : chunk.subarray(0, limit - before))
    else heldBodies.spent(chunk)
    oversized?.hash.update(chunk)
    oversized?.verification.stream.update(chunk)
  })
  request.on('end', () => finish(false))
  // A socket that closes early emits an error, or only a close.
  request.on('error', () => finish(true))
  request.on('close', () => finish(!request.complete))

  return {
    /** Rejects with `NoRoomError`. */
    body: promise,
    /** Ends an incomplete body, keeping the received part; returns whether it did. */
    stop() {
      // A complete body only waits to be passed on.
      if (request.complete || isDone) return false
      finish(true)
      return true
    },
  }
}
