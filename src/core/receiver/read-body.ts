/**
 * Reads the body of a request: kept up to a limit, counted and hashed to its end. What arrives is never changed; a body that
 * stops early is told apart from one that ended.
 */
import { createHash, hash, type Hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
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
}

/** Hears the whole of a body that is over the limit, from its first byte: for judging its signature. */
export interface Overflow {
  update(chunk: Uint8Array): void
}

/** Counts the bytes of all bodies that are arriving. */
export interface InFlight {
  bytes: number
}

export class TooMuchInFlight extends Error {}

/**
 * Reads to the end. Rejects with `TooMuchInFlight` where all arriving bodies together are more than the receiver holds.
 * `onBegun` gets a function that ends the reading of a body that has not arrived whole; what came of it is then the body. It
 * gives false where there is nothing left to end.
 */
export function readBody(
  request: IncomingMessage,
  limits: ReceiverLimits,
  inFlight: InFlight,
  startOverflow: () => Overflow,
  onBegun: (stop: () => boolean) => void,
): Promise<ReceivedBody> {
  return new Promise((resolve, reject) => {
    const limit = limits.bodyBytes()
    let chunks: Buffer[] = []
    let keptSize = 0
    let size = 0
    let overflow: { hash: Hash; also: Overflow } | null = null
    let done = false

    const keep = (chunk: Buffer) => {
      chunks.push(chunk)
      keptSize += chunk.length
      inFlight.bytes += chunk.length
    }

    const finish = (aborted: boolean) => {
      if (done) return
      done = true
      inFlight.bytes -= keptSize
      const kept = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      chunks = []
      const sha256 = overflow === null ? hash('sha256', kept, 'hex') : overflow.hash.digest('hex')
      resolve({ kept, size, sha256, truncated: overflow !== null, aborted })
    }

    onBegun(() => {
      // What is already whole is only waiting to be handed over.
      if (request.complete || done) return false
      finish(true)
      return true
    })

    request.on('data', (chunk: Buffer) => {
      if (done) return
      size += chunk.length
      if (overflow === null && size <= limit) {
        if (inFlight.bytes + chunk.length > limits.bytesInFlight) {
          done = true
          inFlight.bytes -= keptSize
          chunks = []
          reject(new TooMuchInFlight())
          return
        }
        keep(chunk)
        return
      }
      if (overflow === null) {
        overflow = { hash: createHash('sha256'), also: startOverflow() }
        for (const earlier of chunks) {
          overflow.hash.update(earlier)
          overflow.also.update(earlier)
        }
        keep(chunk.subarray(0, limit - (size - chunk.length)))
      }
      overflow.hash.update(chunk)
      overflow.also.update(chunk)
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
