/** Makes the rows that bring a data folder to a setup, and those that undo it. */
import { AppError } from '../../shared/contract/errors.ts'
import { showPath } from '../../shared/diff/path-pattern.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import { hookKindOf } from '../../shared/service/event-type.ts'
import {
  isChangedEntry,
  type SetupEntry,
  type SetupHook,
  type SetupPlan,
} from '../../shared/model/setup.ts'
import { unlessRefused } from '../base/async.ts'
import type { Clock, Ids } from '../base/deps.ts'
import { OWN_FLOWS, type OwnFlows } from '../flows/own-flows.ts'
import { checkEnvironment } from '../hooks/environment-rules.ts'
import { CURRENT_ENVIRONMENT } from '../hooks/environments.ts'
import { connectionOf } from '../service-api/connection.ts'
import { SETTINGS, type SettingsService } from '../settings/settings.ts'
import { VIEWS, type Views } from '../settings/views.ts'
import type { StoredEnvironment } from '../store/environments.ts'
import type { StoredTarget } from '../store/forward-targets.ts'
import type { StoredHandler } from '../store/handlers.ts'
import type { StoredHook } from '../store/hooks.ts'
import type { SetupRows } from '../store/setup-rows.ts'
import type { Store } from '../store/store.ts'
import { hookIdsByKey } from './describe-setup.ts'
import { hookKey, hookTitle, remoteIdIn, sandboxesIn } from './setup-items.ts'
import type { ParsedSource } from './setup-plan.ts'
import { environmentSecretPath } from './setup-secrets.ts'
import type { SecretHolders } from './stored-secrets.ts'

export interface RowDeps extends SecretHolders {
  readonly settings: SettingsService
  readonly views: Views
  readonly ownFlows: OwnFlows
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Clock
  readonly ids: Ids
}

const withReplaced = <Item>(
  items: readonly Item[],
  changed: readonly Item[],
  keyOf: (item: Item) => string,
): readonly Item[] => {
  const next = new Map([...items, ...changed].map((item) => [keyOf(item), item]))
  return [...next.values()]
}

/** Rows of one plan: new versions of what differs, and the present versions. */
export class ChangedRows {
  readonly #deps: RowDeps
  readonly #source: ParsedSource
  readonly #differing: ReadonlySet<string>
  readonly #secrets: ReadonlyMap<string, string>

  constructor(
    deps: RowDeps,
    source: ParsedSource,
    { entries }: SetupPlan,
    secrets: ReadonlyMap<string, string>,
  ) {
    this.#deps = deps
    this.#source = source
    this.#differing = new Set(
      entries.filter(isChangedEntry).map(({ kind, name }) => `${kind} ${name}`),
    )
    this.#secrets = secrets
  }

  /** Resolves with the rows to store. Rejects with the first rule that one breaks. */
  async next(): Promise<SetupRows> {
    const hooks = await this.#hooks()
    const handlers = await this.#handlers(hooks)
    const { setup } = this.#source
    return {
      environments: [...(await this.#environments()), ...this.#sandboxes()],
      hooks: hooks.filter((_, index) => this.#isHookChanged(setup.hooks[index])),
      handlers,
      targets: await this.#targets(handlers),
      settings: await this.#settings(),
      removed: { environments: [], hooks: [], targets: [] },
    }
  }

  /** Returns the present live environments that the plan changes, or whose secrets sign. */
  liveEnvironments(): string[] {
    const { current, hooks, requests } = this.#source.setup
    const signing = requests.filter((request) => this.differs('named request', request.name))
    const isUsed = (hook: SetupHook) =>
      this.#isHookChanged(hook) || signing.some((request) => request.hook === hook.name)
    const isChanged = (name: string) =>
      this.differs('environment', name) ||
      hooks.some((hook) => hook.environment === name && isUsed(hook)) ||
      (current.environment === name && this.differs('current', 'environment'))
    const all = this.#deps.environments.all()
    return all.flatMap(({ mode, name }) => (mode === 'live' && isChanged(name) ? [name] : []))
  }

  /** Whether the plan adds or changes an item. */
  differs(kind: SetupEntry['kind'], name: string): boolean {
    return this.#differing.has(`${kind} ${name}`)
  }

  async #environments(): Promise<StoredEnvironment[]> {
    const { environments, clock } = this.#deps
    const rows: StoredEnvironment[] = []
    for (const [index, wanted] of this.#source.setup.environments.entries()) {
      if (!this.differs('environment', wanted.name)) continue
      const secret = this.#secrets.get(showPath(environmentSecretPath(index, wanted.auth)))
      const input = { ...wanted, key: undefined, clientSecret: undefined }
      const full = { ...input, [wanted.auth === 'bearer' ? 'clientSecret' : 'key']: secret }
      checkEnvironment(full)
      const before = environments.all().find(({ name }) => name === wanted.name)
      if (before !== undefined && before.mode !== wanted.mode)
        throw new AppError(
          'INVALID_ENVIRONMENT',
          `The mode of ${wanted.name} is ${before.mode} and can't be changed. Give the other account its own name.`,
        )
      rows.push(await environments.rowOf(full, before?.createdAt ?? clock.now()))
    }
    return rows
  }

  #sandboxes(): StoredEnvironment[] {
    const { environments } = this.#deps
    return sandboxesIn(this.#source.setup).flatMap(({ name, ...wanted }) => {
      if (!this.differs('environment', name)) return []
      const row = environments.get(name)
      const connection = connectionOf(row)
      const { prefix = row.prefix, caPem = connection.caPem } = wanted
      return [{ ...row, prefix, connection: JSON.stringify({ ...connection, caPem }) }]
    })
  }

  #isHookChanged(hook: SetupHook | undefined): boolean {
    return hook !== undefined && this.differs('hook', hookTitle(hook))
  }

  /** Resolves with the rows of all hooks of the file, in their order. */
  async #hooks(): Promise<StoredHook[]> {
    const { hooks } = this.#deps
    const present = hookIdsByKey(hooks.list())
    const rows: StoredHook[] = []
    for (const [index, wanted] of this.#source.setup.hooks.entries()) {
      const id = present.get(hookKey(wanted))
      if (id !== undefined && !this.#isHookChanged(wanted)) {
        rows.push(hooks.get(id))
        continue
      }
      const { environment, event, url, programId, offerId, response } = wanted
      const headers: Record<string, string> = {}
      for (const name of Object.keys(wanted.headers))
        headers[name] = this.#secrets.get(showPath(['hooks', index, 'headers', name])) ?? ''
      const secret = this.#secrets.get(showPath(['hooks', index, 'secret'])) ?? null
      const row = await hooks.rowOf({
        ...{ environment, event, url, programId, offerId, headers, secret },
        ...{ kind: hookKindOf(event), remoteId: remoteIdIn(wanted) },
        ...{ status: 'active', record: null },
      })
      const answering = JSON.stringify(response)
      if (id === undefined) {
        // An ID that another hook has would overwrite that hook.
        const isTaken = [...hooks.list(), ...rows].some((other) => other.id === wanted.id)
        rows.push({ ...row, ...(isTaken ? {} : { id: wanted.id ?? row.id }), answering })
        continue
      }
      const stored = hooks.get(id)
      const remoteId = isSandboxEnvironment(environment) ? stored.remoteId : row.remoteId
      const { headerNames, sealedHeaders } = row
      const secrets =
        secret !== null && (await unlessRefused(hooks.reveal(id))) !== secret
          ? [...row.secrets, ...stored.secrets]
          : stored.secrets
      rows.push({ ...stored, remoteId, headerNames, sealedHeaders, secrets, answering })
    }
    return rows
  }

  async #handlers(hooks: readonly StoredHook[]): Promise<StoredHandler[]> {
    const { savedHandlers } = this.#deps
    const { setup } = this.#source
    const rows: StoredHandler[] = []
    for (const [index, wanted] of setup.handlers.entries()) {
      const { name, url, registeredUrl, prefix, targetCa, hook } = wanted
      const hookIndex = setup.hooks.findIndex((one) => one.name === hook)
      const before = savedHandlers.namesake(name)
      const secret = this.#secrets.get(showPath(['handlers', index, 'secret'])) ?? null
      const change = { name, url, registeredUrl, prefix, targetCa, secret }
      const hookId = hooks[hookIndex]?.id ?? null
      rows.push(await savedHandlers.rowOf(before, { ...change, hookId }))
    }
    return this.#withCurrent(rows)
  }

  /** Leaves out handlers that stay, and marks the current one. */
  #withCurrent(rows: readonly StoredHandler[]): StoredHandler[] {
    const { savedHandlers } = this.#deps
    const changed = rows.filter(({ name }) => this.differs('handler', name))
    const { handler } = this.#source.setup.current
    if (handler === undefined || !this.differs('current', 'handler')) return changed
    return withReplaced(savedHandlers.rows(), changed, ({ id }) => id).flatMap((row) => {
      const isCurrent = row.name === handler
      return isCurrent !== row.isCurrent || changed.includes(row) ? [{ ...row, isCurrent }] : []
    })
  }

  async #targets(handlers: readonly StoredHandler[]): Promise<StoredTarget[]> {
    const { ids, clock, savedHandlers, store } = this.#deps
    const present = await store.read('forwardTargets', null)
    const since = await store.read('newestSeq', null)
    const all = withReplaced(savedHandlers.rows(), handlers, ({ id }) => id)
    return this.#source.setup.forwards
      .filter(({ name }) => this.differs('forward target', name))
      .map(({ response, handler, ...wanted }) => {
        const before = present.find(
          ({ settings, temporary }) =>
            !temporary && settings.name.toLowerCase() === wanted.name.toLowerCase(),
        )
        const handlerId = all.find(({ name }) => name === handler)?.id ?? null
        const settings = { ...wanted, answer: response, handlerId }
        const blank = { id: ids.next(), createdAt: clock.now(), paused: false, temporary: false }
        // Deliveries received before it was added, or while it was off, are skipped.
        const isContinued = before !== undefined && before.settings.on
        return { ...(before ?? blank), settings, since: isContinued ? before.since : since }
      })
  }

  async #settings(): Promise<SetupRows['settings']> {
    const { settings, views, ownFlows, ids } = this.#deps
    const { setup, flows } = this.#source
    const nextViews = setup.views.map((view) => ({
      id: ids.next(),
      ...views.list().find(({ name }) => name.toLowerCase() === view.name.toLowerCase()),
      ...view,
    }))
    // A renamed flow has the same file, which can't have two.
    const otherFlows = ownFlows.list().filter(({ path }) => !flows.some((own) => own.path === path))
    const { environment = '' } = setup.current
    const values = [
      ['setting ', SETTINGS, async () => settings.changed(setup.settings)],
      ['view ', VIEWS, () => withReplaced(views.list(), nextViews, ({ id }) => id)],
      ['flow ', OWN_FLOWS, () => withReplaced(otherFlows, flows, ({ name }) => name)],
    ] as const
    const rows = this.differs('current', 'environment')
      ? [{ name: CURRENT_ENVIRONMENT, value: environment }]
      : []
    for (const [kind, name, make] of values)
      if ([...this.#differing].some((one) => one.startsWith(kind)))
        rows.push({ name, value: JSON.stringify(await make()) })
    return rows
  }
}
