/** A request's signature headers, under the first prefix that has any. */
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { HeaderNames } from '../../shared/service/header-names.ts'

/** A delivery's signature headers, under the first prefix that has any. */
export interface SignatureHeaders {
  readonly signature: string | null
  readonly timestamp: string | null
  readonly messageId: string | null
  /** Whether a header occurs twice with different values. */
  readonly contradictory: boolean
}

function collect(headers: RawHeaders, name: string): string[] {
  const values: string[] = []
  for (const [given, value] of headers) if (given.length === name.length && given.toLowerCase() === name) values.push(value)
  return values
}

/** Reads the signature headers under the first of the names that occurs. */
export function readSignatureHeaders(headers: RawHeaders, names: readonly HeaderNames[]): SignatureHeaders {
  for (const name of names) {
    const signatures = collect(headers, name.signature)
    const timestamps = collect(headers, name.timestamp)
    if (signatures.length === 0 && timestamps.length === 0) continue
    const contradictory =
      signatures.some((value) => value !== signatures[0]) || timestamps.some((value) => value !== timestamps[0])
    return {
      signature: signatures[0] ?? null,
      timestamp: timestamps[0] ?? null,
      messageId: collect(headers, name.messageId)[0] ?? null,
      contradictory,
    }
  }
  return { signature: null, timestamp: null, messageId: null, contradictory: false }
}
