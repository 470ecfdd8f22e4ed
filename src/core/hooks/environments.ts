/**
 * The environments of a data folder, and API clients of their accounts. The two sandbox environments always exist, with their own keys
 * (section 5.1: public keys start with pk, secret keys with sk).
 */
import { AppError } from '../../shared/contract/errors.ts'
import {
  SANDBOX_LIVE,
  SANDBOX_TEST,
  isSandboxEnvironment,
  type Environment,
  type EnvironmentCheck,
  type EnvironmentAdd,
  type EnvironmentUpdate,
  environmentAddSchema,
  prefixSchema,
} from '../../shared/model/environment.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { Hook } from '../../shared/model/hook.ts'
import { counted, listed } from '../../shared/text/counted.ts'
import { DEFAULT_PREFIX } from '../../shared/service/header-rules.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { createMutex } from '../base/async.ts'
import {
  connectionOf,
  connectionSchema,
  createApiClient,
  type ApiAccount,
  type ApiClient,
} from '../service-api/api-client.ts'
import { callText, failedCall, type ApiAnswer } from '../service-api/exchange.ts'
import type { StoredEnvironment } from '../store/hooks.ts'
import type { Store } from '../store/store.ts'
import { secretHint, type Vault } from './vault.ts'
import { checkAuthority, checkEnvironment } from './environment-rules.ts'

interface EnvironmentsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Log
  randomBytes(count: number): Uint8Array
  readonly hub: Pick<EventHub, 'emit' | 'on'>
  /** Revokes consent to an environment. */
  forgetConsent(name: string): Promise<unknown>
}

export type Environments = Awaited<ReturnType<typeof openEnvironments>>

const CURRENT = 'environment.current'
/** How many hooks the error names that prevent removing an environment. */
const HOOKS_NAMED = 5

function isOfSandbox(name: string, what: string): AppError {
  return new AppError(
    'INVALID_ENVIRONMENT',
    `${name} is the sandbox's own environment and can't be ${what}.`,
  )
}

/** Loads the environments and creates missing sandbox environments. */
export async function openEnvironments(deps: EnvironmentsDeps) {
  const { store, vault, clock, log, hub } = deps
  let sandboxUrl = ''
  hub.on('sandbox.started', ({ url }) => {
    sandboxUrl = url
  })
  let stored = await store.read('environments', null)
  // Concurrent changes would overwrite each other.
  const exclusive = createMutex()

  const put = async (environment: StoredEnvironment) => {
    await store.write('putEnvironment', environment)
    stored = await store.read('environments', null)
  }

  function newKeys(mode: Mode) {
    const key = (kind: string) =>
      `${kind}_${mode}_${Buffer.from(deps.randomBytes(24)).toString('base64url')}`
    return { publicKey: key('pk'), secretKey: key('sk') }
  }

  for (const [name, mode] of [
    [SANDBOX_TEST, 'test'],
    [SANDBOX_LIVE, 'live'],
  ] as const) {
    if (stored.some((environment) => environment.name === name)) continue
    const { publicKey, secretKey } = newKeys(mode)
    await put({
      name,
      mode,
      baseUrl: '',
      prefix: DEFAULT_PREFIX,
      auth: 'service-key',
      ack: '200',
      publicKey,
      key: await vault.seal(secretKey),
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
    const keys = newKeys(mode)
    await put({ ...environment, publicKey: keys.publicKey, key: await vault.seal(keys.secretKey) })
    return keys
  }
  let current = (await store.read('setting', CURRENT)) ?? SANDBOX_TEST

  const openKey = async ({ key }: StoredEnvironment) => (key === null ? null : vault.open(key))
  const baseUrlOf = (environment: StoredEnvironment) =>
    isSandboxEnvironment(environment.name) ? sandboxUrl : environment.baseUrl

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
    const { name, mode, prefix, auth, ack, publicKey } = environment
    const baseUrl = baseUrlOf(environment)
    const key = await shownKey(environment, includeSecrets)
    const shown = { name, mode, baseUrl, prefix, auth, ack, current: name === current }
    return { ...connectionOf(environment), ...shown, key, publicKey }
  }

  const list = (includeSecrets: boolean) =>
    Promise.all(stored.map((environment) => show(environment, includeSecrets)))
  const tellChanged = async () => {
    hub.emit('environments.changed', { environments: await list(false) })
  }
  async function keep(environment: StoredEnvironment): Promise<Environment> {
    await put(environment)
    await tellChanged()
    return show(get(environment.name), false)
  }
  async function setCurrent(name: string): Promise<void> {
    await store.write('writeSetting', { name: CURRENT, value: name })
    current = name
  }

  function get(name: string | undefined): StoredEnvironment {
    const wanted = name ?? current
    const found = stored.find((environment) => environment.name === wanted)
    if (found !== undefined) return found
    const names = stored.map((environment) => environment.name).join(', ')
    throw new AppError('NOT_FOUND', `Environment "${wanted}" not found. Available: ${names}.`)
  }

  /** Stores an environment with its secret encrypted. */
  async function keepInput(input: EnvironmentAdd, createdAt: number): Promise<Environment> {
    const { name, mode, baseUrl, prefix, auth, ack } = input
    const secret = auth === 'bearer' ? input.clientSecret : input.key
    return keep({
      ...{ name, mode, baseUrl, prefix, auth, ack, createdAt },
      publicKey: null,
      key: secret === undefined ? null : await vault.seal(secret),
      connection: JSON.stringify(connectionSchema.parse(input)),
    })
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
    return keepInput(input, clock.now())
  }

  async function update(change: EnvironmentUpdate): Promise<Environment> {
    const environment = get(change.name)
    if (isSandboxEnvironment(environment.name)) return changeSandbox(environment, change)
    // Decrypted only if kept, so that a secret that can't be decrypted can be replaced.
    const given = (change.auth ?? environment.auth) === 'bearer' ? change.clientSecret : change.key
    const stays = given === undefined && (change.auth ?? environment.auth) === environment.auth
    const next = changedEnvironment(environment, stays ? await openKey(environment) : null, change)
    checkEnvironment(next)
    if (next.baseUrl !== environment.baseUrl) await deps.forgetConsent(environment.name)
    return keepInput(next, environment.createdAt)
  }

  async function use(name: string): Promise<Environment> {
    const environment = get(name)
    await setCurrent(environment.name)
    await tellChanged()
    return show(environment, false)
  }

  async function remove(name: string, hooks: readonly Hook[]): Promise<void> {
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
    await deps.forgetConsent(environment.name)
    await store.write('deleteEnvironment', environment.name)
    stored = await store.read('environments', null)
    if (current === name) await setCurrent(SANDBOX_TEST)
    await tellChanged()
  }

  /**
   * The settings of a sandbox environment: its prefix, and the CA its hooks' certificates may be signed by, in addition to this
   * computer's and the system's.
   */
  async function changeSandbox(
    environment: StoredEnvironment,
    change: EnvironmentUpdate,
  ): Promise<Environment> {
    const { name, prefix = environment.prefix, caPem, ...others } = change
    if (Object.values(others).some((value) => value !== undefined))
      throw isOfSandbox(name, 'changed, except its prefix (--prefix) and CA certificate (--ca)')
    const connection = connectionOf(environment)
    const trusted = caPem === undefined ? connection.caPem : caPem
    checkAuthority(trusted)
    return keep({
      ...environment,
      prefix,
      connection: JSON.stringify({ ...connection, caPem: trusted }),
    })
  }

  return {
    list: ({ includeSecrets }: { includeSecrets: boolean }): Promise<Environment[]> =>
      list(includeSecrets),
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
    update: (change: EnvironmentUpdate): Promise<Environment> => exclusive(() => update(change)),
    use: (name: string): Promise<Environment> => exclusive(() => use(name)),
    /** Removes an environment. `hooks` are those that belong to it, which must have been removed for good. */
    remove: (name: string, hooks: readonly Hook[]) => exclusive(() => remove(name, hooks)),
  }
}

/** The complete environment after a change, because the rules apply to the whole. `secret` is the kept secret, if any. */
function changedEnvironment(
  environment: StoredEnvironment,
  secret: string | null,
  change: EnvironmentUpdate,
): EnvironmentAdd {
  const { clientId, tokenUrl, ...kept } = connectionOf(environment)
  const isBearer = (change.auth ?? environment.auth) === 'bearer'
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  const all = {
    ...environment,
    ...kept,
    clientId: clientId ?? undefined,
    tokenUrl: tokenUrl ?? undefined,
    [isBearer ? 'clientSecret' : 'key']: secret ?? undefined,
    ...Object.fromEntries(given),
  }
  const unused = isBearer
    ? { key: undefined }
    : { clientId: undefined, clientSecret: undefined, tokenUrl: undefined }
  return environmentAddSchema.parse({ ...all, ...unused })
}

/** Throws `INVALID_INPUT` if header names can't contain the prefix. */
export function checkPrefix(prefix: string): void {
  const { error } = prefixSchema.safeParse(prefix)
  if (error !== undefined)
    throw new AppError(
      'INVALID_INPUT',
      `"${prefix}" can't be used in the header name x-<prefix>-signature. ${error.issues[0]?.message}.`,
    )
}

/** The header prefixes of all environments, plus the default one. */
export function knownPrefixes(environments: Pick<Environments, 'all'>): readonly string[] {
  return [...new Set([DEFAULT_PREFIX, ...environments.all().map(({ prefix }) => prefix)])]
}

// API clients of the environments, with decrypted secrets.

export type ServiceClients = ReturnType<typeof createServiceClients>

/**
 * One client per account, kept while the core runs, so that a token is requested once and not for every call (section 5.3). Changed
 * settings make another account. `caPem`: this computer's CA certificate, which signed the sandbox's certificate.
 */
export function createServiceClients({
  environments,
  clock,
  caPem,
}: {
  readonly environments: Pick<Environments, 'baseUrlOf' | 'openKey'>
  readonly clock: Clock
  readonly caPem: string | null
}) {
  const clients = new Map<string, ApiClient>()
  return {
    /** Rejects if the sandbox isn't running or the environment's secret can't be decrypted. */
    async of(environment: StoredEnvironment): Promise<ApiClient> {
      const { name, prefix, auth } = environment
      const baseUrl = environments.baseUrlOf(environment)
      if (baseUrl === '') {
        throw new AppError(
          'NOT_RUNNING',
          `${name} is served by the sandbox, which isn't running. Run "countersign serve" (or open the app), then try again.`,
        )
      }
      const secret = await environments.openKey(environment)
      if (secret === null)
        throw new AppError(
          'INVALID_ENVIRONMENT',
          `${name} has no secret key. Add one with "environments update".`,
        )
      const authorities = isSandboxEnvironment(name) && caPem !== null ? [caPem] : []
      const connection = connectionOf(environment)
      const account: ApiAccount = { baseUrl, prefix, auth, secret, connection, authorities }
      const key = JSON.stringify(account)
      const client = clients.get(key) ?? createApiClient(account, clock)
      clients.set(key, client)
      return client
    },
    /** Aborts running calls. */
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()))
    },
  }
}

/** What the response to a call for an unknown hook says about the environment. */
function verdictOn(
  { status, json }: ApiAnswer,
  { auth }: StoredEnvironment,
): [EnvironmentCheck['outcome'], string] {
  if (status === 401 || status === 403)
    return [
      'failed',
      `Authentication failed (${status}). Use the secret key or client of this environment's mode.`,
    ]
  if (status >= 500) return ['failed', `It returned ${status}, so the key couldn't be tested.`]
  if (status !== 404 && status !== 410)
    return [
      'warning',
      `It returned ${status} instead of "not found". The base URL may be wrong, or the key wasn't checked.`,
    ]
  // Bodies are JSON (section 4). Any web server returns 404 for an unknown path.
  if (json === undefined)
    return [
      'warning',
      `It returned ${status} without JSON. The base URL may belong to another service.`,
    ]
  return [
    'ok',
    `The ${auth === 'bearer' ? 'token' : 'key'} was accepted: a request to delete an unknown hook returned "not found".`,
  ]
}

/**
 * Tests an environment with a call that can't change anything. Never rejects for what the service does: an unreachable service is a
 * result too.
 */
export async function tryEnvironment(
  environment: StoredEnvironment,
  clients: Pick<ServiceClients, 'of'>,
  ids: Ids,
): Promise<EnvironmentCheck> {
  const { name } = environment
  const client = await clients.of(environment)
  try {
    const answer = await client.probe(ids.next())
    const [outcome, sentence] = verdictOn(answer, environment)
    const learned = ['Connected to the service.', sentence]
    const { sent, status } = answer
    return { name, outcome, sent: callText(sent), learned, status, body: answer.shown() }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const learned = [error.message]
    return { name, outcome: 'failed', sent: failedCall(error), learned, status: null, body: null }
  }
}
