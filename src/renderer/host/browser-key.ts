/**
 * The key of this browser's session: from the fragment of the one-time link, which no server gets, and then in this origin's
 * storage, which no other port can read. It leaves the page only as a proof, once the server has proven that it is the one that the
 * browser signed in to, because another program could have its port by now.
 */
import { toBase64 } from '../../shared/snippets/snippet.ts'

const KEY = 'countersign-key'

/** The key in the address. It is kept once it has opened the app, because any site can link here with another one. */
let linked: string | undefined

/** Null if there is no key, or the browser's settings forbid storage. */
export function readKey(): string | null {
  const key = /^#key=(.+)$/.exec(location.hash)?.[1]
  if (key !== undefined) {
    linked = key
    history.replaceState(null, '', '/')
  }
  try {
    const stored = localStorage.getItem(KEY)
    return linked ?? stored
  } catch {
    return null
  }
}

export function keepKey(key: string): void {
  localStorage.setItem(KEY, key)
  linked = undefined
}

const base64url = (bytes: ArrayBuffer) =>
  toBase64(new Uint8Array(bytes)).replaceAll('+', '-').replaceAll('/', '_').replace('=', '')

export function createNonce(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)).buffer)
}

export interface Challenge {
  readonly nonce: string
  readonly proof: string
}

/** Returns the ticket; null if the server can't prove that it knows the key's digest. */
export async function ticketFor(
  key: string,
  clientNonce: string,
  { nonce, proof }: Challenge,
): Promise<string | null> {
  // Over plain HTTP from another computer, browsers have no cryptography: the key itself is the ticket.
  if (!isSecureContext) return key
  const { subtle } = crypto
  const bytes = (text: string) => new TextEncoder().encode(text)
  const digest = bytes(base64url(await subtle.digest('SHA-256', bytes(key))))
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const hmacKey = await subtle.importKey('raw', digest, hmac, false, ['sign'])
  const prove = async (end: 'client' | 'server') => {
    const text = [end, location.origin, clientNonce, nonce].join('\n')
    return base64url(await subtle.sign('HMAC', hmacKey, bytes(text)))
  }
  return proof === (await prove('server')) ? prove('client') : null
}
