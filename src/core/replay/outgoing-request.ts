/**
 * A captured request as it goes out again: method, headers and body as they came, in their order, case and number, but for what
 * belongs to one connection and for what proves it. Signature and timestamp are made at this moment (section 5.2: a retried
 * delivery gets a new signature and a new timestamp).
 */
import type { KeyObject } from 'node:crypto'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Fault } from '../../shared/model/sending.ts'
import type { Tamper } from '../../shared/model/send.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import { genuineSigner, type SignedAttempt } from '../dispatch/signed-request.ts'
import { STALE_BY_MS, signerFor } from '../sandbox/fault.ts'

/** What is of the one connection it came on (RFC 9110, section 7.6.1), and what the client makes itself. */
const ofConnection = new Set([
  'host',
  'connection',
  'proxy-connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'trailer',
  'upgrade',
  'expect',
])

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

function otherUrl(url: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}other=1`
}

function sign(signing: Signing, body: Uint8Array, tamper: Tamper | null, wallTime: number): SignedAttempt {
  const { key, url } = signing
  if (tamper === 'future') return genuineSigner(key)(body, url, wallTime + STALE_BY_MS)
  if (tamper === 'url') return genuineSigner(key)(body, otherUrl(url), wallTime)
  return signerFor(tamper === null ? null : (faultOf[tamper] ?? null), key)(body, url, wallTime)
}

/**
 * `signing` is null only where nothing is to be signed (`no-signature`). `prefixes` are those under which the captured headers may
 * carry signature and timestamp; `wallTime` in milliseconds since the epoch.
 */
export function outgoingRequest(
  captured: { readonly headers: RawHeaders; readonly body: Uint8Array },
  signing: Signing | null,
  options: { readonly tamper: Tamper | null; readonly prefixes: readonly string[]; readonly wallTime: number },
): OutgoingRequest {
  const { tamper, prefixes, wallTime } = options
  const made = signing === null ? null : sign(signing, captured.body, tamper, wallTime)
  const signature = made === null || tamper === 'no-signature' ? null : made.signature
  const timestamp = tamper === 'no-timestamp' ? null : (made?.timestamp ?? String(Math.trunc(wallTime)))
  const names = prefixes.map(headerNames)
  const fresh = new Map<string, string | null>(
    names.flatMap((name): [string, string | null][] => [
      [name.signature, signature],
      [name.timestamp, timestamp],
    ]),
  )
  const headers: [string, string][] = []
  const replaced = new Set<string | null>()
  for (const [name, value] of captured.headers) {
    const lower = name.toLowerCase()
    if (ofConnection.has(lower)) continue
    const put = fresh.get(lower)
    if (put === undefined) headers.push([name, value])
    else if (put !== null) {
      headers.push([name, put])
      replaced.add(put)
    }
  }
  const own = headerNames(signing?.prefix ?? prefixes[0] ?? 'service')
  if (signature !== null && !replaced.has(signature)) headers.push([own.signature, signature])
  if (timestamp !== null && !replaced.has(timestamp)) headers.push([own.timestamp, timestamp])
  return { headers, body: made?.body ?? captured.body, signature, timestamp }
}
