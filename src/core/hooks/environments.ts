/**
 * The environments of a data folder. The two sandbox environments always exist, with their own keys (section 5.1: public keys start
 * with pk, secret keys with sk).
 */
import { AppError } from '../../shared/contract/errors.ts'
import {
  SANDBOX_LIVE,
  SANDBOX_TEST,
  isSandboxEnvironment,
  type Environment,
  type EnvironmentAdd,
  type EnvironmentUpdate,
  environmentAddSchema,
} from '../../shared/model/environment.ts'
import type { Hook } from '../../shared/model/hook.ts'
import { counted, listed } from '../../shared/text/counted.ts'
import { DEFAULT_PREFIX } from '../../shared/service/header-rules.ts'
import type { Clock, Log } from '../base/deps.ts'
import { createMutex } from '../base/async.ts'
import { connectionOf, connectionSchema } from '../service-api/connection.ts'
import type { StoredEnvironment } from '../store/hooks.ts'
import type { Store } from '../store/store.ts'
import { confirmLive } from './live-guard.ts'
import { secretHint, type Vault } from './vault.ts'
import { checkAuthority, checkEnvironment } from './environment-rules.ts'

interface EnvironmentsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Log
  randomBytes(count: number): Uint8Array
  /** The sandbox's base URL. */
  sandboxUrl(): string | null
  /** Called with all environments when one is added, changed, selected or removed. */
  onChanged(environments: Environment[]): void
}

export type Environments = Awaited<ReturnType<typeof openEnvironments>>

const CURRENT = 'environment.current'
/** How many hooks the error names that prevent removing an environment. */
const HOOKS_NAMED = 5

function newKey(prefix: string, randomBytes: EnvironmentsDeps['randomBytes']): string {
  return `${prefix}_${Buffer.from(randomBytes(24)).toString('base64url')}`
}

function isOfSandbox(name: string, what: string): AppError {
  return new AppError(
    'INVALID_ENVIRONMENT',
    `${name} is the sandbox's own environment and can't be ${what}.`,
  )
}

/** Loads the environments and creates missing sandbox environments. */
export async function openEnvironments(deps: EnvironmentsDeps) {
  const { store, vault, clock, log, randomBytes } = deps
  let stored = await store.read('environments', null)
  // Concurrent changes would overwrite each other.
  const exclusive = createMutex()

  const put = async (environment: StoredEnvironment) => {
    await store.write('putEnvironment', environment)
    stored = await store.read('environments', null)
  }

  for (const [name, mode] of [
    [SANDBOX_TEST, 'test'],
    [SANDBOX_LIVE, 'live'],
  ] as const) {
    if (stored.some((environment) => environment.name === name)) continue
    await put({
      name,
      mode,
      baseUrl: '',
      prefix: DEFAULT_PREFIX,
      auth: 'service-key',
      ack: '200',
      publicKey: newKey(`pk_${mode}`, randomBytes),
      key: await vault.seal(newKey(`sk_${mode}`, randomBytes)),
      connection: '{}',
      createdAt: clock.now(),
    })
  }

  async function openSandboxKeys(environment: StoredEnvironment) {
    const { name, mode, publicKey, key } = environment
    try {
      if (publicKey !== null && key !== null) return { publicKey, secretKey: await vault.open(key) }
    } catch (error) {
      log.warn("This computer can't decrypt the sandbox's keys, so new keys were created.", {
        environment: name,
        reason: (error as Error).message,
      })
    }
    const keys = {
      publicKey: newKey(`pk_${mode}`, randomBytes),
      secretKey: newKey(`sk_${mode}`, randomBytes),
    }
    await put({ ...environment, publicKey: keys.publicKey, key: await vault.seal(keys.secretKey) })
    return keys
  }
  let current = (await store.read('setting', CURRENT)) ?? SANDBOX_TEST

  const openKey = async ({ key }: StoredEnvironment) => (key === null ? null : vault.open(key))
  const baseUrlOf = (environment: StoredEnvironment) =>
    isSandboxEnvironment(environment.name) ? (deps.sandboxUrl() ?? '') : environment.baseUrl

  /** Masked: just `…` if this computer can't decrypt the existing key. In clear: null in that case, as without a key. */
  async function shownKey(
    environment: StoredEnvironment,
    includeSecrets: boolean,
  ): Promise<string | null> {
    try {
      const key = await openKey(environment)
      return key === null || includeSecrets ? key : secretHint(key)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return includeSecrets ? null : '…'
    }
  }

  async function show(
    environment: StoredEnvironment,
    includeSecrets: boolean,
  ): Promise<Environment> {
    return {
      ...connectionOf(environment),
      name: environment.name,
      mode: environment.mode,
      baseUrl: baseUrlOf(environment),
      prefix: environment.prefix,
      auth: environment.auth,
      ack: environment.ack,
      current: environment.name === current,
      key: await shownKey(environment, includeSecrets),
      publicKey: environment.publicKey,
    }
  }

  const list = (includeSecrets: boolean) =>
    Promise.all(stored.map((environment) => show(environment, includeSecrets)))
  const tellChanged = async () => {
    deps.onChanged(await list(false))
  }

  function get(name: string | undefined): StoredEnvironment {
    const wanted = name ?? current
    const found = stored.find((environment) => environment.name === wanted)
    if (found !== undefined) return found
    const names = stored.map((environment) => environment.name).join(', ')
    throw new AppError('NOT_FOUND', `Environment "${wanted}" not found. Available: ${names}.`)
  }

  /** Stores an environment with its secret encrypted. */
  async function keep(input: EnvironmentAdd, createdAt: number): Promise<Environment> {
    const secret = input.auth === 'bearer' ? input.clientSecret : input.key
    await put({
      name: input.name,
      mode: input.mode,
      baseUrl: input.baseUrl,
      prefix: input.prefix,
      auth: input.auth,
      ack: input.ack,
      publicKey: null,
      key: secret === undefined ? null : await vault.seal(secret),
      connection: JSON.stringify(
        connectionSchema.parse({
          ...input,
          clientId: input.clientId ?? null,
          tokenUrl: input.tokenUrl ?? null,
        }),
      ),
      createdAt,
    })
    await tellChanged()
    return show(get(input.name), false)
  }

  async function add(input: EnvironmentAdd): Promise<Environment> {
    checkEnvironment(input)
    if (stored.some((environment) => environment.name === input.name)) {
      throw new AppError(
        'INVALID_ENVIRONMENT',
        `Environment "${input.name}" already exists. Update it, or choose another name.`,
        { details: { field: 'name' } },
      )
    }
    return keep(input, clock.now())
  }

  async function update({ live = false, ...change }: Change & Confirmed): Promise<Environment> {
    const environment = get(change.name)
    confirmLive(environment, live, 'changing it')
    if (isSandboxEnvironment(environment.name)) return changeSandbox(environment, change)
    // Decrypted only if kept, so that a secret that can't be decrypted can be replaced.
    const given = (change.auth ?? environment.auth) === 'bearer' ? change.clientSecret : change.key
    const stays = given === undefined && (change.auth ?? environment.auth) === environment.auth
    const next = changedEnvironment(environment, stays ? await openKey(environment) : null, change)
    checkEnvironment(next)
    return keep(next, environment.createdAt)
  }

  async function use(name: string, live = false): Promise<Environment> {
    const environment = get(name)
    confirmLive(environment, live, 'using it by default')
    await store.write('writeSetting', { name: CURRENT, value: environment.name })
    current = environment.name
    await tellChanged()
    return show(environment, false)
  }

  async function remove(name: string, hooks: readonly Hook[], live = false): Promise<void> {
    const environment = get(name)
    if (isSandboxEnvironment(name)) throw isOfSandbox(name, 'removed')
    if (hooks.length > 0) {
      const each = hooks
        .slice(0, HOOKS_NAMED)
        .map(
          ({ id, event, status }) =>
            `"countersign hooks remove ${id} --purge" (${event}, ${status})`,
        )
      throw new AppError(
        'INVALID_ENVIRONMENT',
        `"${name}" still has ${counted(hooks.length, 'hook')}, so it can't be removed. Remove ${hooks.length === 1 ? 'it' : 'each'} for good: ${hooks.length > HOOKS_NAMED ? `${each.join(', ')}, and so on` : listed(each, 'and')}.`,
      )
    }
    confirmLive(environment, live, 'removing it')
    await store.write('deleteEnvironment', environment.name)
    stored = await store.read('environments', null)
    if (current === name) {
      await store.write('writeSetting', { name: CURRENT, value: SANDBOX_TEST })
      current = SANDBOX_TEST
    }
    await tellChanged()
  }

  /**
   * The settings of a sandbox environment: its prefix, and the CA its hooks' certificates may be signed by, in addition to this
   * computer's and the system's.
   */
  async function changeSandbox(
    environment: StoredEnvironment,
    change: Change,
  ): Promise<Environment> {
    const { name, prefix = environment.prefix, caPem, ...others } = change
    if (Object.values(others).some((value) => value !== undefined))
      throw isOfSandbox(name, 'changed, except its prefix (--prefix) and CA certificate (--ca)')
    const connection = connectionOf(environment)
    const trusted = caPem === undefined ? connection.caPem : caPem
    checkAuthority(trusted)
    await put({
      ...environment,
      prefix,
      connection: JSON.stringify({ ...connection, caPem: trusted }),
    })
    await tellChanged()
    return show(get(name), false)
  }

  return {
    list: ({ includeSecrets }: { includeSecrets: boolean }): Promise<Environment[]> =>
      list(includeSecrets),
    /** One environment as shown, with its key masked. */
    show: (name: string): Promise<Environment> => show(get(name), false),
    /** The named environment, or the current one. Rejects with `NOT_FOUND`. */
    get,
    all: (): readonly StoredEnvironment[] => stored,
    /** An environment's base URL. The sandbox's is its listening address, or empty if it isn't running. */
    baseUrlOf,
    /** An environment's secret key or client secret in clear; null without one. */
    openKey,
    /**
     * The sandbox's keys, for its start. If this computer can't decrypt them, new ones are created, because the sandbox couldn't
     * start without keys.
     */
    openSandboxKeys,
    add: (input: EnvironmentAdd): Promise<Environment> => exclusive(() => add(input)),
    /** Rejects with `CONFIRMATION_REQUIRED` if the environment is live and `live` isn't set; so does `remove`. */
    update: (change: Change & Confirmed): Promise<Environment> => exclusive(() => update(change)),
    /** Sets the current environment. */
    use: (name: string, live?: boolean): Promise<Environment> => exclusive(() => use(name, live)),
    /** Removes an environment. `hooks` are those that belong to it, which must have been removed for good. */
    remove: (name: string, hooks: readonly Hook[], live?: boolean) =>
      exclusive(() => remove(name, hooks, live)),
  }
}

type Change = Omit<EnvironmentUpdate, 'live'>
/** The confirmation that a change of a live environment needs. */
type Confirmed = Partial<Pick<EnvironmentUpdate, 'live'>>

/** The complete environment after a change, because the rules apply to the whole. `secret` is the kept secret, if any. */
function changedEnvironment(
  environment: StoredEnvironment,
  secret: string | null,
  change: Change,
): EnvironmentAdd {
  const kept = connectionOf(environment)
  const auth = change.auth ?? environment.auth
  return environmentAddSchema.parse({
    name: environment.name,
    mode: environment.mode,
    baseUrl: change.baseUrl ?? environment.baseUrl,
    apiVersion: change.apiVersion ?? kept.apiVersion,
    prefix: change.prefix ?? environment.prefix,
    auth,
    ack: change.ack ?? environment.ack,
    key: auth === 'service-key' ? (change.key ?? secret ?? undefined) : undefined,
    clientId: auth === 'bearer' ? (change.clientId ?? kept.clientId ?? undefined) : undefined,
    clientSecret: auth === 'bearer' ? (change.clientSecret ?? secret ?? undefined) : undefined,
    tokenUrl: auth === 'bearer' ? (change.tokenUrl ?? kept.tokenUrl ?? undefined) : undefined,
    authHeader: change.authHeader ?? kept.authHeader,
    tokenForm: change.tokenForm ?? kept.tokenForm,
    tokenField: change.tokenField === undefined ? kept.tokenField : change.tokenField,
    refreshTokenField:
      change.refreshTokenField === undefined ? kept.refreshTokenField : change.refreshTokenField,
    expiryField: change.expiryField === undefined ? kept.expiryField : change.expiryField,
    tokenRequestFields: change.tokenRequestFields ?? kept.tokenRequestFields,
    caPem: change.caPem === undefined ? kept.caPem : change.caPem,
    proxy: change.proxy === undefined ? kept.proxy : change.proxy,
    timeoutMs: change.timeoutMs ?? kept.timeoutMs,
  })
}

/** The header prefixes of all environments, plus the default one. */
export function knownPrefixes(environments: Pick<Environments, 'all'>): readonly string[] {
  return [...new Set([DEFAULT_PREFIX, ...environments.all().map(({ prefix }) => prefix)])]
}
