/** The core's dependencies in Electron: plain Node, and its key store to open secrets of earlier versions. */
import { randomBytes } from 'node:crypto'
import type { SafeStorage } from 'electron'
import type { Deps, SecretBackend } from '../core/base/deps.ts'
import { createIds } from '../core/base/ids.ts'
import { systemClock } from '../core/base/system-clock.ts'
import { openSecretBackends, type OpenKeyringEntry } from '../core/hooks/vault.ts'

interface DesktopDepsOptions extends Pick<Deps, 'version' | 'dataFolder' | 'workers' | 'log'> {
  readonly safeStorage: AsyncSafeStorage
  readonly platform: NodeJS.Platform
  /** For tests: opens an entry of the system keyring. */
  readonly openEntry?: OpenKeyringEntry
}

/** Call after the app is ready: the key store is unknown before. */
export function createDesktopDeps(options: DesktopDepsOptions): Deps {
  const { version, dataFolder, workers, log, safeStorage, platform, openEntry } = options
  return {
    version,
    host: 'electron',
    dataFolder,
    clock: systemClock,
    ids: createIds(systemClock, (count) => randomBytes(count)),
    randomBytes: (count) => randomBytes(count),
    secretBackends: (folder) =>
      openSecretBackends(folder, {
        randomBytes,
        hasWindow: true,
        openEntry,
        opener: createSafeStorageOpener(safeStorage, platform),
      }),
    log,
    workers,
  }
}

// Earlier versions sealed secrets with Electron's safeStorage. Only Electron can open them, so it seals no new ones.

type AsyncSafeStorage = Pick<
  SafeStorage,
  | 'isAsyncEncryptionAvailable'
  | 'encryptStringAsync'
  | 'decryptStringAsync'
  | 'getSelectedStorageBackend'
>

/** Linux key stores that safeStorage can use. Any other name, `basic_text` and an empty one included, protects nothing. */
const linuxKeyStores: ReadonlySet<string> = new Set([
  'gnome_libsecret',
  'kwallet',
  'kwallet5',
  'kwallet6',
])

/** On Linux, Chromium marks text that it sealed with its publicly known password. */
const PUBLIC_PASSWORD_MARK = 'v10'

/** Whether safeStorage protects what it seals: a store may claim to and still use the public password. */
async function isProtecting(
  storage: AsyncSafeStorage,
  platform: NodeJS.Platform,
): Promise<boolean> {
  if (!(await storage.isAsyncEncryptionAvailable())) return false
  if (platform === 'linux' && !linuxKeyStores.has(storage.getSelectedStorageBackend())) return false
  const probe = randomBytes(16).toString('hex')
  const sealed = await storage.encryptStringAsync(probe)
  if (platform === 'linux' && sealed.toString('latin1').startsWith(PUBLIC_PASSWORD_MARK))
    return false
  return !sealed.includes(probe) && (await storage.decryptStringAsync(sealed)).result === probe
}

/**
 * Opens what safeStorage sealed. It asks the key store only when there is such a secret, because macOS then asks the user. Call
 * after the app is ready.
 */
export function createSafeStorageOpener(
  storage: AsyncSafeStorage,
  platform: NodeJS.Platform,
): SecretBackend {
  let proved: Promise<boolean> | undefined
  return {
    name: 'safe-storage',
    protected: false,
    message: "Secrets of earlier versions are encrypted with the desktop app's key store.",
    proves: () => (proved ??= isProtecting(storage, platform)),
    seal: () => Promise.reject(new Error('safeStorage seals no new secrets.')),
    async open(sealed) {
      const { result } = await storage.decryptStringAsync(Buffer.from(sealed))
      return result
    },
  }
}
