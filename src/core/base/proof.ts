/**
 * Proofs that both ends of a connection know the same key. Each end proves it over the other's random nonce, so the key is never
 * sent, and whoever took over a port gets nothing from it.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** 256 bits in base64url. */
export const NONCE = /^[\w-]{43}$/

/** The nonce of the client, then the server's. */
export type Nonces = readonly [string, string]

/**
 * Returns one end's proof.
 *
 * @param end so that neither end's proof can be sent back to it
 * @param place where the server listens, so that a proof can't be passed on to another port
 */
export function proofOf(
  key: string,
  end: 'client' | 'server',
  place: string,
  nonces: Nonces,
): string {
  return createHmac('sha256', key)
    .update([end, place, ...nonces].join('\n'))
    .digest('base64url')
}

export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Compares in constant time, whatever the lengths. */
export function isSameSecret(left: string, right: string): boolean {
  return timingSafeEqual(digestOf(left), digestOf(right))
}
