/** Stored secrets that this computer can't decrypt, and how to enter them again. */
import { AppError } from '../../shared/contract/errors.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import type { LocatedSeal } from '../store/sealed-values.ts'
import type { Vault } from './vault.ts'

export interface UnreadableSecret {
  readonly secret: string
  readonly fix: string
}

type Description = (owner: string) => UnreadableSecret

const descriptions: Readonly<Record<string, Description>> = {
  'environments.key_sealed': (name) => ({
    secret: `key of environment ${name}`,
    fix: `Run "countersign environments update ${name} --key-file FILE".`,
  }),
  'hooks.headers_sealed': (id) => ({
    secret: `custom headers of hook ${id}`,
    fix: `Run "countersign hooks update ${id} --header NAME:VALUE".`,
  }),
  'hook_secrets.sealed': (id) => ({
    secret: `secret of hook ${id}`,
    fix: `Run "countersign hooks rotate ${id} --secret-file FILE".`,
  }),
  'handlers.secret_sealed': (name) => ({
    secret: `secret of handler ${name}`,
    fix: `Run "countersign handlers update ${name} --secret-file FILE".`,
  }),
}

const SANDBOX: UnreadableSecret = {
  secret: 'secrets of sandbox objects',
  fix: 'Run "countersign sandbox reset" to empty the sandbox, or ignore this if you don\'t use it.',
}

/** Finds owners of secrets that can't be decrypted, each named once per kind. */
export async function findUnreadableSecrets(
  seals: readonly LocatedSeal[],
  vault: Pick<Vault, 'open'>,
): Promise<UnreadableSecret[]> {
  const unreadable = new Map<string, UnreadableSecret>()
  for (const seal of seals) {
    // The sandbox then gets new keys by itself.
    if (isSandboxEnvironment(seal.owner)) continue
    try {
      await vault.open(seal)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { table, sealed } = seal.column
      const described = descriptions[`${table}.${sealed}`]?.(seal.owner) ?? SANDBOX
      unreadable.set(described.secret, described)
    }
  }
  return [...unreadable.values()]
}
