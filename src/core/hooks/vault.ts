/**
 * Encrypts secrets with the best available backend; each is decrypted by the backend named in its
 * record.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { VaultStatus } from '../../shared/model/status.ts'
import type { Log, SealedSecret, SecretBackend } from '../base/deps.ts'
import type { Store } from '../store/store.ts'

export type Vault = ReturnType<typeof createVault>

const missingBackends: Readonly<Record<string, string>> = {
  keyring:
    "This secret was encrypted with a key in the system keyring, which isn't available. Unlock the keyring and start Countersign again, or enter the secret again.",
}

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
    /** Decrypts a secret. Rejects with `SECRET_UNREADABLE`. */
    open,
    /**
     * Encrypts a secret with the best backend; resolves with null if that fails or would protect
     * less.
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
        // Its reader reports why it can't be decrypted.
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
 * Encrypts stored secrets with the best backend, before they are loaded. A secret that can't be
 * decrypted here stays.
 */
export async function resealSecrets(
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

/** Returns the last four characters, or nothing of a short secret. */
export function secretHint(secret: string): string {
  return secret.length >= 12 ? `…${secret.slice(-4)}` : '…'
}
