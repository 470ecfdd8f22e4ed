/** Every known secret, including rotated ones and custom header values. */
import { createMask } from '../../shared/text/mask.ts'
import type { MaskingKind } from '../../shared/contract/nouns/exchange.ts'
import { unlessRefused } from '../base/async.ts'
import { type Environments, knownPrefixes } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import {
  type Masking,
  withoutMasking,
  standardNames,
  unregisteredNames,
  createMasking,
} from './masking.ts'

export interface KnownSecretsDeps {
  readonly hooks: Pick<Hooks, 'list' | 'secretsOf'>
  readonly environments: Pick<Environments, 'all' | 'openKey'>
  readonly savedHandlers: {
    secrets(): Promise<readonly string[]>
  }
}

/** Reads all secrets and header values that this host can decrypt. */
async function readKnown({ hooks, environments, savedHandlers }: KnownSecretsDeps) {
  const listed = hooks.list()
  const ofHooks = listed.flatMap(({ id }) =>
    hooks.secretsOf(id).map(({ key }) => key.export().toString('utf8')),
  )
  const keys = await Promise.all(
    environments.all().map((environment) => unlessRefused(environments.openKey(environment))),
  )
  const own = await savedHandlers.secrets()
  return {
    secrets: [...ofHooks, ...keys.filter((key) => key !== null), ...own],
    values: listed.flatMap(({ headers }) => Object.values(headers)),
  }
}

let latest = { key: '', secrets: createMask([]), all: createMask([]) }

/** Returns masking of secrets, and of header values by `kind`. */
export async function maskingOf(deps: KnownSecretsDeps, kind: MaskingKind): Promise<Masking> {
  if (kind === 'none') return withoutMasking
  const known = await readKnown(deps)
  const key = JSON.stringify(known)
  if (latest.key !== key) {
    const secrets = createMask(known.secrets)
    latest = { key, secrets, all: createMask(known.values, secrets) }
  }
  const isShownName =
    kind === 'strict'
      ? standardNames(knownPrefixes(deps.environments))
      : unregisteredNames(deps.hooks)
  return createMasking(latest.all, isShownName, latest.secrets)
}
