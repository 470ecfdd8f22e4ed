/**
 * Builds the request for a replay or forward: captured headers and body in their order, case and number, except connection-specific
 * headers, signature and timestamp, and the user's edits. Signature and timestamp are fresh (section 5.2), unless the user keeps or
 * drops them.
 */
import type { KeyObject } from 'node:crypto'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Fault } from '../../shared/model/sandbox.ts'
import type { ReplayEdits, Tamper } from '../../shared/model/send.ts'
import { headerNames } from '../../shared/service/header-rules.ts'
import { signedUrlOf } from '../../shared/model/replay-edits.ts'
import { genuineSigner, type SignedAttempt } from '../signature/signature-headers.ts'
import { STALE_BY_MS, signerFor } from '../signature/fault.ts'
import { editedHeaders } from './edits.ts'

/** Kinds of tampering that are also faults of the sandbox. */
const faultOf: Partial<Record<Tamper, Fault>> = {
  body: 'altered-body',
  secret: 'wrong-secret',
  stale: 'stale',
  'single-pass': 'single-pass',
}

/** What a request is signed with. */
export interface Signing {
  /** The hook's current secret. */
  readonly key: KeyObject
  /** The handler's registered URL. */
  readonly url: string
  /** Header prefix, used if the captured request has no signature headers. */
  readonly prefix: string
}

export interface OutgoingRequest {
  readonly headers: RawHeaders
  readonly body: Uint8Array
  /** As in the headers; null if omitted. */
  readonly signature: string | null
  readonly timestamp: string | null
}

function sign(
  signing: Signing,
  body: Uint8Array,
  tamper: Tamper | null,
  wallTime: number,
): SignedAttempt {
  const { key } = signing
  const url = signedUrlOf(signing.url, tamper)
  if (tamper === 'future') return genuineSigner(key)(body, url, wallTime + STALE_BY_MS)
  return signerFor(tamper === null ? null : (faultOf[tamper] ?? null), key)(body, url, wallTime)
}

/** Case-insensitive comparison with a lower-case name. Most names differ in length, which is checked first. */
function isNamed(name: string, lowerCase: string): boolean {
  return name.length === lowerCase.length && name.toLowerCase() === lowerCase
}

/** The value of the first header with one of these names, or null. */
function valueOf(headers: RawHeaders, names: readonly string[]): string | null {
  return headers.find(([name]) => names.some((known) => isNamed(name, known)))?.[1] ?? null
}

export interface OutgoingOptions {
  readonly tamper: Tamper | null
  readonly edits: ReplayEdits
  /** Prefixes that captured signature and timestamp headers may have. */
  readonly prefixes: readonly string[]
  /** In milliseconds since the epoch. */
  readonly wallTime: number
}

/** The captured timestamp in milliseconds since the epoch, or null if there is none. */
export function originalTime(
  captured: RawHeaders,
  { edits, prefixes }: Pick<OutgoingOptions, 'edits' | 'prefixes'>,
): number | null {
  const names = prefixes.map((prefix) => headerNames(prefix).timestamp)
  const text = valueOf(editedHeaders(captured, edits), names)
  return text !== null && /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : null
}

/**
 * `captured.body` is the body to send, even if it was edited. `signing` is null only if nothing is signed. With the original time
 * there must be one (`originalTime`).
 */
export function outgoingRequest(
  captured: { readonly headers: RawHeaders; readonly body: Uint8Array },
  signing: Signing | null,
  options: OutgoingOptions,
): OutgoingRequest {
  const { tamper, edits, prefixes } = options
  const names = prefixes.map(headerNames)
  const given = editedHeaders(captured.headers, edits)
  const isOriginal = edits.timestamp === 'original'
  const givenTime = () =>
    valueOf(
      given,
      names.map((name) => name.timestamp),
    )
  if (edits.signature === 'keep') {
    const signature = valueOf(
      given,
      names.map((name) => name.signature),
    )
    return { headers: given, body: captured.body, signature, timestamp: givenTime() }
  }
  const wallTime = isOriginal
    ? (originalTime(captured.headers, options) ?? options.wallTime)
    : options.wallTime
  const isDropped = edits.signature === 'drop' || tamper === 'no-signature'
  const made = signing === null ? null : sign(signing, captured.body, tamper, wallTime)
  const signature = made === null || isDropped ? null : made.signature
  // Without a signature, any or no timestamp is fine.
  const ownTime =
    isOriginal && isDropped ? givenTime() : (made?.timestamp ?? String(Math.trunc(wallTime)))
  const timestamp = tamper === 'no-timestamp' ? null : ownTime
  const headers: RawHeaders = []
  let isSigned = false
  let isTimed = false
  for (const header of given) {
    const [name] = header
    if (names.some((known) => isNamed(name, known.signature))) {
      if (signature !== null) headers.push([name, signature])
      isSigned = true
    } else if (names.some((known) => isNamed(name, known.timestamp))) {
      if (timestamp !== null) headers.push([name, timestamp])
      isTimed = true
    } else headers.push(header)
  }
  const own = headerNames(signing?.prefix ?? prefixes[0] ?? 'service')
  if (signature !== null && !isSigned) headers.push([own.signature, signature])
  if (timestamp !== null && !isTimed) headers.push([own.timestamp, timestamp])
  return { headers, body: made?.body ?? captured.body, signature, timestamp }
}

/** Methods that announce a body even if it is empty (RFC 9110, section 8.6). */
const expectsBody = new Set(['PUT', 'POST', 'PATCH', 'QUERY', 'PROPFIND', 'PROPPATCH'])

/** The headers on the wire, including those the client adds. */
export function headersOnWire(
  target: URL,
  method: string,
  { headers, body }: { readonly headers: RawHeaders; readonly body: Uint8Array },
): RawHeaders {
  const length: RawHeaders =
    body.length > 0 || expectsBody.has(method) ? [['content-length', String(body.length)]] : []
  return [['host', target.host], ['connection', 'close'], ...headers, ...length]
}
