/** Compares a set-up's secrets with those that the data folder has. */
import { unlessRefused } from '../base/async.ts'
import type { SavedHandlers } from '../handlers/handlers.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { isSameKey, secretKey } from '../signature/sign.ts'
import type { Setup } from '../../shared/model/setup.ts'
import { sharedHooks } from './describe-setup.ts'
import { hookKey } from './setup-keys.ts'
import type { ParsedSource, SecretState } from './setup-plan.ts'
import { neededSecrets, type NeededSecret } from './setup-secrets.ts'

export interface SecretHolders {
  readonly environments: Environments
  readonly hooks: Hooks
  readonly savedHandlers: SavedHandlers
}

/** Returns where an environment's key is sent. */
const originsOf = (one: {
  readonly baseUrl: string
  readonly tokenUrl?: string | null | undefined
  readonly proxy: string | null
}): string => JSON.stringify([one.baseUrl, one.tokenUrl ?? null, one.proxy])

/**
 * Resolves with the stored key of an environment; null if it must be entered again, because a file
 * that changes the base URL, token URL or proxy could send the key to another server.
 */
async function storedKey(
  { environments }: SecretHolders,
  wanted: Setup['environments'][number],
): Promise<string | null> {
  const row = environments.all().find(({ name }) => name === wanted.name)
  const shown = (await environments.list({ includeSecrets: false })).find(
    ({ name }) => name === wanted.name,
  )
  if (row === undefined || shown === undefined) return null
  if (shown.auth !== wanted.auth || originsOf(shown) !== originsOf(wanted)) return null
  return unlessRefused(environments.openKey(row))
}

/** Resolves with the stored value of a needed secret, or null. */
async function storedSecret(
  holders: SecretHolders,
  { setup }: ParsedSource,
  { path: [list, index, field, header] }: NeededSecret,
): Promise<string | null> {
  const { hooks, savedHandlers } = holders
  const at = Number(index)
  const [environment, hook, handler] = [setup.environments[at], setup.hooks[at], setup.handlers[at]]
  if (list === 'environments')
    return environment === undefined ? null : storedKey(holders, environment)
  if (list === 'handlers') {
    const saved = savedHandlers.rows().find(({ name }) => name === handler?.name)
    const signer = saved === undefined ? null : await unlessRefused(savedHandlers.signer(saved.id))
    return signer !== null && 'secret' in signer ? signer.secret : null
  }
  const stored =
    hook === undefined
      ? undefined
      : sharedHooks(hooks.list()).find((other) => hookKey(other) === hookKey(hook))
  if (stored === undefined) return null
  if (field === 'secret') return unlessRefused(hooks.reveal(stored.id))
  const headers = await unlessRefused(Promise.resolve().then(() => hooks.headersOf(stored.id)))
  return headers?.[String(header)] ?? null
}

/** Resolves with each secret's state, and the value to store, by place. */
export async function resolveSecrets(holders: SecretHolders, source: ParsedSource) {
  const states = new Map<string, SecretState>()
  const values = new Map<string, string>()
  for (const needed of neededSecrets(source.setup)) {
    const { place } = needed
    const given = source.secrets[place] ?? null
    const stored = await storedSecret(holders, source, needed)
    const isSame =
      given !== null && stored !== null && isSameKey(secretKey(given), secretKey(stored))
    states.set(
      place,
      given === null ? (stored === null ? 'missing' : 'kept') : isSame ? 'same' : 'differs',
    )
    const value = given ?? stored
    if (value !== null) values.set(place, value)
  }
  return { states, values }
}
