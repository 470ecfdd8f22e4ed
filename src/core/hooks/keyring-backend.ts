/**
 * The keyring backend: a key in the system keyring. Linux's kernel keyring isn't used: it forgets
 * keys on restart.
 */
import { randomBytes as systemBytes, hash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { PRODUCT_NAME } from '../../shared/product.ts'
import { withTimeLimit } from '../base/async.ts'
import type { SecretBackend } from '../base/deps.ts'
import { KEY_BYTES, openWithKey, sealWithKey } from './secret-cipher.ts'
import { createFileBackend } from './file-backend.ts'

export interface KeyringEntry {
  getPassword(signal: AbortSignal): Promise<string | null>
  setPassword(password: string, signal: AbortSignal): Promise<void>
  deletePassword(signal: AbortSignal): Promise<boolean>
}

export type OpenKeyringEntry = (account: string) => Promise<KeyringEntry>

/** Loads native code on demand. */
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

/** Rejects after `ms`, even if the keyring ignores the signal. */
function within<T>(ms: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  return withTimeLimit(ms, ask(stop.signal), () => {
    stop.abort()
    throw new Error(`The keyring didn't respond within ${ms} ms.`)
  })
}

/** Reads the key, or stores a new one and trusts it only after reading it back. */
async function loadKeyringKey(entry: KeyringEntry, patienceMs: number): Promise<Uint8Array> {
  const stored = await within(patienceMs, (signal) => entry.getPassword(signal))
  if (stored !== null) return decodeKey(stored)
  const newKey = systemBytes(KEY_BYTES).toString('base64')
  await within(patienceMs, (signal) => entry.setPassword(newKey, signal))
  const kept = await within(patienceMs, (signal) => entry.getPassword(signal))
  if (kept !== newKey) throw new Error("The keyring didn't save the key.")
  return decodeKey(kept)
}

interface KeyringOptions {
  /** Time limit for each call of the keyring, which may wait for the user, in milliseconds. */
  readonly patienceMs: number
  readonly openEntry?: OpenKeyringEntry | undefined
}

/**
 * Returns an account name for a data folder, whatever links and capitals its path is written with.
 */
function accountOf(dataFolder: string): string {
  let path = dataFolder
  try {
    path = realpathSync.native(dataFolder)
  } catch {
    // A missing folder has no secrets.
  }
  return hash('sha256', path, 'hex').slice(0, 32)
}

/** Opens the keyring backend; resolves with null if no keyring is available. */
export async function openKeyringBackend(
  dataFolder: string,
  { patienceMs, openEntry = systemEntry }: KeyringOptions,
): Promise<SecretBackend | null> {
  try {
    const key = await loadKeyringKey(await openEntry(accountOf(dataFolder)), patienceMs)
    return {
      name: 'keyring',
      protected: true,
      message: 'Secrets are encrypted with a key in the system keyring.',
      seal: (plain) => Promise.resolve(sealWithKey(plain, key, systemBytes)),
      open: async (sealed) => openWithKey(sealed, key),
    }
  } catch {
    // No keyring, or a locked one.
    return null
  }
}

/** Deletes the key of a temporary data folder. */
export async function deleteKeyringKey(
  dataFolder: string,
  { patienceMs, openEntry = systemEntry }: KeyringOptions,
): Promise<void> {
  const entry = await openEntry(accountOf(dataFolder))
  await within(patienceMs, (signal) => entry.deletePassword(signal))
}

/** Time limit in milliseconds if the user may not see the keyring's question. */
const UNSEEN_LIMIT_MS = 3_000
/** Time limit in milliseconds if the user sees the keyring's question. */
const SEEN_LIMIT_MS = 30_000

interface SecretBackendOptions {
  randomBytes(count: number): Uint8Array
  /** Whether the user sees a question of the keyring. */
  readonly hasWindow: boolean
  readonly openEntry?: OpenKeyringEntry | undefined
  /** Whether to skip the keyring, for a temporary data folder. */
  readonly withoutKeyring?: boolean
}

/** Opens backends, best first. `COUNTERSIGN_VAULT=file` doesn't ask the keyring. */
export async function openSecretBackends(
  dataFolder: string,
  options: SecretBackendOptions,
): Promise<readonly SecretBackend[]> {
  const { hasWindow, openEntry, withoutKeyring } = options
  const patienceMs = hasWindow || process.platform === 'darwin' ? SEEN_LIMIT_MS : UNSEEN_LIMIT_MS
  const keyring =
    withoutKeyring === true || process.env['COUNTERSIGN_VAULT'] === 'file'
      ? null
      : await openKeyringBackend(dataFolder, { patienceMs, openEntry })
  const file = createFileBackend(dataFolder, (count) => options.randomBytes(count))
  return keyring === null ? [file] : [keyring, file]
}
