/** Reads a request's body, kept up to a limit, counted and hashed to its end. */
import { createHash, hash, type Hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { DEFAULT_SETTINGS } from '../../shared/model/settings.ts'
import type { Registry } from '../hooks/registry.ts'
import type { HeldBodies } from './held-bodies.ts'

export interface ReceiverLimits {
  /** Returns the limit; a longer body gets the response 413. */
  bodyBytes(): number
  /** Limit of large bodies in memory; beyond it the newest get a 503. */
  readonly bytesInFlight: number
  readonly headerBytes: number
  readonly headerLines: number
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly keepAliveMs: number
}

export const DEFAULT_LIMITS: ReceiverLimits = {
  bodyBytes: () => DEFAULT_SETTINGS.bodyLimit,
  bytesInFlight: 48 * 1_048_576,
  headerBytes: 65_536,
  headerLines: 500,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveMs: 65_000,
}

/** Request as received; method and path are null if the request line is unreadable. */
export interface ReceivedRequest {
  readonly receivedAt: number
  readonly method: string | null
  readonly path: string | null
  readonly httpVersion: string
  readonly headers: RawHeaders
  readonly trailers: RawHeaders
  readonly body: ReceivedBody
  readonly remote: string | null
  /** Reason in a sentence, or null. */
  readonly malformed: string | null
}

export interface ReceivedBody {
  /** All bytes, or the start of a body over the limit. */
  readonly kept: Uint8Array
  /** Bytes received, including those beyond the limit. */
  readonly size: number
  /** SHA-256 in hexadecimal; empty if it wasn't computed while reading. */
  readonly sha256: string
  /** Verification of a body over the limit; null for a body that is kept. */
  readonly overflow: OversizedVerification | null
  readonly aborted: boolean
  /** Frees `kept`. */
  release(): void
}

export type OversizedVerification = ReturnType<Registry['judgeStream']>

export function emptyBody(kept: Uint8Array = new Uint8Array()): ReceivedBody {
  const release = () => undefined
  return { kept, size: kept.length, sha256: '', overflow: null, aborted: false, release }
}

/** Error if large bodies already use all their memory. */
export class NoRoomError extends Error {}

/** Reads a body; calls `startOverflow` once it exceeds `limit`, in bytes. */
export function readBody(
  request: IncomingMessage,
  limit: number,
  heldBodies: HeldBodies,
  startOverflow: () => OversizedVerification,
) {
  const { promise, resolve, reject } = Promise.withResolvers<ReceivedBody>()
  let size = 0
  let oversized: { hash: Hash; overflow: OversizedVerification } | null = null
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
    const overflow = oversized?.overflow ?? null
    resolve({ kept, size, sha256, overflow, aborted, release: () => held.release() })
  }

  request.on('data', (chunk: Buffer) => {
    if (isDone) {
      heldBodies.spent(chunk)
      return
    }
    const before = size
    size += chunk.length
    if (oversized === null && size > limit) {
      oversized = { hash: createHash('sha256'), overflow: startOverflow() }
      const earlier = held.bytes()
      oversized.hash.update(earlier)
      oversized.overflow.stream.update(earlier)
    }
    if (before < limit) held.add(size <= limit ? chunk : chunk.subarray(0, limit - before))
    else heldBodies.spent(chunk)
    oversized?.hash.update(chunk)
    oversized?.overflow.stream.update(chunk)
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
