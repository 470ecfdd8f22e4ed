/** Fills the core's needs from Electron: its key store for secrets where there is a real one, plain Node for the rest. */
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

/** Call after the app is ready: the key store is not known before. */
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
      // The file stays even beside a key store: it opens what `countersign serve` sealed in the same folder.
      const file = createFileBackend(folder, (count) => randomBytes(count))
      return best === null ? [file] : [best, file]
    },
    log: createFileLog({ dataFolder, randomBytes }),
    workers,
  }
}

// Where the desktop app keeps secrets: the system's key store through Electron's asynchronous safeStorage if there is a real
// one, else a file with a key beside it, which the app says. Chromium's `basic_text` seals with a well-known password and is
// never used.

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

/** The key store in words; null where there is none worth the name. */
function keyStoreOf(storage: AsyncSafeStorage, platform: NodeJS.Platform): string | null {
  if (platform !== 'linux') return keyStores[platform] ?? null
  return linuxKeyStores[storage.getSelectedStorageBackend()]
}

/** The back end over Electron's safeStorage, or null where the system offers no protected store. Call after the app is ready. */
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
