/**
 * The key of this browser's session. It is in the fragment of the one-time link, which browsers send to no server, and then in the
 * storage of this origin, which no other port can read. It leaves the page only as a proof, after the server has proven that it is
 * still the one that the browser signed in to: another program could have its port by now.
 */

import { toBase64 } from '../../shared/snippets/snippet.ts'

/** The key's name in the storage. */
export const KEY = 'countersign-key'

export interface Challenge {
  readonly nonce: string
  readonly proof: string
  /** Only for a page that sent the key itself. */
  readonly ticket?: string
}

/** For a browser that stores nothing. */
let ownKey: string | null = null

/** Moves the key from the address to the storage. */
export function takeKey(): void {
  const key = /^#key=([\w-]{43})$/.exec(location.hash)?.[1]
  if (key === undefined) return
  ownKey = key
  history.replaceState(null, '', '/')
  try {
    localStorage.setItem(KEY, key)
  } catch {
    // Reloading the page then needs a new link.
  }
}

export function readKey(): string | null {
  try {
    return localStorage.getItem(KEY) ?? ownKey
  } catch {
    return ownKey
  }
}

const base64url = (bytes: Uint8Array) =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace('=', '')

export function createNonce(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

/** Returns the ticket; null if the server can't prove that it knows the key's digest. */
export async function answerChallenge(
  key: string,
  clientNonce: string,
  { nonce, proof }: Challenge,
): Promise<string | null> {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const digest = base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes(key))))
  const hmacKey = await crypto.subtle.importKey(
    'raw',
    bytes(digest),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  const prove = async (end: 'client' | 'server') => {
    const text = [end, location.origin, clientNonce, nonce].join('\n')
    return base64url(new Uint8Array(await crypto.subtle.sign('HMAC', hmacKey, bytes(text))))
  }
  return proof === (await prove('server')) ? prove('client') : null
}
