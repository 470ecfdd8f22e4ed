import type { RawHeaders } from '../../shared/model/delivery.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import type { SignedAttempt } from './signers.ts'

/** Signature headers under one prefix. */
export interface SignatureHeaders {
  readonly signature: string | null
  readonly timestamp: string | null
  readonly messageId: string | null
  /** Header with several different values. */
  readonly conflict: 'signature' | 'timestamp' | null
}

/** Values that a proxy merged from repeated headers: `1763700000123, 1763700000456`. */
const MERGED = /^[\w+/=-]{10,}(?:, ?[\w+/=-]{10,})+$/

function valuesOf(headers: RawHeaders, name: string): string[] {
  const values: string[] = []
  for (const [given, value] of headers)
    if (given.length === name.length && given.toLowerCase() === name)
      values.push(...(MERGED.test(value) ? value.split(/, ?/) : [value]))
  return values
}

const hasConflict = (values: readonly string[]) => values.some((value) => value !== values[0])

export const NO_SIGNATURE: SignatureHeaders = {
  signature: null,
  timestamp: null,
  messageId: null,
  conflict: null,
}

/**
 * Reads the headers under each known prefix: first those of own prefixes in order, then complete
 * pairs, because a gateway's headers can look like another account's.
 */
export function readSignatureHeaders(
  headers: RawHeaders,
  prefixes: readonly string[],
  ownPrefixes: readonly string[] = [],
): SignatureHeaders[] {
  const all = [...new Set([...ownPrefixes, ...prefixes])]
  const headerSets = all.flatMap((prefix, place) => {
    const name = headerNames(prefix)
    const signatures = valuesOf(headers, name.signature)
    const timestamps = valuesOf(headers, name.timestamp)
    if (signatures.length === 0 && timestamps.length === 0) return []
    const isFirst = place < ownPrefixes.length || (signatures.length > 0 && timestamps.length > 0)
    const read: SignatureHeaders = {
      signature: signatures[0] ?? null,
      timestamp: timestamps[0] ?? null,
      messageId: valuesOf(headers, name.messageId)[0] ?? null,
      conflict: hasConflict(signatures)
        ? 'signature'
        : hasConflict(timestamps)
          ? 'timestamp'
          : null,
    }
    return [{ isFirst, read }]
  })
  return headerSets
    .toSorted((a, b) => Number(b.isFirst) - Number(a.isFirst))
    .map(({ read }) => read)
}

export type SignaturePair = { readonly [Part in 'signature' | 'timestamp']: string }

/** Whether both headers have exactly one value. */
export function isComplete(headers: SignatureHeaders): headers is SignatureHeaders & SignaturePair {
  return headers.signature !== null && headers.timestamp !== null && headers.conflict === null
}

/** Returns a delivery's headers, with custom ones (sections 4.4 and 5.2). */
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
