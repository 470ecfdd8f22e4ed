/**
 * Encrypts and decrypts secrets. The best available backend encrypts; each secret is decrypted by the backend named in its record.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../shared/contract/errors.ts'
import type { VaultStatus } from '../../shared/model/status.ts'
import type { SealedSecret, SecretBackend } from '../base/deps.ts'
import { createWholeFile } from '../base/whole-file.ts'

export interface Vault {
  seal(plain: string): Promise<SealedSecret>
  /** Rejects with `SECRET_UNREADABLE` if this computer lacks the backend or its key. */
  open(secret: SealedSecret): Promise<string>
  status(): VaultStatus
}

/** Creates the vault over the host's backends, best first. At least one is required. */
export function createVault(backends: readonly SecretBackend[]): Vault {
  const [best] = backends
  if (best === undefined) throw new Error('A vault needs a backend.')
  return {
    async seal(plain) {
      return { backend: best.name, sealed: await best.seal(plain) }
    },
    async open(secret) {
      const backend = backends.find((candidate) => candidate.name === secret.backend)
      if (backend === undefined) {
        throw new AppError(
          'SECRET_UNREADABLE',
          `This secret was encrypted with "${secret.backend}", which this computer doesn't have. Use the installation that stored it, or enter the secret again.`,
        )
      }
      try {
        return await backend.open(secret.sealed)
      } catch (cause) {
        throw new AppError(
          'SECRET_UNREADABLE',
          "Couldn't decrypt a stored secret because its key changed or is missing. Enter the secret again.",
          { cause },
        )
      }
    },
    status: () => ({ backend: best.name, protected: best.protected, message: best.message }),
  }
}

/** The shown part of a secret: its last four characters, or nothing if it is short. */
export function secretHint(secret: string): string {
  return secret.length >= 12 ? `…${secret.slice(-4)}` : '…'
}

/** AES-256-GCM with a key kept elsewhere. An encrypted secret is nonce, tag and ciphertext. */
export const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts a text with a 32-byte key. `nonce` is 12 fresh random bytes. */
export function sealWithKey(plain: string, key: Uint8Array, nonce: Uint8Array): Uint8Array {
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Decrypts the result of `sealWithKey`. Throws if the key differs or a byte has changed. */
export function openWithKey(sealed: Uint8Array, key: Uint8Array): string {
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
}

/** A nonce for a single encryption. */
export function makeNonce(randomBytes: (count: number) => Uint8Array): Uint8Array {
  return randomBytes(NONCE_BYTES)
}

// Secrets encrypted with AES-256-GCM under a key in the data folder with mode 0600. This keeps them out of the database, its
// backups and exports. Anyone who can read this user's files can decrypt them, and the window says so.

/** Reads or creates the key. Another process may do the same at the same time, and both must end up with one key. */
async function loadKey(file: string, randomBytes: (count: number) => Uint8Array): Promise<Uint8Array> {
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

/** Creates the file backend of an existing data folder. The key is created with the first secret. */
export function createFileBackend(dataFolder: string, randomBytes: (count: number) => Uint8Array): SecretBackend {
  const file = join(dataFolder, 'vault.key')
  let key: Promise<Uint8Array> | undefined

  const theKey = () => (key ??= loadKey(file, randomBytes))

  return {
    name: 'file',
    protected: false,
    message:
      'Secrets are encrypted with a key next to the database, readable by you only. Anyone who can read your files can decrypt them.',
    seal: async (plain) => sealWithKey(plain, await theKey(), makeNonce(randomBytes)),
    open: async (sealed) => openWithKey(sealed, await theKey()),
  }
}
