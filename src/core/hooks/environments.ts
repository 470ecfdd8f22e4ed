/**
 * The environments of a data folder, and the sandbox's two with their own keys (section 5.1: public
 * keys start with pk, secret keys with sk).
 */
import { AppError } from '../../shared/contract/errors.ts'
import {
  SANDBOX_LIVE,
  SANDBOX_TEST,
  SHARED_BASE_URL,
  isSandboxEnvironment,
  isSharedEnvironment,
  type Environment,
  type EnvironmentAdd,
  type EnvironmentUpdate,
  environmentAddSchema,
  prefixSchema,
} from '../../shared/model/environment.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { Hook } from '../../shared/model/hook.ts'
import { counted, listed } from '../../shared/text/english.ts'
import { DEFAULT_PREFIX } from '../../shared/service/header-names.ts'
import type { Clock, Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { createMutex } from '../base/async.ts'
import { connectionOf, connectionSchema } from '../service-api/connection.ts'
import type { Store } from '../store/store.ts'
import type { StoredEnvironment } from '../store/environments.ts'
import { secretHint, type Vault } from './vault.ts'
import { checkCaCertificate, checkEnvironment } from './environment-rules.ts'

interface EnvironmentsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Log
  randomBytes(count: number): Uint8Array
  readonly hub: Pick<EventHub, 'emit' | 'on'>
  forgetConsent(name: string): Promise<unknown>
}

type SharedParts = Pick<StoredEnvironment, 'name' | 'mode' | 'prefix' | 'ack'> & {
  readonly key: string | null
}

export const CURRENT_ENVIRONMENT = 'environment.current'
const MAX_NAMED_HOOKS = 5

function sandboxError(name: string, what: string): AppError {
  return new AppError(
    'INVALID_ENVIRONMENT',
    `${name} is the sandbox's own environment and can't be ${what}.`,
  )
}

/** Loads the environments and creates missing sandbox environments. */
export async function openEnvironments(deps: EnvironmentsDeps): Promise<Environments> {
  const { store } = deps
  const environments = await store.read('environments', null)
  const current = (await store.read('setting', CURRENT_ENVIRONMENT)) ?? SANDBOX_TEST
  const opened = new Environments(deps, environments, current)
  await opened.createSandboxes()
  return opened
}

export class Environments {
  readonly #deps: EnvironmentsDeps
  #environments: readonly StoredEnvironment[]
  #current: string
  #sandboxUrl = ''
  /** Mutex for changes, because concurrent ones would overwrite each other. */
  readonly #exclusive = createMutex()
  /** Runs work during which no environment changes. */
  readonly exclusively = this.#exclusive

  constructor(deps: EnvironmentsDeps, environments: readonly StoredEnvironment[], current: string) {
    this.#deps = deps
    this.#environments = environments
    this.#current = current
    deps.hub.on('sandbox.started', ({ url }) => {
      this.#sandboxUrl = url
    })
  }

  /** Creates the sandbox's environments on the first start. */
  async createSandboxes(): Promise<void> {
    const { clock, vault } = this.#deps
    for (const [name, mode] of [
      [SANDBOX_TEST, 'test'],
      [SANDBOX_LIVE, 'live'],
    ] as const) {
      if (this.#environments.some((environment) => environment.name === name)) continue
      const { publicKey, secretKey } = this.#newKeys(mode)
      await this.#put({
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
  }

  all(): readonly StoredEnvironment[] {
    return this.#environments
  }

  /** Returns the named or current environment. Throws `NOT_FOUND`. */
  get(name: string | undefined): StoredEnvironment {
    const searched = name ?? this.#current
    const environment = this.#environments.find((other) => other.name === searched)
    if (environment !== undefined) return environment
    const names = this.#environments.map((other) => other.name).join(', ')
    throw new AppError('NOT_FOUND', `Environment "${searched}" not found. Available: ${names}.`)
  }

  list({ includeSecrets }: { includeSecrets: boolean }): Promise<Environment[]> {
    return Promise.all(
      this.#environments.map((environment) => this.#toContract(environment, includeSecrets)),
    )
  }

  /** Returns the sandbox's listening address for its environments, empty while it is stopped. */
  baseUrlOf(environment: StoredEnvironment): string {
    return isSandboxEnvironment(environment.name) ? this.#sandboxUrl : environment.baseUrl
  }

  /** Resolves with the secret key or client secret, or null. */
  async openKey({ key }: StoredEnvironment): Promise<string | null> {
    return key === null ? null : this.#deps.vault.open(key)
  }

  /** Resolves with the sandbox's keys, new ones if this computer can't decrypt them. */
  async openSandboxKeys(environment: StoredEnvironment) {
    const { log, vault } = this.#deps
    const { name, mode, publicKey, key } = environment
    try {
      if (publicKey !== null && key !== null) return { publicKey, secretKey: await vault.open(key) }
    } catch (error) {
      log.warn("This computer can't decrypt the sandbox's keys, so new keys were created.", {
        environment: name,
        reason: (error as Error).message,
      })
    }
    const keys = this.#newKeys(mode)
    const sealed = await vault.seal(keys.secretKey)
    await this.#put({ ...environment, publicKey: keys.publicKey, key: sealed })
    return keys
  }

  add(input: EnvironmentAdd): Promise<Environment> {
    return this.#exclusive(async () => {
      checkEnvironment(input)
      if (this.#environments.some((environment) => environment.name === input.name))
        throw new AppError(
          'INVALID_ENVIRONMENT',
          `Environment "${input.name}" already exists. Update it, or choose another name.`,
          { details: { field: 'name' } },
        )
      return this.#saveInput(input, this.#deps.clock.now())
    })
  }

  /** Adds the environment of a shareable capture, unless it is already here. */
  addShared({ name, mode, prefix, ack, key }: SharedParts): Promise<void> {
    return this.#exclusive(async () => {
      if (this.#environments.some((environment) => environment.name === name)) return
      await this.#save({
        ...{ name, mode, prefix, ack, baseUrl: SHARED_BASE_URL, auth: 'service-key' },
        publicKey: null,
        key: key === null ? null : await this.#deps.vault.seal(key),
        connection: '{}',
        createdAt: this.#deps.clock.now(),
      })
    })
  }

  update(change: EnvironmentUpdate): Promise<Environment> {
    return this.#exclusive(async () => {
      const environment = this.get(change.name)
      if (isSharedEnvironment(environment))
        throw new AppError(
          'INVALID_ENVIRONMENT',
          `${environment.name} came with a shareable capture and can't be changed. Add another environment.`,
        )
      if (isSandboxEnvironment(environment.name)) return this.#changeSandbox(environment, change)
      // Decrypted only if kept, so that a secret that can't be decrypted can be replaced.
      const auth = change.auth ?? environment.auth
      const given = auth === 'bearer' ? change.clientSecret : change.key
      const keepsSecret = given === undefined && auth === environment.auth
      const secret = keepsSecret ? await this.openKey(environment) : null
      const next = changedEnvironment(environment, secret, change)
      checkEnvironment(next)
      if (next.baseUrl !== environment.baseUrl) await this.#deps.forgetConsent(environment.name)
      return this.#saveInput(next, environment.createdAt)
    })
  }

  /** Returns the row of a valid environment, to store. */
  async rowOf(input: EnvironmentAdd, createdAt: number): Promise<StoredEnvironment> {
    const { name, mode, baseUrl, prefix, auth, ack } = input
    const secret = auth === 'bearer' ? input.clientSecret : input.key
    return {
      ...{ name, mode, baseUrl, prefix, auth, ack, createdAt },
      publicKey: null,
      key: secret === undefined ? null : await this.#deps.vault.seal(secret),
      connection: JSON.stringify(connectionSchema.parse(input)),
    }
  }

  /** Reads rows that another part stored, and reports them. */
  async reload(): Promise<void> {
    const { store } = this.#deps
    this.#environments = await store.read('environments', null)
    this.#current = (await store.read('setting', CURRENT_ENVIRONMENT)) ?? SANDBOX_TEST
    await this.#reportChange()
  }

  use(name: string): Promise<Environment> {
    return this.#exclusive(async () => {
      const environment = this.get(name)
      await this.#setCurrent(environment.name)
      await this.#reportChange()
      return this.#toContract(environment, false)
    })
  }

  /** Removes an environment. Rejects with `INVALID_ENVIRONMENT` if it still has `hooks`. */
  remove(name: string, hooks: readonly Hook[]): Promise<void> {
    return this.#exclusive(async () => {
      const { store } = this.#deps
      const environment = this.get(name)
      if (isSandboxEnvironment(name)) throw sandboxError(name, 'removed')
      if (hooks.length > 0) throw stillHasHooks(name, hooks)
      await this.#deps.forgetConsent(environment.name)
      await store.write('deleteEnvironment', environment.name)
      this.#environments = await store.read('environments', null)
      if (this.#current === name) await this.#setCurrent(SANDBOX_TEST)
      await this.#reportChange()
    })
  }

  /** Changes a sandbox environment's prefix, or the CA of its hooks' certificates. */
  async #changeSandbox(
    environment: StoredEnvironment,
    change: EnvironmentUpdate,
  ): Promise<Environment> {
    const { name, prefix = environment.prefix, caPem, ...others } = change
    if (Object.values(others).some((value) => value !== undefined))
      throw sandboxError(name, 'changed, except its prefix (--prefix) and CA certificate (--ca)')
    const connection = connectionOf(environment)
    const trustedCa = caPem === undefined ? connection.caPem : caPem
    checkCaCertificate(trustedCa)
    return this.#save({
      ...environment,
      prefix,
      connection: JSON.stringify({ ...connection, caPem: trustedCa }),
    })
  }

  async #saveInput(input: EnvironmentAdd, createdAt: number): Promise<Environment> {
    return this.#save(await this.rowOf(input, createdAt))
  }

  async #save(environment: StoredEnvironment): Promise<Environment> {
    await this.#put(environment)
    await this.#reportChange()
    return this.#toContract(this.get(environment.name), false)
  }

  async #put(environment: StoredEnvironment): Promise<void> {
    const { store } = this.#deps
    await store.write('putEnvironment', environment)
    this.#environments = await store.read('environments', null)
  }

  async #setCurrent(name: string): Promise<void> {
    await this.#deps.store.write('writeSetting', { name: CURRENT_ENVIRONMENT, value: name })
    this.#current = name
  }

  async #reportChange(): Promise<void> {
    const environments = await this.list({ includeSecrets: false })
    this.#deps.hub.emit('environments.changed', { environments })
  }

  async #toContract(environment: StoredEnvironment, includeSecrets: boolean): Promise<Environment> {
    const { name, mode, prefix, auth, ack, publicKey } = environment
    const baseUrl = this.baseUrlOf(environment)
    const key = await this.#shownKey(environment, includeSecrets)
    const current = name === this.#current
    const shown = { name, mode, baseUrl, prefix, auth, ack, current, key, publicKey }
    return { ...connectionOf(environment), ...shown }
  }

  /**
   * Resolves with the key in clear or masked; with null or `…` if this computer can't decrypt it.
   */
  async #shownKey(environment: StoredEnvironment, includeSecrets: boolean): Promise<string | null> {
    try {
      const key = await this.openKey(environment)
      return key === null || includeSecrets ? key : secretHint(key)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return includeSecrets ? null : '…'
    }
  }

  #newKeys(mode: Mode) {
    const key = (kind: string) =>
      `${kind}_${mode}_${Buffer.from(this.#deps.randomBytes(24)).toString('base64url')}`
    return { publicKey: key('pk'), secretKey: key('sk') }
  }
}

function stillHasHooks(name: string, hooks: readonly Hook[]): AppError {
  const commands = hooks
    .slice(0, MAX_NAMED_HOOKS)
    .map(
      ({ id, event, status }) => `"countersign hooks remove ${id} --purge" (${event}, ${status})`,
    )
  return new AppError(
    'INVALID_ENVIRONMENT',
    `"${name}" still has ${counted(hooks.length, 'hook')}, so it can't be removed. Remove ${hooks.length === 1 ? 'it' : 'each'} for good: ${hooks.length > MAX_NAMED_HOOKS ? `${commands.join(', ')}, and so on` : listed(commands, 'and')}.`,
  )
}

/** Returns the complete environment after a change, because rules apply to the whole. */
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

export function checkPrefix(prefix: string): void {
  const { error } = prefixSchema.safeParse(prefix)
  if (error !== undefined)
    throw new AppError(
      'INVALID_INPUT',
      `"${prefix}" can't be used in the header name x-<prefix>-signature. ${error.issues[0]?.message}.`,
    )
}

export function knownPrefixes(environments: Pick<Environments, 'all'>): readonly string[] {
  return [...new Set([DEFAULT_PREFIX, ...environments.all().map(({ prefix }) => prefix)])]
}
