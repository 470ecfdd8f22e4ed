/**
 * The file backend: a key in the data folder with mode 0600, out of the database, its backups and
 * exports.
 */
import { statSync, chmodSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../shared/contract/errors.ts'
import type { SecretBackend } from '../base/deps.ts'
import { createWholeFile } from '../base/whole-files.ts'
import { KEY_BYTES, openWithKey, sealWithKey } from './secret-cipher.ts'

/** Reads the key, or creates it; processes that do so at the same time end up with one key. */
async function loadKey(
  file: string,
  randomBytes: (count: number) => Uint8Array,
): Promise<Uint8Array> {
  const key = await readKey(file)
  if (key !== null) return key
  const newKey = randomBytes(KEY_BYTES)
  return (await createWholeFile(file, newKey)) ? newKey : loadKey(file, randomBytes)
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

/** Whether only this user can read the key file. */
function isPrivate(file: string): boolean {
  // Windows has no modes, but profiles that others can't read.
  return (
    process.platform === 'win32' ||
    ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) === 0
  )
}

/**
 * Revokes the rights of other users, which a copied file may have; returns whether it is private.
 */
function makePrivate(file: string): boolean {
  if (isPrivate(file)) return true
  try {
    chmodSync(file, 0o600)
  } catch {
    // Another user's file, or a file system without modes: the message says so.
  }
  return isPrivate(file)
}

export function createFileBackend(
  dataFolder: string,
  randomBytes: (count: number) => Uint8Array,
): SecretBackend {
  const file = join(dataFolder, 'vault.key')
  let key: Promise<Uint8Array> | undefined
  let isKeyPrivate = makePrivate(file)

  const openKey = () =>
    (key ??= loadKey(file, randomBytes).finally(() => {
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
    seal: async (plain) => sealWithKey(plain, await openKey(), randomBytes),
    open: async (sealed) => openWithKey(sealed, await openKey()),
  }
}
