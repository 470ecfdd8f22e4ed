/**
 * Encrypts secrets with a key from the system keyring: macOS Keychain, Windows Credential Manager or the Linux Secret Service. Not
 * the Linux kernel keyring, which forgets its keys on restart.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { SecretBackend } from '../core/base/deps.ts'
import { KEY_BYTES, makeNonce, openWithKey, sealWithKey } from '../core/hooks/vault.ts'

const SERVICE = 'Countersign'
/** Milliseconds to wait: a keyring that asks for a password unseen must not block the start. */
const PATIENCE_MS = 3_000

export interface KeyringEntry {
  getPassword(signal: AbortSignal): Promise<string | null>
  setPassword(password: string, signal: AbortSignal): Promise<void>
}

async function systemEntry(account: string): Promise<KeyringEntry> {
  // Loaded on demand: without its native part, the file backend is used.
  const { AsyncEntry } = await import('@napi-rs/keyring')
  return new AsyncEntry(SERVICE, account, { linux: { store: 'secret-service' } })
}

function decodeKey(text: string): Uint8Array {
  const key = Buffer.from(text, 'base64')
  if (key.length !== KEY_BYTES) throw new Error('The keyring entry contains something else.')
  return key
}

/** Creates the key of a data folder if needed, and trusts it only after reading it back. */
async function loadKey(entry: KeyringEntry): Promise<Uint8Array> {
  const stored = await entry.getPassword(AbortSignal.timeout(PATIENCE_MS))
  if (stored !== null) return decodeKey(stored)
  const made = randomBytes(KEY_BYTES).toString('base64')
  await entry.setPassword(made, AbortSignal.timeout(PATIENCE_MS))
  const kept = await entry.getPassword(AbortSignal.timeout(PATIENCE_MS))
  if (kept !== made) throw new Error("The keyring didn't save the key.")
  return decodeKey(kept)
}

/** Opens the keyring backend of a data folder; null if no keyring is available. */
export async function openKeyringBackend(
  dataFolder: string,
  open: (account: string) => Promise<KeyringEntry> = systemEntry,
): Promise<SecretBackend | null> {
  try {
    const account = createHash('sha256').update(dataFolder).digest('hex').slice(0, 32)
    const key = await loadKey(await open(account))
    return {
      name: 'keyring',
      protected: true,
      message: 'Secrets are encrypted with a key in the system keyring.',
      seal: (plain) => Promise.resolve(sealWithKey(plain, key, makeNonce(randomBytes))),
      open: async (sealed) => openWithKey(sealed, key),
    }
  } catch {
    // No keyring, a locked one, or none for this platform: the next backend is used, and the app shows which.
    return null
  }
}
