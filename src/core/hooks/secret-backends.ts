/**
 * The backends for secrets, the same on every host: the system keyring if there is one, otherwise a key file. A host's own key
 * store only opens what earlier versions sealed with it, because no other host can.
 */
import type { SecretBackend } from '../base/deps.ts'
import { openKeyringBackend, type OpenKeyringEntry } from './keyring-backend.ts'
import { createFileBackend } from './vault.ts'

/** Milliseconds that a keyring may take where nobody may see it ask for a password, and where somebody does. */
const UNSEEN_MS = 3_000
const SEEN_MS = 30_000

export interface SecretBackendOptions {
  randomBytes(count: number): Uint8Array
  /** Whether the user sees a question of the keyring: the host has a window. macOS asks everywhere, or refuses immediately. */
  readonly hasWindow: boolean
  readonly openEntry?: OpenKeyringEntry | undefined
  /** Opens seals of the host's own key store. */
  readonly opener?: SecretBackend
}

/** Opens the backends of a data folder. `COUNTERSIGN_VAULT=file` doesn't ask the keyring. */
export async function openSecretBackends(
  dataFolder: string,
  options: SecretBackendOptions,
): Promise<readonly SecretBackend[]> {
  const { hasWindow, openEntry, opener } = options
  const patienceMs = hasWindow || process.platform === 'darwin' ? SEEN_MS : UNSEEN_MS
  const keyring =
    process.env['COUNTERSIGN_VAULT'] === 'file'
      ? null
      : await openKeyringBackend(dataFolder, { patienceMs, openEntry })
  const file = createFileBackend(dataFolder, (count) => options.randomBytes(count))
  return [...(keyring === null ? [] : [keyring]), file, ...(opener === undefined ? [] : [opener])]
}
