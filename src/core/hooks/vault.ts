/** Seals and opens secrets. The best back end at hand seals; each secret is opened by the one that its record names. */
import { AppError } from '../../shared/contract/errors.ts'
import type { VaultStatus } from '../../shared/model/status.ts'
import type { SealedSecret, SecretBackend } from '../base/deps.ts'

export interface Vault {
  seal(plain: string): Promise<SealedSecret>
  /** Rejects with `SECRET_UNREADABLE` where this host lacks the back end, or its key. */
  open(secret: SealedSecret): Promise<string>
  status(): VaultStatus
}

/** Makes the vault over the host's back ends, best first; at least one is needed. */
export function createVault(backends: readonly SecretBackend[]): Vault {
  const [best] = backends
  if (best === undefined) throw new Error('A vault needs a back end.')
  return {
    async seal(plain) {
      return { backend: best.name, sealed: await best.seal(plain) }
    },
    async open(secret) {
      const backend = backends.find((candidate) => candidate.name === secret.backend)
      if (backend === undefined) {
        throw new AppError(
          'SECRET_UNREADABLE',
          `A secret was sealed by "${secret.backend}", which this host does not have. Use the instance that stored it, or give the secret again.`,
        )
      }
      try {
        return await backend.open(secret.sealed)
      } catch (cause) {
        throw new AppError(
          'SECRET_UNREADABLE',
          'A stored secret cannot be opened: its key has changed or is gone. Give the secret again.',
          { cause },
        )
      }
    },
    status: () => ({ backend: best.name, protected: best.protected, message: best.message }),
  }
}

/** What may be shown of a secret: its last four characters, and none of a short one. */
export function secretHint(secret: string): string {
  return secret.length >= 12 ? `…${secret.slice(-4)}` : '…'
}
