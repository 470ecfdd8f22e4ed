/** Signature headers: read from a request under each known prefix, and written to a delivery. */
import type { KeyObject } from 'node:crypto'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { headerNames } from '../../shared/service/header-rules.ts'
import { signDelivery } from './sign.ts'

/** A delivery's signature headers under one prefix. */
export interface SignatureHeaders {
  readonly signature: string | null
  readonly timestamp: string | null
  readonly messageId: string | null
  /** The header that has several different values; null if neither has. */
  readonly conflict: 'signature' | 'timestamp' | null
}

/**
 * Values that a proxy may have merged from repeated headers: digests and times contain no comma.
 */
const MERGED = /^[\w+/=-]{10,}(?:, ?[\w+/=-]{10,})+$/

function collect(headers: RawHeaders, name: string): string[] {
  const values: string[] = []
  for (const [given, value] of headers)
    if (given.length === name.length && given.toLowerCase() === name)
      values.push(...(MERGED.test(value) ? value.split(/, ?/) : [value]))
  return values
}

const isConflict = (values: readonly string[]) => values.some((value) => value !== values[0])

export const NO_SIGNATURE: SignatureHeaders = {
  signature: null,
  timestamp: null,
  messageId: null,
  conflict: null,
}

/**
 * Reads the signature headers under each known prefix that has any. First those under an own prefix, in that order, then complete
 * pairs: a gateway's headers can look like another account's.
 */
export function readSignatureHeaders(
  headers: RawHeaders,
  prefixes: readonly string[],
  own: readonly string[] = [],
): SignatureHeaders[] {
  const all = [...new Set([...own, ...prefixes])]
  const found = all.flatMap((prefix, place) => {
    const name = headerNames(prefix)
    const signatures = collect(headers, name.signature)
    const timestamps = collect(headers, name.timestamp)
    if (signatures.length === 0 && timestamps.length === 0) return []
    const isFirst = place < own.length || (signatures.length > 0 && timestamps.length > 0)
    const read: SignatureHeaders = {
      signature: signatures[0] ?? null,
      timestamp: timestamps[0] ?? null,
      messageId: collect(headers, name.messageId)[0] ?? null,
      conflict: isConflict(signatures) ? 'signature' : isConflict(timestamps) ? 'timestamp' : null,
    }
    return [{ isFirst, read }]
  })
  return found.toSorted((a, b) => Number(b.isFirst) - Number(a.isFirst)).map(({ read }) => read)
}

/** A pair that can be verified. */
export type SignaturePair = { readonly [Part in 'signature' | 'timestamp']: string }

/** Whether a signature can be verified: with both headers, each with one value. */
export function isComplete(headers: SignatureHeaders): headers is SignatureHeaders & SignaturePair {
  return headers.signature !== null && headers.timestamp !== null && headers.conflict === null
}

/** What one attempt sends. The body may differ from the signed one if a fault requires it. */
export interface SignedAttempt {
  readonly body: Uint8Array
  readonly timestamp: string
  readonly signature: string
}

/** Signs an attempt; called for each attempt, because a retry has a new timestamp (section 5.2). */
export type Signer = (body: Uint8Array, url: string, wallTime: number) => SignedAttempt

/** Signs per spec: current wall-clock time in milliseconds, HMAC-SHA-256 with Base64 twice. */
export function genuineSigner(key: KeyObject): Signer {
  return (body, url, wallTime) => {
    const timestamp = String(Math.trunc(wallTime))
    return { body, timestamp, signature: signDelivery({ body, url, timestamp, key }).signature }
  }
}

/**
 * A delivery ready to send: signed at this moment over the registered URL, with the hook's custom headers (sections 4.4 and 5.2).
 */
export function deliveryHeaders(
  prefix: string,
  attempt: SignedAttempt,
  custom: Readonly<Record<string, string>>,
): RawHeaders {
  const names = headerNames(prefix)
  return [
    ['content-type', 'application/json'],
    [names.signature, attempt.signature],
    [names.timestamp, attempt.timestamp],
    ...Object.entries(custom),
  ]
}
