/**
 * Encrypts secrets with a key from the system keyring: macOS Keychain, Windows Credential Manager or the Linux Secret Service. Not
 * the Linux kernel keyring, which forgets its keys on restart.
 */
import { createHash, randomBytes } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { PRODUCT_NAME } from '../../shared/product.ts'
import type { SecretBackend } from '../base/deps.ts'
import { withTimeLimit } from '../base/async.ts'
import { KEY_BYTES, makeNonce, openWithKey, sealWithKey } from './vault.ts'

/** An entry of the system keyring. */
export interface KeyringEntry {
  getPassword(signal: AbortSignal): Promise<string | null>
  setPassword(password: string, signal: AbortSignal): Promise<void>
  deletePassword(signal: AbortSignal): Promise<boolean>
}

/** Opens the entry of an account; tests give their own. */
export type OpenKeyringEntry = (account: string) => Promise<KeyringEntry>

/** Loads the keyring's native part, on demand: without it, the file backend is used. */
export const loadKeyring = () => import('@napi-rs/keyring')

async function systemEntry(account: string): Promise<KeyringEntry> {
  const { AsyncEntry } = await loadKeyring()
  return new AsyncEntry(PRODUCT_NAME, account, { linux: { store: 'secret-service' } })
}

function decodeKey(text: string): Uint8Array {
  const key = Buffer.from(text, 'base64')
  if (key.length !== KEY_BYTES) throw new Error('The keyring entry contains something else.')
  return key
}

/** Rejects after `ms`, also if the keyring ignores the signal: a request that the system has begun can't be aborted. */
function within<T>(ms: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  return withTimeLimit(ms, ask(stop.signal), () => {
    stop.abort()
    throw new Error(`The keyring didn't respond within ${ms} ms.`)
  })
}

/** Stores the key of a data folder if needed, `first` or a new one, and trusts it only after reading it back. */
async function loadKey(
  entry: KeyringEntry,
  first: Uint8Array | null,
  patienceMs: number,
): Promise<Uint8Array> {
  const stored = await within(patienceMs, (signal) => entry.getPassword(signal))
  if (stored !== null) return decodeKey(stored)
  const made = Buffer.from(first ?? randomBytes(KEY_BYTES)).toString('base64')
  await within(patienceMs, (signal) => entry.setPassword(made, signal))
  const kept = await within(patienceMs, (signal) => entry.getPassword(signal))
  if (kept !== made) throw new Error("The keyring didn't save the key.")
  return decodeKey(kept)
}

export interface KeyringOptions {
  /** Milliseconds to wait: a keyring that asks for a password unseen must not block the start. */
  readonly patienceMs: number
  readonly openEntry?: OpenKeyringEntry | undefined
}

/**
 * The account of a folder: the same if its path is a link or has other capitals (macOS, Windows). Then the account under which
 * earlier versions stored the key, from the path as it was written, if that differs.
 */
function accountsOf(dataFolder: string): readonly [string, string?] {
  const accountOf = (path: string) => createHash('sha256').update(path).digest('hex').slice(0, 32)
  let path = dataFolder
  try {
    path = realpathSync.native(dataFolder)
  } catch {
    // Missing: nothing is stored in it.
  }
  return path === dataFolder ? [accountOf(path)] : [accountOf(path), accountOf(dataFolder)]
}

/** Opens the keyring backend of a data folder; null if no keyring is available. */
export async function openKeyringBackend(
  dataFolder: string,
  { patienceMs, openEntry = systemEntry }: KeyringOptions,
): Promise<SecretBackend | null> {
  try {
    const [account, olderAccount] = accountsOf(dataFolder)
    const readOlder = async (name: string) => {
      const entry = await openEntry(name)
      const stored = await within(patienceMs, (signal) => entry.getPassword(signal))
      return stored === null ? null : decodeKey(stored)
    }
    const older =
      olderAccount === undefined ? null : await readOlder(olderAccount).catch(() => null)
    const key = await loadKey(await openEntry(account), older, patienceMs)
    return {
      name: 'keyring',
      protected: true,
      message: 'Secrets are encrypted with a key in the system keyring.',
      seal: (plain) => Promise.resolve(sealWithKey(plain, key, makeNonce(randomBytes))),
      async open(sealed) {
        try {
          return openWithKey(sealed, key)
        } catch (error) {
          if (older === null) throw error
          return openWithKey(sealed, older)
        }
      },
    }
  } catch {
    // No keyring, a locked one, or none for this platform: the next backend is used, and the app shows which.
    return null
  }
}

/** Deletes the key of a temporary data folder. Secrets sealed with it can't be opened again. */
export async function deleteKeyringKey(
  dataFolder: string,
  { patienceMs, openEntry = systemEntry }: KeyringOptions,
): Promise<void> {
  const [account] = accountsOf(dataFolder)
  const entry = await openEntry(account)
  await within(patienceMs, (signal) => entry.deletePassword(signal))
}
