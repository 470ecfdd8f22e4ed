/**
 * Secrets sealed with AES-256-GCM under a key that lies in the data folder with mode 0600. It keeps secrets out of the
 * database, its backups and exports; whoever can read this user's files can open them, and the interface says so.
 */
import { constants } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../shared/contract/errors.ts'
import type { SecretBackend } from '../deps.ts'
import { KEY_BYTES, makeNonce, openWithKey, sealWithKey } from './sealing.ts'

/** Reads the key, or makes it: created exclusively with mode 0600, so that it is never readable by others, not even briefly. */
async function loadKey(file: string, randomBytes: (count: number) => Uint8Array): Promise<Uint8Array> {
  try {
    const handle = await open(file, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600)
    try {
      const key = randomBytes(KEY_BYTES)
      await handle.writeFile(key)
      await handle.sync()
      return key
    } finally {
      await handle.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const key = await readFile(file)
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
