/**
 * Where the desktop app keeps secrets: the system's key store through Electron's asynchronous safeStorage where there is a
 * real one, else a file with a key beside it, said aloud. Chromium's `basic_text` seals with a password that everybody
 * knows; it is never used.
 */
import type { SafeStorage } from 'electron'
import type { SecretBackend } from '../core/base/deps.ts'

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
    message: `Secrets are encrypted with a key kept in ${keyStore}.`,
    seal: (plain) => storage.encryptStringAsync(plain),
    async open(sealed) {
      const { result } = await storage.decryptStringAsync(Buffer.from(sealed))
      return result
    },
  }
}
