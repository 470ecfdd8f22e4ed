/** Signs a delivery (section 5.2): HMAC-SHA-256 with Base64, twice. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { quickHmac } from './quick-hmac.ts'

/** Signed parts, each exactly as sent; the URL as registered. */
export interface SignatureParts {
  readonly body: Uint8Array
  readonly url: string
  readonly timestamp: string
}

export interface Signature {
  /** Base64 of the second pass, in `x-service-signature`. */
  readonly signature: string
  /** Base64 of the first pass, which the second one hashes. */
  readonly inner: string
}

/** Creates a key, best once per hook, because it caches work; an empty secret is valid. */
export function secretKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret, 'utf8'))
}

/** Whether two secrets sign alike, since HMAC pads short keys and hashes long ones. */
export function isSameKey(one: KeyObject, other: KeyObject): boolean {
  return hmacBase64(one, []) === hmacBase64(other, [])
}

/** Computes one pass in Base64; texts are UTF-8. */
export function hmacBase64(key: KeyObject, parts: readonly (Uint8Array | string)[]): string {
  return quickHmac('sha256', key, parts)
}

/** Signs one delivery (section 5.2, steps 1 to 3). */
export function signDelivery(parts: SignatureParts & { readonly key: KeyObject }): Signature {
  const inner = hmacBase64(parts.key, [parts.body, parts.url, parts.timestamp])
  return { inner, signature: hmacBase64(parts.key, [inner]) }
}
