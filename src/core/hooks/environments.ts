/**
 * The environments of a data folder. The two that the sandbox serves are always there, with keys of their own (section 5.1:
 * public keys start with pk, secret ones with sk).
 */
import { AppError } from '../../shared/contract/errors.ts'
import { SANDBOX_LIVE, SANDBOX_TEST, isSandboxEnvironment, type Environment } from '../../shared/model/environment.ts'
import { DEFAULT_PREFIX } from '../../shared/service/header-names.ts'
import type { Clock } from '../deps.ts'
import type { StoredEnvironment } from '../store/environments-repo.ts'
import type { Store } from '../store/store.ts'
import { secretHint, type Vault } from '../vault/vault.ts'

export interface EnvironmentsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly vault: Vault
  readonly clock: Clock
  randomBytes(count: number): Uint8Array
  /** Base URL of the sandbox where it runs. */
  sandboxUrl(): string | null
}

export interface Environments {
  list(options: { includeSecrets: boolean }): Promise<Environment[]>
  /** The environment of a name, or the current one; rejects with `NOT_FOUND`. */
  get(name: string | undefined): StoredEnvironment
  all(): readonly StoredEnvironment[]
  /** The secret key of an environment in clear; null where it has none. */
  openKey(environment: StoredEnvironment): Promise<string | null>
}

const CURRENT = 'environment.current'

function newKey(prefix: string, randomBytes: EnvironmentsDeps['randomBytes']): string {
  return `${prefix}_${Buffer.from(randomBytes(24)).toString('base64url')}`
}

/** Loads the environments, making those of the sandbox where they are missing. */
export async function openEnvironments(deps: EnvironmentsDeps): Promise<Environments> {
  const { store, vault, clock, randomBytes } = deps
  let stored = await store.read('environments', null)

  for (const [name, mode] of [
    [SANDBOX_TEST, 'test'],
    [SANDBOX_LIVE, 'live'],
  ] as const) {
    if (stored.some((environment) => environment.name === name)) continue
    await store.write('insertEnvironment', {
      name,
      mode,
      baseUrl: '',
      prefix: DEFAULT_PREFIX,
      auth: 'service-key',
      ack: '200',
      publicKey: newKey(`pk_${mode}`, randomBytes),
      key: await vault.seal(newKey(`sk_${mode}`, randomBytes)),
      createdAt: clock.now(),
    })
    stored = await store.read('environments', null)
  }
  const current = (await store.read('setting', CURRENT)) ?? SANDBOX_TEST

  const openKey = async ({ key }: StoredEnvironment) => (key === null ? null : vault.open(key))

  async function shownKey(environment: StoredEnvironment, includeSecrets: boolean): Promise<string | null> {
    if (includeSecrets) return openKey(environment)
    try {
      const key = await openKey(environment)
      return key === null ? null : secretHint(key)
    } catch {
      // Sealed by another host: it exists, and that is all there is to say of it here.
      return '…'
    }
  }

  return {
    list: ({ includeSecrets }) =>
      Promise.all(
        stored.map(async (environment) => ({
          name: environment.name,
          mode: environment.mode,
          baseUrl: isSandboxEnvironment(environment.name) ? (deps.sandboxUrl() ?? '') : environment.baseUrl,
          prefix: environment.prefix,
          auth: environment.auth,
          ack: environment.ack,
          current: environment.name === current,
          key: await shownKey(environment, includeSecrets),
        })),
      ),
    get(name) {
      const wanted = name ?? current
      const found = stored.find((environment) => environment.name === wanted)
      if (found !== undefined) return found
      throw new AppError(
        'NOT_FOUND',
        `There is no environment "${wanted}". There are: ${stored.map((environment) => environment.name).join(', ')}.`,
      )
    },
    all: () => stored,
    openKey,
  }
}
