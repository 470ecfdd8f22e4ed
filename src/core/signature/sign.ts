/**
 * The signature of a delivery (section 5.2 of the interface): HMAC-SHA-256 with Base-64, twice, over the bytes
 * body + registered URL + timestamp. Pure functions on bytes; nothing here reads a clock.
 */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { quickHmacBase64 } from './quick-hmac.ts'

/** The three parts that are signed, in their order. `url` is the registered one, verbatim; `timestamp` the header's text. */
export interface SignatureParts {
  readonly body: Uint8Array
  readonly url: string
  readonly timestamp: string
}

export interface Signature {
  /** Base-64 of the second pass: the value of `x-service-signature`. */
  readonly signature: string
  /** Base-64 of the first pass, which is the text that the second pass is over. */
  readonly inner: string
}

/**
 * Makes the key object of a secret. Make it once a hook: what all signatures under a key have in common is worked out once for
 * each object. An empty secret is a key too, as it is for every other implementation of HMAC.
 */
export function secretKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret, 'utf8'))
}

/** One pass: HMAC-SHA-256 with Base-64 over the parts in the order given; texts as UTF-8. */
export function hmacBase64(key: KeyObject, parts: readonly (Uint8Array | string)[]): string {
  return quickHmacBase64('sha256', key, parts)
}

/** Signs one delivery (section 5.2, steps 1 to 3). */
export function signDelivery(parts: SignatureParts & { readonly key: KeyObject }): Signature {
  const inner = hmacBase64(parts.key, [parts.body, parts.url, parts.timestamp])
  return { inner, signature: hmacBase64(parts.key, [inner]) }
}
