/**
 * Signs a delivery (section 5.2): HMAC-SHA-256 with Base64, twice, over body + registered URL + timestamp as bytes. Pure
 * functions; nothing here reads a clock.
 */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { quickHmac } from './quick-hmac.ts'

/** The three signed parts, in order. `url` is the registered one, verbatim; `timestamp` the header's text. */
export interface SignatureParts {
  readonly body: Uint8Array
  readonly url: string
  readonly timestamp: string
}

export interface Signature {
  /** Base64 of the second pass: the value of `x-service-signature`. */
  readonly signature: string
  /** Base64 of the first pass, which is the second pass's input. */
  readonly inner: string
}

/**
 * Creates the key object of a secret, once per hook: work shared by all signatures of a key is done once per object. An empty
 * secret is a valid key, as in every other HMAC implementation.
 */
export function secretKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret, 'utf8'))
}

/**
 * Whether two secrets give the same signatures. HMAC pads a key with zeros to its block and hashes a longer one, so secrets that
 * differ as bytes may be one key.
 */
export function isSameKey(one: KeyObject, other: KeyObject): boolean {
  return hmacBase64(one, []) === hmacBase64(other, [])
}

/** One pass: HMAC-SHA-256 with Base64 over the parts in the given order; texts as UTF-8. */
export function hmacBase64(key: KeyObject, parts: readonly (Uint8Array | string)[]): string {
  return quickHmac('sha256', key, parts)
}

/** Signs one delivery (section 5.2, steps 1 to 3). */
export function signDelivery(parts: SignatureParts & { readonly key: KeyObject }): Signature {
  const inner = hmacBase64(parts.key, [parts.body, parts.url, parts.timestamp])
  return { inner, signature: hmacBase64(parts.key, [inner]) }
}
