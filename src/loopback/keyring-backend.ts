/**
 * Secrets sealed under a key that the system's keyring keeps: the keychain of macOS, the credential manager of Windows, the
 * Secret Service of a Linux desktop. Linux's kernel keyring is not taken for one: it forgets with the next start.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { SecretBackend } from '../core/base/deps.ts'
import { KEY_BYTES, makeNonce, openWithKey, sealWithKey } from '../core/hooks/vault.ts'

const SERVICE = 'Countersign'
/** A keyring that asks its user for a password nobody sees must not hold up a start, in milliseconds. */
const PATIENCE_MS = 3_000

/** The part of a keyring's entry that is needed here. */
export interface KeyringEntry {
  getPassword(signal: AbortSignal): Promise<string | null>
  setPassword(password: string, signal: AbortSignal): Promise<void>
}

async function systemEntry(account: string): Promise<KeyringEntry> {
  // Loaded when it is wanted: where its native part is missing, the file back end serves.
  const { AsyncEntry } = await import('@napi-rs/keyring')
  return new AsyncEntry(SERVICE, account, { linux: { store: 'secret-service' } })
}

function decodeKey(text: string): Uint8Array {
  const key = Buffer.from(text, 'base64')
  if (key.length !== KEY_BYTES) throw new Error('The keyring entry contains something else.')
  return key
}

/** The key of a data folder, made and kept where there is none yet; what was written is read back before it is trusted. */
async function loadKey(entry: KeyringEntry): Promise<Uint8Array> {
  const stored = await entry.getPassword(AbortSignal.timeout(PATIENCE_MS))
  if (stored !== null) return decodeKey(stored)
  const made = randomBytes(KEY_BYTES).toString('base64')
  await entry.setPassword(made, AbortSignal.timeout(PATIENCE_MS))
  const kept = await entry.getPassword(AbortSignal.timeout(PATIENCE_MS))
  if (kept !== made) throw new Error("The keyring didn't save the key.")
  return decodeKey(kept)
}

/** Opens the keyring's back end for a data folder; null where no keyring answers. */
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
    // No keyring, a locked one, or none of this platform: the next back end serves, and the interface says which.
    return null
  }
}
