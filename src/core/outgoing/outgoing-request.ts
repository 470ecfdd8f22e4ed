/**
 * A captured request as it goes out again: headers and body as they came, in their order, case and number, but for what belongs to
 * one connection, what proves it, and what was changed on purpose. Signature and timestamp are made at this moment (section 5.2: a
 * retried delivery gets a new signature and a new timestamp), unless they are to stay as they were, or to go.
 */
import type { KeyObject } from 'node:crypto'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Fault } from '../../shared/model/sending.ts'
import type { ReplayEdits } from '../../shared/model/replay-edits.ts'
import type { Tamper } from '../../shared/model/send.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import { signedUrlOf } from '../../shared/service/signed-url.ts'
import { genuineSigner, type SignedAttempt } from '../signature/signature-headers.ts'
import { STALE_BY_MS, signerFor } from '../signature/fault.ts'
import { editedHeaders } from './edits.ts'

/** The tampering that the sandbox has as a fault of its own. */
const faultOf: Partial<Record<Tamper, Fault>> = {
  body: 'altered-body',
  secret: 'wrong-secret',
  stale: 'stale',
  'single-pass': 'single-pass',
}

/** What a request is signed with. */
export interface Signing {
  /** The hook's present secret. */
  readonly key: KeyObject
  /** The URL that the receiver believes it has. */
  readonly url: string
  /** Of the header names, where the captured request has none. */
  readonly prefix: string
}

export interface OutgoingRequest {
  readonly headers: RawHeaders
  readonly body: Uint8Array
  /** As they stand in the headers; null where they are left out. */
  readonly signature: string | null
  readonly timestamp: string | null
}

function sign(signing: Signing, body: Uint8Array, tamper: Tamper | null, wallTime: number): SignedAttempt {
  const { key } = signing
  const url = signedUrlOf(signing.url, tamper)
  if (tamper === 'future') return genuineSigner(key)(body, url, wallTime + STALE_BY_MS)
  return signerFor(tamper === null ? null : (faultOf[tamper] ?? null), key)(body, url, wallTime)
}

/** Whether a header's name is one in lower case; most differ in their length already. */
function isNamed(name: string, lowerCase: string): boolean {
  return name.length === lowerCase.length && name.toLowerCase() === lowerCase
}

/** The value of the first header under one of these names; null where there is none. */
function valueOf(headers: RawHeaders, names: readonly string[]): string | null {
  return headers.find(([name]) => names.some((known) => isNamed(name, known)))?.[1] ?? null
}

export interface OutgoingOptions {
  readonly tamper: Tamper | null
  readonly edits: ReplayEdits
  /** Prefixes under which the captured headers may carry signature and timestamp. */
  readonly prefixes: readonly string[]
  /** In milliseconds since the epoch. */
  readonly wallTime: number
}

/** The time that is signed where it is to be that of the headers: milliseconds since the epoch; null where they have none. */
export function originalTime(
  captured: RawHeaders,
  { edits, prefixes }: Pick<OutgoingOptions, 'edits' | 'prefixes'>,
): number | null {
  const names = prefixes.map((prefix) => headerNames(prefix).timestamp)
  const text = valueOf(editedHeaders(captured, edits), names)
  return text !== null && /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : null
}

/**
 * `captured.body` is what is sent, also where it is not the captured one. `signing` is null only where nothing is to be signed.
 * With the original time there has to be one (`originalTime`).
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
  const wallTime = isOriginal ? (originalTime(captured.headers, options) ?? options.wallTime) : options.wallTime
  const isDropped = edits.signature === 'drop' || tamper === 'no-signature'
  const made = signing === null ? null : sign(signing, captured.body, tamper, wallTime)
  const signature = made === null || isDropped ? null : made.signature
  // What is not signed may have any time, or none.
  const ownTime = isOriginal && isDropped ? givenTime() : (made?.timestamp ?? String(Math.trunc(wallTime)))
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

/** Methods that announce a body also where they have none (RFC 9110, section 8.6). */
const expectsBody = new Set(['PUT', 'POST', 'PATCH', 'QUERY', 'PROPFIND', 'PROPPATCH'])

/** Headers as they stand on the wire: with what the client adds to them at its connection. */
export function headersOnWire(
  target: URL,
  method: string,
  { headers, body }: { readonly headers: RawHeaders; readonly body: Uint8Array },
): RawHeaders {
  const length: RawHeaders = body.length > 0 || expectsBody.has(method) ? [['content-length', String(body.length)]] : []
  return [['host', target.host], ['connection', 'close'], ...headers, ...length]
}
