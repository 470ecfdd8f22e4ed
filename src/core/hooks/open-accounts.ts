/** Environments and hooks over one store and one vault. */
import type { Environment } from '../../shared/model/environment.ts'
import type { Hook } from '../../shared/model/hook.ts'
import type { Deps } from '../base/deps.ts'
import type { Store } from '../store/store.ts'
import type { Vault } from './vault.ts'
import { openEnvironments, type Environments } from './environments.ts'
import { openHooks, type HookForSandbox, type Hooks } from './hooks.ts'
import { createRegistry, type Registry } from './registry.ts'
import { sealClearHeaders } from './seal-headers.ts'

export interface AccountsDeps extends Pick<Deps, 'clock' | 'ids' | 'log' | 'randomBytes'> {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly vault: Vault
  /** The sandbox's URL; null if it isn't running. */
  sandboxUrl(): string | null
  /** Registers a hook with the sandbox. Resolves with whether the sandbox is running. */
  tellSandbox(hook: HookForSandbox): Promise<boolean>
  /** Called with the environments before the hooks are loaded, which takes a while if there are many. */
  onEnvironmentsOpened?(environments: Environments): void
  onEnvironmentsChanged(environments: Environment[]): void
  onHookChanged(hook: Hook): void
  onHookRemoved(id: string): void
}

export interface Accounts {
  readonly environments: Environments
  /** Finds the hook for a request. */
  readonly registry: Registry
  readonly hooks: Hooks
}

/** Loads environments and hooks. Nothing needs closing. */
export async function openAccounts(deps: AccountsDeps): Promise<Accounts> {
  const { store, vault, clock, ids, log } = deps
  let hooks: Hooks | null = null
  const environments = await openEnvironments({
    store,
    vault,
    clock,
    log,
    randomBytes: (count) => deps.randomBytes(count),
    sandboxUrl: () => deps.sandboxUrl(),
    onChanged: (all) => {
      // The receiver knows a new prefix before anyone acts on it.
      hooks?.refresh()
      deps.onEnvironmentsChanged(all)
    },
  })
  deps.onEnvironmentsOpened?.(environments)
  await sealClearHeaders(store, vault, log)
  const registry = createRegistry()
  hooks = await openHooks({
    store,
    vault,
    environments,
    registry,
    clock,
    ids,
    log,
    onChanged: (hook) => deps.onHookChanged(hook),
    onRemoved: (id) => deps.onHookRemoved(id),
    tellSandbox: (hook) => deps.tellSandbox(hook),
  })
  return { environments, registry, hooks }
}
