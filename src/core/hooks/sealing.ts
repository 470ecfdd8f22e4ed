/** AES-256-GCM under a key that something else keeps. A sealed secret is nonce, tag and cipher text, one after the other. */
import { createCipheriv, createDecipheriv } from 'node:crypto'

export const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Seals a text under a key of 32 bytes; `nonce` is 12 fresh random bytes. */
export function sealWithKey(plain: string, key: Uint8Array, nonce: Uint8Array): Uint8Array {
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Opens what `sealWithKey` made. Throws where the key is another one, or a byte has changed. */
export function openWithKey(sealed: Uint8Array, key: Uint8Array): string {
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
}

/** A nonce for one sealing. */
export function makeNonce(randomBytes: (count: number) => Uint8Array): Uint8Array {
  return randomBytes(NONCE_BYTES)
}
