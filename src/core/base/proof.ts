/** Compares secrets, and proves to know one without sending it, because another program could have the port by now. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Returns one end's proof that it knows the key, which is worthless at another place (a port) or with another nonce. */
export function proofOf(
  key: string,
  end: 'client' | 'server',
  place: string,
  ...nonces: string[]
): string {
  return createHmac('sha256', key)
    .update([end, place, ...nonces].join('\n'))
    .digest('base64url')
}

export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Compares in constant time. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other))
}
