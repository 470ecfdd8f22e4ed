/** The core's dependencies in Electron: its key store for secrets, if it has a real one, and plain Node for the rest. */
import { randomBytes } from 'node:crypto'
import type { SafeStorage } from 'electron'
import type { Deps, WorkerEntries, SecretBackend } from '../core/base/deps.ts'
import { createFileLog } from '../core/app/file-log.ts'
import { createIds } from '../core/base/ids.ts'
import { systemClock } from '../core/base/system-clock.ts'
import { createFileBackend } from '../core/hooks/vault.ts'

interface DesktopDepsOptions {
  readonly version: string
  readonly dataFolder: string
  readonly workers: WorkerEntries
  readonly safeStorage: SafeStorage
  readonly platform: NodeJS.Platform
}

/** Call after the app is ready: the key store is unknown before. */
export function createDesktopDeps(options: DesktopDepsOptions): Deps {
  const { version, dataFolder, workers, safeStorage, platform } = options
  return {
    version,
    host: 'electron',
    dataFolder,
    clock: systemClock,
    ids: createIds(systemClock, (count) => randomBytes(count)),
    randomBytes: (count) => randomBytes(count),
    async secretBackends(folder) {
      const best = await createSafeStorageBackend(safeStorage, platform)
      // The file backend is always included: it opens secrets that `countersign serve` stored in the same folder.
      const file = createFileBackend(folder, (count) => randomBytes(count))
      return best === null ? [file] : [best, file]
    },
    log: createFileLog({ dataFolder, randomBytes }),
    workers,
  }
}

// The desktop app stores secrets in the system's key store, through Electron's safeStorage, if there is a real one. Otherwise it
// uses an encrypted file with its key beside it, and says so. It never uses Chromium's `basic_text`, whose password is public.

type AsyncSafeStorage = Pick<
  SafeStorage,
  'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync' | 'getSelectedStorageBackend'
>

const keyStores: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'your macOS keychain',
  win32: 'your Windows account (DPAPI)',
}

const linuxKeyStores: Readonly<Record<ReturnType<SafeStorage['getSelectedStorageBackend']>, string | null>> = {
  gnome_libsecret: 'your GNOME keyring',
  kwallet: 'your KDE wallet',
  kwallet5: 'your KDE wallet',
  kwallet6: 'your KDE wallet',
  basic_text: null,
  unknown: null,
}

/** Name of the key store; null if it isn't a real one. */
function keyStoreOf(storage: AsyncSafeStorage, platform: NodeJS.Platform): string | null {
  if (platform !== 'linux') return keyStores[platform] ?? null
  return linuxKeyStores[storage.getSelectedStorageBackend()]
}

/** The safeStorage backend, or null if the system has no protected store. Call after the app is ready. */
export async function createSafeStorageBackend(
  storage: AsyncSafeStorage,
  platform: NodeJS.Platform,
): Promise<SecretBackend | null> {
  const keyStore = keyStoreOf(storage, platform)
  if (keyStore === null || !(await storage.isAsyncEncryptionAvailable())) return null
  return {
    name: 'safe-storage',
    protected: true,
    message: `Secrets are encrypted with a key in ${keyStore}.`,
    seal: (plain) => storage.encryptStringAsync(plain),
    async open(sealed) {
      const { result } = await storage.decryptStringAsync(Buffer.from(sealed))
      return result
    },
  }
}
