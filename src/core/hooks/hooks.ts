/** The hooks of a data folder: recorded, listed, and kept ready for the receiver. Their secrets stay in the vault. */
import type { KeyObject } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import type { Hook, HookImport } from '../../shared/model/hook.ts'
import { hookKindOf } from '../../shared/service/event-type.ts'
import { checkHook } from '../../shared/service/hook-rules.ts'
import type { Clock, Ids, Log } from '../deps.ts'
import { secretKey } from '../signature/sign.ts'
import type { StoredHook } from '../store/hooks-repo.ts'
import type { Store } from '../store/store.ts'
import { secretHint, type Vault } from '../vault/vault.ts'
import type { Environments } from './environments.ts'
import { pathOfUrl } from './hook-path.ts'
import type { Registry } from './registry.ts'

/** A hook as the sandbox needs to know it. */
export interface HookForSandbox {
  readonly id: string
  readonly event: string
  readonly url: string
  readonly secret: string
  readonly programId: string | null
  readonly offerId: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly environment: string
  readonly mode: 'test' | 'live'
}

export interface HooksDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly vault: Vault
  readonly environments: Environments
  readonly registry: Registry
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  /** Hears of a hook that was made or changed. */
  onChanged(hook: Hook): void
  /** Makes a hook that was imported into an environment of the sandbox known to it. */
  tellSandbox(hook: HookForSandbox): Promise<void>
}

/** A secret in clear, in the core only, ready to sign with. */
export interface OpenedSecret {
  readonly key: KeyObject
  readonly hint: string
}

export interface Hooks {
  list(environment?: string): Hook[]
  import(input: HookImport): Promise<Hook>
  /** The present secret in clear; rejects with `NOT_FOUND` or `SECRET_UNREADABLE`. */
  reveal(id: string): Promise<string>
  /** Secrets of a hook, present one first; those that this host cannot open are left out. */
  secretsOf(id: string): readonly OpenedSecret[]
}

interface OpenHook {
  readonly stored: StoredHook
  readonly secrets: readonly OpenedSecret[]
}

/** Loads the hooks and readies the registry. */
export async function openHooks(deps: HooksDeps): Promise<Hooks> {
  const { store, vault, environments, registry, clock, ids, log } = deps
  const opened = new Map<string, OpenHook>()

  async function openOne(stored: StoredHook): Promise<OpenHook> {
    const secrets: OpenedSecret[] = []
    for (const sealed of stored.secrets) {
      try {
        const secret = await vault.open(sealed)
        secrets.push({ key: secretKey(secret), hint: secretHint(secret) })
      } catch (error) {
        log.warn('The secret of a hook cannot be opened by this host.', { hook: stored.id, reason: (error as Error).message })
      }
    }
    return { stored, secrets }
  }

  function register(): void {
    registry.replace(
      [...opened.values()].map(({ stored, secrets }) => ({
        id: stored.id,
        event: stored.event,
        url: stored.url,
        environment: stored.environment,
        mode: environments.get(stored.environment).mode,
        createdAt: stored.createdAt,
        keys: secrets.map((secret) => secret.key),
      })),
      environments.all().map((environment) => environment.prefix),
    )
  }

  function toHook({ stored, secrets }: OpenHook): Hook {
    return {
      id: stored.id,
      remoteId: stored.remoteId,
      kind: stored.kind,
      event: stored.event,
      url: stored.url,
      programId: stored.programId,
      offerId: stored.offerId,
      headers: { ...stored.headers },
      environment: stored.environment,
      mode: environments.get(stored.environment).mode,
      path: pathOfUrl(stored.url),
      status: stored.status,
      createdAt: new Date(stored.createdAt).toISOString(),
      secretHint: secrets[0]?.hint ?? null,
    }
  }

  /** Everything that is wrong with an import, told at once. */
  function check(input: HookImport, prefix: string): void {
    const findings = checkHook(
      {
        kind: hookKindOf(input.event),
        event: input.event,
        url: input.url,
        programId: input.programId ?? null,
        offerId: input.offerId ?? null,
        headers: {},
      },
      { prefix, siblings: [] },
    )
    if (findings.length === 0) return
    throw new AppError('INVALID_HOOK', findings.map((finding) => finding.message).join(' '), { details: findings })
  }

  for (const stored of await store.read('hooks', null)) opened.set(stored.id, await openOne(stored))
  register()

  function get(id: string): OpenHook {
    const found = opened.get(id)
    if (found !== undefined) return found
    throw new AppError('NOT_FOUND', `There is no hook ${id}. List them with "countersign hooks list".`)
  }

  return {
    list: (environment) =>
      [...opened.values()].filter(({ stored }) => environment === undefined || stored.environment === environment).map(toHook),
    async import(input) {
      const environment = environments.get(input.environment)
      check(input, environment.prefix)
      const stored: StoredHook = {
        id: ids.next(),
        remoteId: null,
        kind: hookKindOf(input.event),
        event: input.event,
        url: input.url,
        programId: input.programId ?? null,
        offerId: input.offerId ?? null,
        headers: {},
        environment: environment.name,
        status: 'active',
        createdAt: clock.now(),
        secrets: [await vault.seal(input.secret)],
      }
      await store.write('insertHook', stored)
      const hook = { stored, secrets: [{ key: secretKey(input.secret), hint: secretHint(input.secret) }] }
      opened.set(stored.id, hook)
      register()
      if (isSandboxEnvironment(environment.name)) {
        await deps.tellSandbox({ ...stored, secret: input.secret, mode: environment.mode })
      }
      const shown = toHook(hook)
      deps.onChanged(shown)
      return shown
    },
    async reveal(id) {
      const [present] = get(id).stored.secrets
      if (present === undefined) throw new AppError('SECRET_UNREADABLE', 'This hook has no secret. Import it again with one.')
      return vault.open(present)
    },
    secretsOf: (id) => opened.get(id)?.secrets ?? [],
  }
}
