/** The secrets that are known here, rotated ones and the values of hooks' custom headers included: what goes out is searched for them. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { knownPrefixes } from '../hooks/known-prefixes.ts'
import { createMasking, type Masking } from './masking.ts'

export interface KnownSecretsDeps {
  readonly hooks: Pick<Hooks, 'list' | 'secretsOf'>
  readonly environments: Pick<Environments, 'all' | 'openKey'>
}

/** Every secret that this host can open, in clear. */
async function knownSecrets({ hooks, environments }: KnownSecretsDeps): Promise<string[]> {
  const ofHooks = hooks
    .list()
    .flatMap(({ id, headers }) => [
      ...hooks.secretsOf(id).map(({ key }) => key.export().toString('utf8')),
      ...Object.values(headers),
    ])
  const keys = await Promise.all(
    environments.all().map((environment) =>
      environments.openKey(environment).catch((error: unknown) => {
        // A key that this host cannot open is one that it cannot look for.
        if (error instanceof AppError) return null
        throw error
      }),
    ),
  )
  return [...ofHooks, ...keys.filter((key) => key !== null)]
}

/** Masks each of them, and the values of custom headers. */
export async function maskingOf(deps: KnownSecretsDeps): Promise<Masking> {
  return createMasking(await knownSecrets(deps), knownPrefixes(deps.environments))
}
