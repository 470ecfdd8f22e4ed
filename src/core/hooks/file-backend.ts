/**
 * Secrets sealed with AES-256-GCM under a key that lies in the data folder with mode 0600. It keeps secrets out of the
 * database, its backups and exports; whoever can read this user's files can open them, and the interface says so.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../shared/contract/errors.ts'
import type { SecretBackend } from '../base/deps.ts'
import { createWholeFile } from '../base/whole-file.ts'
import { KEY_BYTES, makeNonce, openWithKey, sealWithKey } from './sealing.ts'

/** Reads the key, or makes it; another process may be doing the same, and both must come to the one key. */
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
      `${file} is not a vault key (${key.length} bytes, ${KEY_BYTES} expected). Restore it from a backup, or move it away and give the secrets again.`,
    )
  }
  return key
}

/** Makes the file back end of a data folder that exists; the key is made with the first secret. */
export function createFileBackend(dataFolder: string, randomBytes: (count: number) => Uint8Array): SecretBackend {
  const file = join(dataFolder, 'vault.key')
  let key: Promise<Uint8Array> | undefined

  const theKey = () => (key ??= loadKey(file, randomBytes))

  return {
    name: 'file',
    protected: false,
    message:
      'Secrets are encrypted with a key kept beside the database (readable by you only). Whoever can read your files can open them.',
    seal: async (plain) => sealWithKey(plain, await theKey(), makeNonce(randomBytes)),
    open: async (sealed) => openWithKey(sealed, await theKey()),
  }
}
