/** Compares a setup's secrets with those that the data folder has. */
import { unlessRefused } from '../base/async.ts'
import type { SavedHandlers } from '../handlers/handlers.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { isSameKey, secretKey } from '../signature/sign.ts'
import type { Setup } from '../../shared/model/setup.ts'
import { connectionOf } from '../service-api/connection.ts'
import { hookIdsByKey } from './describe-setup.ts'
import { hookKey } from './setup-items.ts'
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
  if (row?.auth !== wanted.auth) return null
  const present = { ...connectionOf(row), baseUrl: row.baseUrl }
  if (originsOf(present) !== originsOf(wanted)) return null
  return unlessRefused(environments.openKey(row))
}

/** Resolves with the stored value of a needed secret, or null. */
async function storedSecret(
  holders: SecretHolders,
  hookIds: ReadonlyMap<string, string>,
  { setup }: ParsedSource,
  { path: [list, index, field, header] }: NeededSecret,
): Promise<string | null> {
  const { hooks, savedHandlers } = holders
  const at = Number(index)
  const [environment, hook, handler] = [setup.environments[at], setup.hooks[at], setup.handlers[at]]
  if (list === 'environments')
    return environment === undefined ? null : storedKey(holders, environment)
  if (list === 'handlers') {
    const saved = savedHandlers.namesake(handler?.name ?? '')
    const signer = saved === undefined ? null : await unlessRefused(savedHandlers.signer(saved.id))
    return signer !== null && 'secret' in signer ? signer.secret : null
  }
  const id = hook === undefined ? undefined : hookIds.get(hookKey(hook))
  if (id === undefined) return null
  if (field === 'secret') return unlessRefused(hooks.reveal(id))
  const headers = await unlessRefused(Promise.resolve().then(() => hooks.headersOf(id)))
  return headers?.[String(header)] ?? null
}

/** Resolves with each secret's state, and the value to store, by place. */
export async function resolveSecrets(holders: SecretHolders, source: ParsedSource) {
  const states = new Map<string, SecretState>()
  const values = new Map<string, string>()
  const hookIds = hookIdsByKey(holders.hooks.list())
  for (const needed of neededSecrets(source.setup)) {
    const { place } = needed
    const given = source.secrets[place] ?? null
    const stored = await storedSecret(holders, hookIds, source, needed)
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
