import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Returns a proof of the key that is valid for one end, URL and nonce. */
export function proofOf(
  key: string,
  end: 'client' | 'server',
  url: string,
  ...nonces: string[]
): string {
  return createHmac('sha256', key)
    .update([end, url, ...nonces].join('\n'))
    .digest('base64url')
}

export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Whether secrets are equal, compared in constant time. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other))
}
