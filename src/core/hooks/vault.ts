/**
 * Encrypts and decrypts secrets. The best available backend encrypts; each secret is decrypted by the backend named in its record.
 * Every host has the same backends, so that a secret survives a change of host: the system keyring if there is one, otherwise a key
 * file.
 */
import { createCipheriv, createDecipheriv, hash, randomBytes as systemBytes } from 'node:crypto'
import { chmodSync, realpathSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../shared/contract/errors.ts'
import type { VaultStatus } from '../../shared/model/status.ts'
import { PRODUCT_NAME } from '../../shared/product.ts'
import { withTimeLimit } from '../base/async.ts'
import type { Log, SealedSecret, SecretBackend } from '../base/deps.ts'
import { createWholeFile } from '../base/data-folder.ts'
import type { Store } from '../store/store.ts'

export type Vault = ReturnType<typeof createVault>

/** What to do about a secret whose backend isn't available here. */
const missingBackends: Readonly<Record<string, string>> = {
  keyring:
    "This secret was encrypted with a key in the system keyring, which isn't available. Unlock the keyring and start Countersign again, or enter the secret again.",
}

/** Creates the vault over the host's backends, best first. At least one is required. */
export function createVault(backends: readonly SecretBackend[]) {
  const [best] = backends
  if (best === undefined) throw new Error('A vault needs a backend.')
  const find = (name: string) => backends.find((candidate) => candidate.name === name)

  async function open({ backend: name, sealed }: SealedSecret): Promise<string> {
    const backend = find(name)
    if (backend === undefined) {
      throw new AppError(
        'SECRET_UNREADABLE',
        missingBackends[name] ??
          `This secret was encrypted with "${name}", which this computer doesn't have. Use the installation that stored it, or enter the secret again.`,
      )
    }
    try {
      return await backend.open(sealed)
    } catch (cause) {
      throw new AppError(
        'SECRET_UNREADABLE',
        "Couldn't decrypt a stored secret because its key changed or is missing. Enter the secret again.",
        { cause },
      )
    }
  }

  return {
    async seal(plain: string): Promise<SealedSecret> {
      return { backend: best.name, sealed: await best.seal(plain) }
    },
    /** Rejects with `SECRET_UNREADABLE` if this computer lacks the backend or its key. */
    open,
    /**
     * Encrypts a secret with the best backend. Null if it is already, if this computer can't
     * decrypt it, or if the best backend protects it less than its own.
     */
    async sealAgain(secret: SealedSecret): Promise<SealedSecret | null> {
      const source = find(secret.backend)
      if (source === undefined || source === best) return null
      try {
        if (!best.protected && source.protected) return null
        const plain = await open(secret)
        const sealed = await best.seal(plain)
        // Only a new seal that opens may replace the old one.
        return (await best.open(sealed)) === plain ? { backend: best.name, sealed } : null
      } catch {
        // The secret stays unchanged; its reader reports why it can't be decrypted.
        return null
      }
    },
    status: (): VaultStatus => ({
      backend: best.name,
      protected: best.protected,
      message: best.message,
    }),
  }
}

/**
 * Encrypts stored secrets with the best backend if another one encrypted them, such as the key file
 * before a keyring was available. Runs once, before secrets are loaded, so that nothing holds an
 * old one in memory. A secret is replaced only by one that was decrypted again, all in one
 * transaction; what can't be decrypted here stays for the host that can.
 */
export async function sealSecretsAgain(
  store: Pick<Store, 'read' | 'write'>,
  vault: Vault,
  log: Log,
): Promise<void> {
  try {
    const { backend } = vault.status()
    const changes = []
    for (const from of await store.read('foreignSeals', backend)) {
      const to = await vault.sealAgain(from)
      if (to !== null) changes.push({ from, to })
    }
    if (changes.length === 0) return
    const secrets = await store.write('replaceSeals', changes)
    log.info('Encrypted stored secrets again with the best key store.', { secrets, backend })
  } catch (error) {
    log.warn("Couldn't encrypt stored secrets again. They stay readable as before.", {
      reason: (error as Error).message,
    })
  }
}

/** The shown part of a secret: its last four characters, or nothing if it is short. */
export function secretHint(secret: string): string {
  return secret.length >= 12 ? `…${secret.slice(-4)}` : '…'
}

/** AES-256-GCM with a key kept elsewhere. An encrypted secret is nonce, tag and ciphertext. */
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts a text with a 32-byte key. */
function sealWithKey(
  plain: string,
  key: Uint8Array,
  randomBytes: (count: number) => Uint8Array,
): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Decrypts the result of `sealWithKey`. Throws if the key differs or a byte has changed. */
function openWithKey(sealed: Uint8Array, key: Uint8Array): string {
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return Buffer.concat([
    decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
    decipher.final(),
  ]).toString('utf8')
}

// Secrets encrypted with AES-256-GCM under a key in the data folder with mode 0600. This keeps them out of the database, its
// backups and exports. Anyone who can read this user's files can decrypt them, and the window says so.

/** Reads or creates the key. Another process may do the same at the same time, and both must end up with one key. */
async function loadKey(
  file: string,
  randomBytes: (count: number) => Uint8Array,
): Promise<Uint8Array> {
  const key = await readKey(file)
  if (key !== null) return key
  const made = randomBytes(KEY_BYTES)
  return (await createWholeFile(file, made)) ? made : loadKey(file, randomBytes)
}

async function readKey(file: string): Promise<Uint8Array | null> {
  let key
  try {
    key = await readFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  if (key.length !== KEY_BYTES) {
    throw new AppError(
      'SECRET_UNREADABLE',
      `${file} isn't a vault key (${key.length} bytes, expected ${KEY_BYTES}). Restore it from a backup, or move it away and enter the secrets again.`,
    )
  }
  return key
}

/** Whether only this user can read the key file; a missing one is created so. */
function isPrivate(file: string): boolean {
  // Windows has no modes: the folder is in the user's profile, which others can't read.
  return (
    process.platform === 'win32' ||
    ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) === 0
  )
}

/** Takes the rights of others away, which a copy or a backup may have given them. Returns whether the file is private now. */
function makePrivate(file: string): boolean {
  if (isPrivate(file)) return true
  try {
    chmodSync(file, 0o600)
  } catch {
    // Another user's file, or a file system without modes: the message says so.
  }
  return isPrivate(file)
}

/** Creates the file backend of an existing data folder. The key is created with the first secret. */
export function createFileBackend(
  dataFolder: string,
  randomBytes: (count: number) => Uint8Array,
): SecretBackend {
  const file = join(dataFolder, 'vault.key')
  let key: Promise<Uint8Array> | undefined
  let isKeyPrivate = makePrivate(file)

  const theKey = () =>
    (key ??= loadKey(file, randomBytes).finally(() => {
      // It may have been created just now, on a file system without modes.
      isKeyPrivate = isPrivate(file)
    }))

  return {
    name: 'file',
    protected: false,
    get message() {
      return isKeyPrivate
        ? 'Secrets are encrypted with a key stored in a file readable only by you, next to the database. Anyone who can read your files can decrypt them.'
        : `Secrets are encrypted with a key in ${file}, which other users of this computer may read. Move the data folder to a file system with permissions.`
    },
    seal: async (plain) => sealWithKey(plain, await theKey(), randomBytes),
    open: async (sealed) => openWithKey(sealed, await theKey()),
  }
}

// Secrets encrypted with a key from the system keyring: macOS Keychain, Windows Credential Manager or the Linux Secret Service. Not
// the Linux kernel keyring, which forgets its keys on restart.

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

/** Reads the key of a data folder, or stores a new one and trusts it only after reading it back. */
async function loadKeyringKey(entry: KeyringEntry, patienceMs: number): Promise<Uint8Array> {
  const stored = await within(patienceMs, (signal) => entry.getPassword(signal))
  if (stored !== null) return decodeKey(stored)
  const made = systemBytes(KEY_BYTES).toString('base64')
  await within(patienceMs, (signal) => entry.setPassword(made, signal))
  const kept = await within(patienceMs, (signal) => entry.getPassword(signal))
  if (kept !== made) throw new Error("The keyring didn't save the key.")
  return decodeKey(kept)
}

interface KeyringOptions {
  /** Milliseconds to wait: a keyring that asks for a password unseen must not block the start. */
  readonly patienceMs: number
  readonly openEntry?: OpenKeyringEntry | undefined
}

/** The account of a folder: the same if its path is a link or has other capitals (macOS, Windows). */
function accountOf(dataFolder: string): string {
  let path = dataFolder
  try {
    path = realpathSync.native(dataFolder)
  } catch {
    // Missing: nothing is stored in it.
  }
  return hash('sha256', path, 'hex').slice(0, 32)
}

/** Opens the keyring backend of a data folder; null if no keyring is available. */
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
    // No keyring, a locked one, or none for this platform: the next backend is used, and the app shows which.
    return null
  }
}

/** Deletes the key of a temporary data folder. Secrets sealed with it can't be opened again. */
export async function deleteKeyringKey(
  dataFolder: string,
  { patienceMs, openEntry = systemEntry }: KeyringOptions,
): Promise<void> {
  const entry = await openEntry(accountOf(dataFolder))
  await within(patienceMs, (signal) => entry.deletePassword(signal))
}

/** Milliseconds that a keyring may take where nobody may see it ask for a password, and where somebody does. */
const UNSEEN_MS = 3_000
const SEEN_MS = 30_000

interface SecretBackendOptions {
  randomBytes(count: number): Uint8Array
  /** Whether the user sees a question of the keyring: the host has a window. macOS asks everywhere, or refuses immediately. */
  readonly hasWindow: boolean
  readonly openEntry?: OpenKeyringEntry | undefined
  /** Keeps the key in the data folder, which is deleted soon. */
  readonly withoutKeyring?: boolean
}

/** Opens the backends of a data folder. `COUNTERSIGN_VAULT=file` doesn't ask the keyring. */
export async function openSecretBackends(
  dataFolder: string,
  options: SecretBackendOptions,
): Promise<readonly SecretBackend[]> {
  const { hasWindow, openEntry, withoutKeyring } = options
  const patienceMs = hasWindow || process.platform === 'darwin' ? SEEN_MS : UNSEEN_MS
  const keyring =
    withoutKeyring === true || process.env['COUNTERSIGN_VAULT'] === 'file'
      ? null
      : await openKeyringBackend(dataFolder, { patienceMs, openEntry })
  const file = createFileBackend(dataFolder, (count) => options.randomBytes(count))
  return keyring === null ? [file] : [keyring, file]
}
