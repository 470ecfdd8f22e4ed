/**
 * Builds the request for a replay or forward: captured headers and body in their order, case and number, except connection-specific
 * headers, signature and timestamp, and the user's edits. Signature and timestamp are fresh (section 5.2), unless the user keeps or
 * drops them.
 */
import type { KeyObject } from 'node:crypto'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { ReplayEdits, Tamper } from '../../shared/model/send.ts'
import {
  DEFAULT_PREFIX,
  type HeaderNames,
  headerNames,
  signedPrefixes,
} from '../../shared/service/header-rules.ts'
import { signTampered } from '../signature/fault.ts'
import { missingLiteral, withLiteral } from '../../shared/body/json-literals.ts'
import { utf8Text } from '../../shared/body/encoding.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { headerProblem, isOfConnection } from '../../shared/http.ts'

export interface Signing {
  /** The hook's current secret. */
  readonly key: KeyObject
  /** The handler's registered URL. */
  readonly url: string
  /** The prefix of the header names to sign under, whatever the captured request has. */
  readonly prefix: string
}

interface OutgoingRequest {
  readonly headers: RawHeaders
  readonly body: Uint8Array
  /** As in the headers; null if omitted. */
  readonly signature: string | null
  readonly timestamp: string | null
}

/** Case-insensitive comparison with a lower-case name. Most names differ in length, which is checked first. */
function isNamed(name: string, lowerCase: string): boolean {
  return name.length === lowerCase.length && name.toLowerCase() === lowerCase
}

function valueOf(headers: RawHeaders, wanted: string): string | null {
  return headers.find(([name]) => isNamed(name, wanted))?.[1] ?? null
}

/** The names of the captured signature: those to sign under if there are any, else those of a complete pair, known ones first. */
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
  const known = prefixes.map((prefix) => prefix.toLowerCase())
  const pairs = signedPrefixes(headers)
  const [found] = [
    ...own.filter(occurs),
    ...pairs.filter((prefix) => known.includes(prefix)),
    ...pairs,
    ...known.filter(occurs),
    ...own,
    ...known,
  ]
  return headerNames(found ?? DEFAULT_PREFIX)
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
  signing: Pick<Signing, 'prefix'> | null,
  { edits, prefixes }: Pick<OutgoingOptions, 'edits' | 'prefixes'>,
): number | null {
  const given = editedHeaders(captured, edits)
  const text = valueOf(given, capturedNames(given, signing, prefixes).timestamp)
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
  const given = editedHeaders(captured.headers, edits)
  const names = capturedNames(given, signing, prefixes)
  const isOriginal = edits.timestamp === 'original'
  const givenTime = () => valueOf(given, names.timestamp)
  if (edits.signature === 'keep') {
    const signature = valueOf(given, names.signature)
    return { headers: given, body: captured.body, signature, timestamp: givenTime() }
  }
  const wallTime = isOriginal
    ? (originalTime(captured.headers, signing, options) ?? options.wallTime)
    : options.wallTime
  const isDropped = edits.signature === 'drop' || tamper === 'no-signature'
  const made = signing === null ? null : signTampered(signing, captured.body, tamper, wallTime)
  const signature = made === null || isDropped ? null : made.signature
  // Without a signature, any or no timestamp is fine.
  const ownTime =
    isOriginal && isDropped ? givenTime() : (made?.timestamp ?? String(Math.trunc(wallTime)))
  const timestamp = tamper === 'no-timestamp' ? null : ownTime
  const own = signing === null ? names : headerNames(signing.prefix)
  /** The captured spelling, if it is the same name. */
  const spelled = (name: string, its: string) => (isNamed(name, its) ? name : its)
  const headers: RawHeaders = []
  let isSigned = false
  let isTimed = false
  for (const header of given) {
    const [name] = header
    if (isNamed(name, names.signature)) {
      if (signature !== null) headers.push([spelled(name, own.signature), signature])
      isSigned = true
    } else if (isNamed(name, names.timestamp)) {
      if (timestamp !== null) headers.push([spelled(name, own.timestamp), timestamp])
      isTimed = true
    } else headers.push(header)
  }
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

// Headers and body of a captured request with the user's edits, before it is signed.

/** Each given name replaces the first header of that name and removes the rest; new names are appended. */
function withSet(headers: RawHeaders, set: RawHeaders): RawHeaders {
  if (set.length === 0) return headers
  const given = Map.groupBy(set, ([name]) => name.toLowerCase())
  const placed = new Set<string>()
  const changed = headers.flatMap((header): RawHeaders => {
    const name = header[0].toLowerCase()
    const put = given.get(name)
    if (put === undefined) return [header]
    if (placed.has(name)) return []
    placed.add(name)
    return put
  })
  return [...changed, ...set.filter(([name]) => !placed.has(name.toLowerCase()))]
}

/** The captured or replacement headers, without connection-specific ones. */
function editedHeaders(captured: RawHeaders, { headers, setHeaders }: ReplayEdits): RawHeaders {
  return withSet(headers ?? captured, setHeaders).filter(([name]) => !isOfConnection(name))
}

const NEEDS_OWN_TIME: readonly (Tamper | null)[] = ['stale', 'future', 'no-timestamp']

/** Why a header set by the user wouldn't be sent as given; null if it would. Captured headers are replaced silently. */
function setInVain(
  name: string,
  { signature, timestamp }: ReplayEdits,
  prefixes: readonly string[],
): string | null {
  if (signature === 'keep') return null
  const names = (of: 'signature' | 'timestamp') =>
    prefixes.some((prefix) => headerNames(prefix)[of] === name.toLowerCase())
  if (names('signature'))
    return `${name} ${signature === 'drop' ? 'is omitted' : 'is re-computed'}, so your value wouldn't be sent. Remove the header, or keep the signature (--signature keep).`
  if (names('timestamp') && timestamp === 'now')
    return `${name} is set when the request is sent, so your value wouldn't be sent. Remove the header, or keep the time (--timestamp original) or the signature (--signature keep).`
  return null
}

/** Throws `INVALID_INPUT` for values that can't be sent and for conflicting edits. `prefixes` are the header prefixes. */
export function checkEdits(
  edits: ReplayEdits,
  tamper: Tamper | null,
  prefixes: readonly string[],
): void {
  const { method, headers, setHeaders, signature, timestamp } = edits
  const problems = [
    method !== null && !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(method)
      ? `"${method}" isn't a valid method. Use a single word, such as POST.`
      : null,
    method?.toUpperCase() === 'CONNECT' ? "CONNECT requests can't be replayed." : null,
    ...[...(headers ?? []), ...setHeaders].map(([name, value]) => headerProblem(name, value)),
    ...setHeaders.map(([name]) => setInVain(name, edits, prefixes)),
    tamper !== null && signature !== 'recompute'
      ? 'Tampering needs a fresh signature, so that only one thing is wrong. Use either --tamper or a signature option.'
      : null,
    NEEDS_OWN_TIME.includes(tamper) && timestamp === 'original'
      ? `Use either tampering with the time (${tamper}) or the captured time.`
      : null,
  ]
  const first = problems.find((problem) => problem !== null)
  if (first !== undefined) throw new AppError('INVALID_INPUT', first)
}

/**
 * Returns the body with JSON fields set as typed, else unchanged. Throws `INVALID_INPUT` if it
 * isn't JSON or lacks a field.
 */
export function editedBody(body: Uint8Array, { set }: Pick<ReplayEdits, 'set'>): Uint8Array {
  if (set === undefined) return body
  let text = utf8Text(body, false)
  for (const [path, literal] of Object.entries(set)) {
    const problem = missingLiteral(text, path)
    if (problem !== null) throw new AppError('INVALID_INPUT', problem)
    text = text === null ? null : withLiteral(text, path, literal)
  }
  return text === null ? body : Buffer.from(text)
}
