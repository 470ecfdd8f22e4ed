/**
 * Builds the request for a replay or forward: captured headers and body in their order and case,
 * with the user's edits and a fresh signature (section 5.2).
 */
import type { KeyObject } from 'node:crypto'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { ReplayEdits, Tamper } from '../../shared/model/send.ts'
import {
  DEFAULT_PREFIX,
  type HeaderNames,
  headerNames,
  signedPrefixes,
} from '../../shared/service/header-names.ts'
import { signTampered } from '../signature/signers.ts'
import { editedHeaders } from './replay-edits.ts'

export interface Signing {
  readonly key: KeyObject
  readonly url: string
  /** Prefix to sign under, whatever the captured request has. */
  readonly prefix: string
}

interface OutgoingRequest {
  readonly headers: RawHeaders
  readonly body: Uint8Array
  readonly signature: string | null
  readonly timestamp: string | null
}

/**
 * Whether a name equals a lower-case one; lengths are compared first, because they mostly differ.
 */
function isNamed(name: string, lowerCase: string): boolean {
  return name.length === lowerCase.length && name.toLowerCase() === lowerCase
}

function valueOf(headers: RawHeaders, lowerCaseName: string): string | null {
  return headers.find(([name]) => isNamed(name, lowerCaseName))?.[1] ?? null
}

/**
 * Returns the header names of the captured signature. The first of these prefixes decides:
 * - the signer's, if it occurs;
 * - one with both headers, a known one first;
 * - a known one that occurs;
 * - without any such header, the signer's, else a known one.
 */
function capturedNames(
  headers: RawHeaders,
  signing: Pick<Signing, 'prefix'> | null,
  prefixes: readonly string[],
): HeaderNames {
  const occurs = (prefix: string) => {
    const { signature, timestamp } = headerNames(prefix)
    return headers.some(([name]) => isNamed(name, signature) || isNamed(name, timestamp))
  }
  const own = signing === null ? [] : [signing.prefix]
  const lowerPrefixes = prefixes.map((prefix) => prefix.toLowerCase())
  const pairs = signedPrefixes(headers)
  const [capturedPrefix] = [
    ...own.filter(occurs),
    ...pairs.filter((prefix) => lowerPrefixes.includes(prefix)),
    ...pairs,
    ...lowerPrefixes.filter(occurs),
    ...own,
    ...lowerPrefixes,
  ]
  return headerNames(capturedPrefix ?? DEFAULT_PREFIX)
}

export interface OutgoingOptions {
  readonly tamper: Tamper | null
  readonly edits: ReplayEdits
  readonly prefixes: readonly string[]
  /** Time to sign, in milliseconds since the epoch. */
  readonly wallTime: number
}

/** Returns the captured timestamp in milliseconds since the epoch, or null. */
export function originalTime(
  captured: RawHeaders,
  signing: Pick<Signing, 'prefix'> | null,
  { edits, prefixes }: Pick<OutgoingOptions, 'edits' | 'prefixes'>,
): number | null {
  const sourceHeaders = editedHeaders(captured, edits)
  const text = valueOf(sourceHeaders, capturedNames(sourceHeaders, signing, prefixes).timestamp)
  // Milliseconds such as 1760000000000.
  return text !== null && /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : null
}

export function outgoingRequest(
  captured: { readonly headers: RawHeaders; readonly body: Uint8Array },
  signing: Signing | null,
  options: OutgoingOptions,
): OutgoingRequest {
  const { tamper, edits, prefixes } = options
  const sourceHeaders = editedHeaders(captured.headers, edits)
  const names = capturedNames(sourceHeaders, signing, prefixes)
  const isOriginal = edits.timestamp === 'original'
  const sourceTime = () => valueOf(sourceHeaders, names.timestamp)
  if (edits.signature === 'keep') {
    const signature = valueOf(sourceHeaders, names.signature)
    return { headers: sourceHeaders, body: captured.body, signature, timestamp: sourceTime() }
  }
  const wallTime = isOriginal
    ? (originalTime(captured.headers, signing, options) ?? options.wallTime)
    : options.wallTime
  const isDropped = edits.signature === 'drop' || tamper === 'no-signature'
  const signed = signing === null ? null : signTampered(signing, captured.body, tamper, wallTime)
  const signature = signed === null || isDropped ? null : signed.signature
  // Without a signature, any captured timestamp is kept, valid or not.
  const keptOrSignedTime =
    isOriginal && isDropped ? sourceTime() : (signed?.timestamp ?? String(Math.trunc(wallTime)))
  const timestamp = tamper === 'no-timestamp' ? null : keptOrSignedTime
  const sentNames = signing === null ? names : headerNames(signing.prefix)
  const spelled = (name: string, usualName: string) => (isNamed(name, usualName) ? name : usualName)
  const headers: RawHeaders = []
  let isSigned = false
  let isTimed = false
  for (const header of sourceHeaders) {
    const [name] = header
    if (isNamed(name, names.signature)) {
      if (signature !== null) headers.push([spelled(name, sentNames.signature), signature])
      isSigned = true
    } else if (isNamed(name, names.timestamp)) {
      if (timestamp !== null) headers.push([spelled(name, sentNames.timestamp), timestamp])
      isTimed = true
    } else headers.push(header)
  }
  if (signature !== null && !isSigned) headers.push([sentNames.signature, signature])
  if (timestamp !== null && !isTimed) headers.push([sentNames.timestamp, timestamp])
  return { headers, body: signed?.body ?? captured.body, signature, timestamp }
}

/** Methods that announce a body even if it is empty (RFC 9110, section 8.6). */
const expectsBody = new Set(['PUT', 'POST', 'PATCH', 'QUERY', 'PROPFIND', 'PROPPATCH'])

export function headersOnWire(
  target: URL,
  method: string,
  { headers, body }: { readonly headers: RawHeaders; readonly body: Uint8Array },
): RawHeaders {
  const length: RawHeaders =
    body.length > 0 || expectsBody.has(method) ? [['content-length', String(body.length)]] : []
  return [['host', target.host], ['connection', 'close'], ...headers, ...length]
}
