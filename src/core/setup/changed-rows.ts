/** Makes the rows that bring a data folder to a set-up, and those that undo it. */
import { AppError } from '../../shared/contract/errors.ts'
import { showPath } from '../../shared/diff/path-pattern.ts'
import { isSandboxEnvironment, SANDBOX_LIVE, SANDBOX_TEST } from '../../shared/model/environment.ts'
import { hookKindOf } from '../../shared/service/event-type.ts'
import {
  isChangedEntry,
  type SetupEntry,
  type SetupHook,
  type SetupPlan,
} from '../../shared/model/setup.ts'
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
import { sharedHooks } from './describe-setup.ts'
import { hookTitle, remoteIdIn } from './setup-items.ts'
import { hookKey } from './setup-keys.ts'
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

  /** Resolves with the rows that restore what `next` replaces. */
  async before(next: SetupRows): Promise<SetupRows> {
    const { environments, hooks, savedHandlers, store, clock } = this.#deps
    const targets = await store.read('forwardTargets', null)
    const storedHooks = new Set(hooks.list().map(({ id }) => id))
    const removedAt = clock.now()
    const settings = []
    for (const { name } of next.settings)
      settings.push({ name, value: (await store.read('setting', name)) ?? initialValue(name) })
    return {
      environments: environments
        .all()
        .filter(({ name }) => next.environments.some((row) => row.name === name)),
      hooks: next.hooks.filter(({ id }) => storedHooks.has(id)).map(({ id }) => hooks.get(id)),
      handlers: next.handlers.map(
        (row) =>
          savedHandlers.rows().find(({ id }) => id === row.id) ?? {
            ...{ ...row, secret: null, isCurrent: false, removedAt },
          },
      ),
      targets: targets.filter(({ id }) => next.targets.some((row) => row.id === id)),
      settings,
      removed: {
        environments: next.environments
          .map(({ name }) => name)
          .filter((name) => !environments.all().some((row) => row.name === name)),
        hooks: next.hooks.map(({ id }) => id).filter((id) => !storedHooks.has(id)),
        targets: next.targets
          .map(({ id }) => id)
          .filter((id) => !targets.some((row) => row.id === id)),
      },
    }
  }

  #differs(kind: SetupEntry['kind'], name: string): boolean {
    return this.#differing.has(`${kind} ${name}`)
  }

  async #environments(): Promise<StoredEnvironment[]> {
    const { environments, clock } = this.#deps
    const rows: StoredEnvironment[] = []
    for (const [index, wanted] of this.#source.setup.environments.entries()) {
      if (!this.#differs('environment', wanted.name)) continue
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
    const { sandbox } = this.#source.setup
    return (
      [
        [SANDBOX_TEST, sandbox.test],
        [SANDBOX_LIVE, sandbox.live],
      ] as const
    ).flatMap(([name, wanted]) => {
      if (wanted === undefined || !this.#differs('environment', name)) return []
      const row = environments.get(name)
      const connection = connectionOf(row)
      const { prefix = row.prefix, caPem = connection.caPem } = wanted
      return [{ ...row, prefix, connection: JSON.stringify({ ...connection, caPem }) }]
    })
  }

  #isHookChanged(hook: SetupHook | undefined): boolean {
    return hook !== undefined && this.#differs('hook', hookTitle(hook))
  }

  /** Resolves with the rows of all hooks of the file, in their order. */
  async #hooks(): Promise<StoredHook[]> {
    const { hooks } = this.#deps
    const present = new Map(sharedHooks(hooks.list()).map((hook) => [hookKey(hook), hook.id]))
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
        secret !== null && (await hooks.reveal(id).catch(() => null)) !== secret
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
      const before = savedHandlers
        .rows()
        .find((row) => row.name.toLowerCase() === name.toLowerCase())
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
    const changed = rows.filter(({ name }) => this.#differs('handler', name))
    const { handler } = this.#source.setup.current
    if (handler === undefined || !this.#differs('current', 'handler')) return changed
    const all = withReplaced(savedHandlers.rows(), changed, ({ id }) => id)
    const marked = all.map((row) => ({ ...row, isCurrent: row.name === handler }))
    return marked.filter(
      (row) =>
        changed.some(({ id }) => id === row.id) ||
        all.some(({ id, isCurrent }) => id === row.id && isCurrent !== row.isCurrent),
    )
  }

  async #targets(handlers: readonly StoredHandler[]): Promise<StoredTarget[]> {
    const { ids, clock, savedHandlers, store } = this.#deps
    const present = await store.read('forwardTargets', null)
    const since = await store.read('newestSeq', null)
    const all = withReplaced(savedHandlers.rows(), handlers, ({ id }) => id)
    return this.#source.setup.forwards
      .filter(({ name }) => this.#differs('forward target', name))
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
    const has = (kind: SetupEntry['kind']) =>
      [...this.#differing].some((one) => one.startsWith(`${kind} `))
    const nextViews = setup.views.map((view) => ({
      id: ids.next(),
      ...views.list().find(({ name }) => name.toLowerCase() === view.name.toLowerCase()),
      ...view,
    }))
    const { environment } = setup.current
    const row = (name: string, value: unknown) => ({ name, value: JSON.stringify(value) })
    return [
      ...(has('setting') ? [row(SETTINGS, await settings.changed(setup.settings))] : []),
      ...(has('view')
        ? [
            row(
              VIEWS,
              withReplaced(views.list(), nextViews, ({ id }) => id),
            ),
          ]
        : []),
      ...(has('flow')
        ? [
            row(
              OWN_FLOWS,
              withReplaced(ownFlows.list(), flows, ({ name }) => name),
            ),
          ]
        : []),
      ...(environment !== undefined && this.#differs('current', 'environment')
        ? [{ name: CURRENT_ENVIRONMENT, value: environment }]
        : []),
    ]
  }
}

/** Returns the value of a setting that isn't stored. */
function initialValue(name: string): string {
  return name === CURRENT_ENVIRONMENT ? SANDBOX_TEST : ''
}
