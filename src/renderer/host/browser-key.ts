/**
 * The key of this browser's session. It leaves the page only as a proof, once the server has proven
 * itself, because another program could have taken its port.
 */
import { toBase64 } from '../../shared/snippets/snippet.ts'

const KEY = 'countersign-key'

/** Key of the address, stored once it has opened the app, because any site can link here. */
let linked: string | undefined

/** Returns the session's key; null if there is none or storage is blocked. */
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
  // Browsers have no cryptography over plain HTTP from another computer: the key is the ticket.
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
