/**
 * Reads one request: its body, kept up to a limit, counted and hashed to its end; and the reason in a sentence if it couldn't be
 * read, because malformed requests are shown, not dropped. Received bytes are never changed, and a body that stops early is
 * distinguished from a complete one.
 */
import { createHash, hash, type Hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { DEFAULT_SETTINGS } from '../../shared/model/settings.ts'
import { counted } from '../../shared/text/counted.ts'
import { collectYoung, releaseMemory } from '../base/threads/memory.ts'
import type { Registry } from '../hooks/registry.ts'

export interface ReceiverLimits {
  /** Stored bytes of a body, read when one begins; a longer body gets the response 413, and its start is stored. */
  bodyBytes(): number
  /**
   * Bytes of all large bodies that arrive or are being stored at one time; beyond it the newest get a 503. With connections and
   * garbage they use 64 MiB.
   */
  readonly bytesInFlight: number
  /** Bytes of a request's headers in total. */
  readonly headerBytes: number
  /** Header lines of a request, and lines of its trailers; as few bytes as a line may have, each costs time and memory. */
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

/** A request as received. Method and path are null if not even the request line could be read. */
export interface ReceivedRequest {
  readonly receivedAt: number
  readonly method: string | null
  readonly path: string | null
  readonly httpVersion: string
  readonly headers: RawHeaders
  /** Trailers after a chunked body. */
  readonly trailers: RawHeaders
  readonly body: ReceivedBody
  readonly remote: string | null
  /** Why the request is malformed, or null. */
  readonly malformed: string | null
}

export interface ReceivedBody {
  /** The bytes kept: all of them, or the start of a body over the limit. */
  readonly kept: Uint8Array
  /** Bytes received, including those beyond the limit. */
  readonly size: number
  /** Empty if it wasn't computed while reading. */
  readonly sha256: string
  /** The verification of a body over the limit, with all of its bytes; null for a body that is kept. */
  readonly overflow: Overflow | null
  /** Whether the sender stopped before the body's end. */
  readonly aborted: boolean
  /** Frees the kept bytes: nobody may read them afterwards. */
  release(): void
}

/** Verifies a whole body that is over the limit, from its first byte. */
export type Overflow = ReturnType<Registry['judgeStream']>

/** The body of a request without one, or whose body was never read. */
export function emptyBody(kept: Uint8Array = new Uint8Array()): ReceivedBody {
  const release = () => undefined
  return { kept, size: kept.length, sha256: '', overflow: null, aborted: false, release }
}

/** The body wasn't read to its end: large bodies use all the memory reserved for them. */
export class TooMuchInFlight extends Error {}

/** Reads to the end. `startOverflow` is called once the body exceeds `limit`, in bytes. */
export function readBody(
  request: IncomingMessage,
  limit: number,
  heldBodies: HeldBodies,
  startOverflow: () => Overflow,
) {
  const { promise, resolve, reject } = Promise.withResolvers<ReceivedBody>()
  let size = 0
  let long: { hash: Hash; overflow: Overflow } | null = null
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
    const sha256 = long === null ? hash('sha256', kept, 'hex') : long.hash.digest('hex')
    const overflow = long?.overflow ?? null
    resolve({ kept, size, sha256, overflow, aborted, release: held.release })
  }

  request.on('data', (chunk: Buffer) => {
    if (done) {
      heldBodies.spent(chunk)
      return
    }
    const before = size
    size += chunk.length
    if (long === null && size > limit) {
      long = { hash: createHash('sha256'), overflow: startOverflow() }
      const earlier = held.bytes()
      long.hash.update(earlier)
      long.overflow.stream.update(earlier)
    }
    if (before < limit) held.add(size <= limit ? chunk : chunk.subarray(0, limit - before))
    else heldBodies.spent(chunk)
    long?.hash.update(chunk)
    long?.overflow.stream.update(chunk)
  })
  request.on('end', () => finish(false))
  // A socket that closes early emits an error, or only a close: either way the received part is the body.
  request.on('error', () => finish(true))
  request.on('close', () => finish(!request.complete))

  return {
    /** Rejects with `TooMuchInFlight` if the body must make room for older ones. */
    body: promise,
    /** Ends the reading of an incomplete body, keeping the received part; false if there is nothing left to end. */
    stop() {
      // A complete body only waits to be passed on.
      if (request.complete || done) return false
      finish(true)
      return true
    },
  }
}

// The bytes of bodies while they arrive and until they are stored. Large bodies share a fixed amount of memory: if they don't fit,
// the newest incomplete ones are rejected. Small bodies always fit.

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
        /** Keeps a chunk. If it doesn't fit, the body may be rejected and freed. */
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
        /** All bytes kept so far, valid until the next call. */
        bytes,
        /** All bytes kept, valid until `release`. From now on the body can't be rejected. */
        finish() {
          arriving.delete(body)
          return bytes()
        },
        release: drop,
      }
    },
  }
}

// Why a request couldn't be read.

/** Details from Node's parser and TLS about a client error. */
export interface ClientError extends Error {
  readonly code?: string
  readonly reason?: string
  readonly bytesParsed?: number
  /** The unparsable bytes, as received. */
  readonly rawPacket?: Buffer
}

const TOO_MANY = 'more than 64 KiB or 500 lines, the limits.'

const SENTENCES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The headers have ${TOO_MANY}`,
  HPE_INVALID_METHOD: "The request line doesn't start with an HTTP method.",
  HPE_INVALID_VERSION: 'The request line has an unknown HTTP version.',
  HPE_INVALID_URL: 'The request line has an invalid URL.',
  HPE_INVALID_CONSTANT: "The request line isn't valid HTTP/1.1.",
  HPE_INVALID_HEADER_TOKEN: 'A header has an invalid character, or no colon.',
  HPE_INVALID_CONTENT_LENGTH: "The Content-Length header isn't a number.",
  HPE_UNEXPECTED_CONTENT_LENGTH:
    'The request has two contradicting body lengths (Content-Length twice, or with Transfer-Encoding).',
  HPE_INVALID_TRANSFER_ENCODING:
    "The Transfer-Encoding header isn't valid in HTTP/1.1, or is combined with a Content-Length.",
  HPE_INVALID_CHUNK_SIZE: "The length of a body chunk isn't a hexadecimal number.",
  HPE_CR_EXPECTED: 'A line ends with LF only. HTTP requires CR LF.',
  HPE_LF_EXPECTED: 'A line ends with CR only. HTTP requires CR LF.',
  HPE_STRICT: 'The request violates HTTP/1.1 syntax.',
  HPE_INVALID_EOF_STATE: 'The connection was closed in the middle of the request.',
  HPE_PAUSED_H2_UPGRADE: 'The sender used HTTP/2; the receiver supports HTTP/1.1.',
  HPE_CLOSED_CONNECTION: "More bytes followed a request that announced the connection's end.",
  ERR_HTTP_REQUEST_TIMEOUT:
    "The request didn't arrive completely in time (10 s for the headers, 60 s in total).",
  ERR_TLS_HANDSHAKE_TIMEOUT: "The TLS handshake wasn't completed in time.",
  ERR_SSL_NO_APPLICATION_PROTOCOL:
    'The sender offers only protocols such as HTTP/2; the receiver supports HTTP/1.1.',
  ECONNRESET: 'The connection was reset in the middle of the request.',
  ERR_SSL_HTTP_REQUEST: 'Plain HTTP was sent to the HTTPS port. Use https:// in the URL.',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'The sender offers only outdated TLS versions.',
  ERR_SSL_NO_SHARED_CIPHER: 'The sender and the receiver share no TLS cipher.',
}

/** The parser's details about fields apply to trailers too. */
const TRAILER_SENTENCES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `The trailers have ${TOO_MANY}`,
  HPE_INVALID_HEADER_TOKEN: 'A trailer has an invalid character, or no colon.',
}

const UNTRUSTED =
  "The sender doesn't trust the certificate. Give it ca.pem from the tls folder (curl: --cacert)."

const BROKEN_OFF =
  "The sender aborted the TLS handshake, probably because it doesn't trust the certificate. Give it ca.pem from the tls folder."

const LENGTH_TWICE =
  'The request has the Content-Length header twice, with the same value. The sender or a proxy adds it again: send it once.'

const TLS_ON_HTTP = 'TLS handshake on the HTTP port. Send https:// requests to the HTTPS port.'
const TLS_TWICE =
  'TLS handshake inside an HTTPS connection. The sender or a proxy encrypts twice: remove one TLS layer.'

export function handshakeReasonOf(error: ClientError): string {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE' ? BROKEN_OFF : reasonOf(error)
}

/** Why a body ended early, after `size` of the announced bytes. */
export function interruptionReasonOf(
  fault: ClientError | null,
  size: number,
  announced: string | undefined,
): string {
  const code = fault?.code ?? 'ECONNRESET'
  const isGone = code === 'ECONNRESET' || code === 'EPIPE' || code === 'HPE_INVALID_EOF_STATE'
  // The headers were read when the body began.
  if (fault !== null && !isGone) return TRAILER_SENTENCES[code] ?? reasonOf(fault)
  const of = announced === undefined ? '' : ` (${announced} bytes were announced)`
  return `The body stopped after ${counted(size, 'byte')}${of}: the sender closed the connection.`
}

/** Why the receiver rejects a request of this version, which the parser accepts; null if it doesn't. */
export function versionReasonOf(version: string): string | null {
  if (version === '1.1' || version === '1.0') return null
  return `The request line says HTTP/${version}; the receiver supports HTTP/1.1.`
}

/** Why the receiver rejects headers or trailers of more lines than `most`, of which the parser stops some only; null if it doesn't. */
export function linesReasonOf(
  { rawHeaders, rawTrailers }: Pick<IncomingMessage, 'rawHeaders' | 'rawTrailers'>,
  most: number,
): string | null {
  if (rawHeaders.length > 2 * most) return SENTENCES['HPE_HEADER_OVERFLOW']!
  return rawTrailers.length > 2 * most ? TRAILER_SENTENCES['HPE_HEADER_OVERFLOW']! : null
}

/** The reason as a sentence; the parser's own words if there is no better one. `isEncrypted`: the bytes came within TLS. */
export function reasonOf(error: ClientError, isEncrypted = true): string {
  if (startsLikeTls(error.rawPacket)) return isEncrypted ? TLS_TWICE : TLS_ON_HTTP
  if (startsLikeHttp2(error.rawPacket)) return SENTENCES['HPE_PAUSED_H2_UPGRADE']!
  const code = error.code ?? ''
  // The parser reports a line ending with LF only as an unreadable version, which is misleading.
  if (
    code === 'HPE_INVALID_VERSION' &&
    /^[^\r\n]*\n/.test(error.rawPacket?.toString('latin1') ?? '')
  )
    return SENTENCES['HPE_CR_EXPECTED']!
  if (code === 'HPE_UNEXPECTED_CONTENT_LENGTH' && repeatsLength(error.rawPacket))
    return LENGTH_TWICE
  if (/ALERT_(UNKNOWN_CA|CERTIFICATE_UNKNOWN|BAD_CERTIFICATE)/.test(code)) return UNTRUSTED
  const known = SENTENCES[code]
  if (known !== undefined) return known
  const detail = error.reason ?? error.message
  return code.startsWith('ERR_SSL') || code.startsWith('EPROTO')
    ? `The TLS handshake failed: ${detail}.`
    : `The request isn't readable as HTTP/1.1: ${detail}.`
}

/** Whether the headers in a packet have several equal Content-Length values, and no Transfer-Encoding. */
function repeatsLength(packet: Buffer | undefined): boolean {
  const head = packet?.toString('latin1').split('\r\n\r\n')[0] ?? ''
  const values = [...head.matchAll(/^content-length:(.*)$/gim)].map(([, value]) => value?.trim())
  return (
    values.length > 1 && new Set(values).size === 1 && !/^transfer-encoding[ \t]*:/im.test(head)
  )
}

function startsLikeHttp2(packet: Buffer | undefined): boolean {
  return packet !== undefined && packet.subarray(0, 14).toString('latin1') === 'PRI * HTTP/2.0'
}

/** A TLS record with a handshake (0x16), then the major version. */
function startsLikeTls(packet: Buffer | undefined): boolean {
  return packet?.[0] === 0x16 && packet[1] === 0x03
}

/** The response status for a malformed request, if it can still get a response. */
export function statusOf(error: ClientError): number {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 431
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}
