/** The hooks of a data folder: stored, shown without secrets, and ready for the receiver. */
import { AppError } from '../../shared/contract/errors.ts'
import {
  type AnsweringRule,
  answeringInputSchema,
  DEFAULT_ANSWERING,
  type Hook,
  type HookImport,
  isDeletedHook,
} from '../../shared/model/hook.ts'
import { isSandboxEnvironment, isSharedEnvironment } from '../../shared/model/environment.ts'
import { counted, deliveryCount, listed } from '../../shared/text/english.ts'
import { hookKindOf } from '../../shared/service/event-type.ts'
import { checkHook } from '../../shared/service/hook-rules.ts'
import type { Deps } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { createMutex } from '../base/async.ts'
import { isSameKey, secretKey } from '../signature/sign.ts'
import type { HookUse, StoredHook } from '../store/hooks.ts'
import type { Store } from '../store/store.ts'
import { secretHint, type Vault } from './vault.ts'
import type { Environments } from './environments.ts'
import { openHeaders, sealHeaders, type HookHeaders } from './hook-record.ts'
import { type Registry } from './registry.ts'
import { pathOfUrl } from './hook-paths.ts'
import type { KeyObject } from 'node:crypto'
import type { Mode } from '../../shared/model/delivery.ts'

interface HooksDeps extends Pick<Deps, 'clock' | 'ids' | 'log'> {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly vault: Vault
  readonly environments: Environments
  readonly registry: Registry
  readonly hub: Pick<EventHub, 'emit' | 'on'>
}

type SharedHookParts = Pick<
  StoredHook,
  'environment' | 'event' | 'url' | 'programId' | 'offerId' | 'status'
> & { readonly secrets: readonly string[] }

type HookParts = Omit<
  StoredHook,
  'id' | 'createdAt' | 'secrets' | 'headerNames' | 'sealedHeaders'
> & { readonly headers: HookHeaders }

/** Hook to store; `secret` is null if the response with it never arrived. */
export type NewHook = Omit<HookParts, 'answering'> & { readonly secret: string | null }

/** Loads the hooks of a data folder into the registry. */
export async function openHooks(deps: HooksDeps): Promise<Hooks> {
  const opened = new Map<string, OpenedHook>()
  for (const stored of await deps.store.read('hooks', null))
    opened.set(stored.id, await openHook(deps, stored))
  return new Hooks(deps, opened)
}

export class Hooks {
  readonly #deps: HooksDeps
  readonly #hooks: Map<string, OpenedHook>
  /** Mutex for changes, because a change and a rotation would overwrite each other. */
  readonly #exclusive = createMutex()
  /** Runs work during which no hook changes. */
  readonly exclusively = this.#exclusive

  constructor(deps: HooksDeps, hooks: Map<string, OpenedHook>) {
    this.#deps = deps
    this.#hooks = hooks
    this.#register()
    // An environment's prefix is part of header names: the receiver learns of it before anyone
    // acts on it.
    deps.hub.on('environments.changed', () => this.#register())
  }

  list(environment?: string): Hook[] {
    return [...this.#hooks.values()]
      .filter(({ stored }) => environment === undefined || stored.environment === environment)
      .map((hook) => this.#toContract(hook))
  }

  /** Returns a stored hook. Throws `NOT_FOUND`. */
  get(id: string): StoredHook {
    return this.#find(id).stored
  }

  /** Finds the hook with the event, URL, program and current secret of an import. */
  findImported(input: HookImport): Hook | null {
    const { event, url, programId = null, secret } = input
    const environment = this.#deps.environments.get(input.environment).name
    const key = secretKey(secret)
    const hook = this.#hooks.values().find(({ stored, secrets: [current] }) => {
      const isSame =
        stored.environment === environment &&
        stored.event === event &&
        stored.url === url &&
        stored.programId === programId &&
        stored.status !== 'deleted'
      return isSame && current !== undefined && isSameKey(current.key, key)
    })
    return hook === undefined ? null : this.#toContract(hook)
  }

  /**
   * Stores a hook created elsewhere, unless it is already stored. Rejects with `NOT_FOUND` or
   * `INVALID_HOOK`.
   */
  async import(input: HookImport): Promise<Hook> {
    const environment = this.#deps.environments.get(input.environment)
    const hook = {
      kind: hookKindOf(input.event),
      event: input.event,
      url: input.url,
      programId: input.programId ?? null,
      offerId: input.offerId ?? null,
      headers: {},
    }
    checkImport(hook, environment.prefix)
    const existing = this.findImported(input)
    if (existing !== null) return existing
    const stored = await this.record({
      ...hook,
      remoteId: input.remoteId ?? null,
      environment: environment.name,
      status: 'active',
      record: null,
      secret: input.secret,
    })
    return isSandboxEnvironment(environment.name)
      ? this.#registerAtSandbox(stored, input.secret)
      : stored
  }

  /** Stores the hook of a shareable capture, unless it is already here. */
  async importShared({ secrets, ...hook }: SharedHookParts): Promise<void> {
    const [current, ...previous] = secrets
    const { environment, event, url } = hook
    const isHere = this.#hooks.values().some(({ stored, secrets: [own] }) => {
      const isSame =
        stored.environment === environment && stored.event === event && stored.url === url
      return isSame && (own === undefined || isSameKey(own.key, secretKey(current ?? '')))
    })
    if (isHere) return
    const kind = hookKindOf(event)
    const parts = { ...hook, kind, remoteId: null, record: null, headers: {} }
    const oldestFirst = [...previous.toReversed(), ...(current === undefined ? [] : [current])]
    const { id } = await this.record({ ...parts, secret: oldestFirst[0] ?? null })
    for (const secret of oldestFirst.slice(1)) await this.rotate(id, secret)
  }

  async record(hook: NewHook): Promise<Hook> {
    const stored = await this.rowOf(hook)
    await this.#deps.store.write('insertHook', stored)
    const secrets = hook.secret === null ? [] : [openedSecret(hook.secret)]
    return this.#applyChange({ stored, secrets, headers: hook.headers })
  }

  /** Returns the row of a new hook, to store. */
  async rowOf({ secret, headers, ...hook }: NewHook): Promise<StoredHook> {
    const { clock, ids, vault } = this.#deps
    return {
      ...hook,
      ...(await this.#seal(headers)),
      id: ids.next(),
      answering: '{}',
      createdAt: clock.now(),
      secrets: secret === null ? [] : [await vault.seal(secret)],
    }
  }

  /** Reads these hooks, which were stored or removed elsewhere, and reports them. */
  async reload(ids: ReadonlySet<string>): Promise<void> {
    const { hub, store } = this.#deps
    const stored = (await store.read('hooks', null)).filter(({ id }) => ids.has(id))
    for (const row of stored) this.#applyChange(await openHook(this.#deps, row))
    for (const id of ids) {
      if (stored.some((row) => row.id === id)) continue
      this.#hooks.delete(id)
      this.#register()
      hub.emit('hooks.removed', { id })
    }
  }

  /** Gives a sandbox its hooks that were stored elsewhere. */
  async registerAtSandbox(ids: ReadonlySet<string>): Promise<void> {
    for (const id of ids) {
      const hook = this.#hooks.get(id)
      if (hook === undefined || !isSandboxEnvironment(hook.stored.environment)) continue
      await this.#registerAtSandbox(this.#toContract(hook), await this.reveal(id))
    }
  }

  change(id: string, { headers, ...changes }: Partial<HookParts>): Promise<Hook> {
    return this.#exclusive(async () => {
      const hook = this.#find(id)
      const sealed = headers === undefined ? {} : await this.#seal(headers)
      const stored = { ...hook.stored, ...changes, ...sealed }
      await this.#deps.store.write('updateHook', stored)
      return this.#applyChange({ ...hook, stored, headers: headers ?? hook.headers })
    })
  }

  /** Makes a secret the current one; signatures with previous secrets still verify. */
  rotate(id: string, secret: string): Promise<Hook> {
    return this.#exclusive(async () => {
      const { clock, store, vault } = this.#deps
      const hook = this.#find(id)
      const [current] = hook.secrets
      const areAllOpen = hook.secrets.length === hook.stored.secrets.length
      // Entering the current secret again isn't a rotation: the previous secret would be a copy of
      // it.
      if (areAllOpen && current !== undefined && isSameKey(current.key, secretKey(secret)))
        return this.#toContract(hook)
      const sealed = await vault.seal(secret)
      await store.write('addHookSecret', { hookId: id, secret: sealed, createdAt: clock.now() })
      // Having the secret proves that the unconfirmed hook exists.
      const status = hook.stored.status === 'unconfirmed' ? 'active' : hook.stored.status
      const stored = { ...hook.stored, status, secrets: [sealed, ...hook.stored.secrets] }
      if (status !== hook.stored.status) await store.write('updateHook', stored)
      return this.#applyChange({
        ...hook,
        stored,
        secrets: [openedSecret(secret), ...hook.secrets],
      })
    })
  }

  /** Sets a hook's response rule. Rejects with `INVALID_HOOK` if the hook was deleted. */
  async setAnswering(id: string, rule: AnsweringRule): Promise<Hook> {
    if (this.#find(id).stored.status === 'deleted') throw new AppError('INVALID_HOOK', HOOK_DELETED)
    return this.change(id, { answering: JSON.stringify(rule) })
  }

  /**
   * Rejects with `INVALID_HOOK` if something still needs the hook, and names it.
   * @param removed - use that is removed with it
   */
  async confirmUnused(
    id: string,
    removed: Pick<HookUse, 'handlers' | 'deliveries'> = { handlers: [], deliveries: 0 },
  ): Promise<void> {
    const use = await this.#deps.store.read('hookUse', this.#find(id).stored.id)
    const handlers = use.handlers.filter((name) => !removed.handlers.includes(name))
    const deliveries = use.deliveries - removed.deliveries
    const needs = needsOf(id, { ...use, handlers, deliveries })
    if (needs.length === 0) return
    const [whose, todos] = [needs.map(([who]) => who), needs.map(([, todo]) => todo)]
    throw new AppError(
      'INVALID_HOOK',
      `This hook is still needed by ${listed(whose, 'and')}. First ${listed(todos, 'and')}, then remove it.`,
    )
  }

  /** Removes an unused hook, whose deliveries then no longer verify. */
  purge(id: string): Promise<void> {
    return this.#exclusive(async () => {
      await this.#deps.store.write('deleteHook', this.#find(id).stored.id)
      this.#hooks.delete(id)
      this.#register()
      this.#deps.hub.emit('hooks.removed', { id })
    })
  }

  /** Resolves with the current secret. Rejects with `NOT_FOUND` or `SECRET_UNREADABLE`. */
  async reveal(id: string): Promise<string> {
    const [current] = this.#find(id).stored.secrets
    if (current !== undefined) return this.#deps.vault.open(current)
    throw new AppError(
      'SECRET_UNREADABLE',
      'This hook\'s secret isn\'t stored here, because the response with it never arrived. Add the secret with "hooks rotate".',
    )
  }

  /**
   * Returns a hook's custom headers. Throws `NOT_FOUND`, or `SECRET_UNREADABLE` if this computer
   * can't decrypt them.
   */
  headersOf(id: string): HookHeaders {
    const { headers } = this.#find(id)
    if (headers !== null) return headers
    throw new AppError(
      'SECRET_UNREADABLE',
      'This computer can\'t decrypt the hook\'s custom header values. Set them again with "countersign hooks update HOOK --header NAME:VALUE", or remove them with "countersign hooks update HOOK --no-headers".',
    )
  }

  secretsOf(id: string): readonly OpenedSecret[] {
    return this.#hooks.get(id)?.secrets ?? []
  }

  #find(id: string): OpenedHook {
    const hook = this.#hooks.get(id)
    if (hook !== undefined) return hook
    throw new AppError(
      'NOT_FOUND',
      `Hook ${id} not found. "countersign hooks list" lists your hooks.`,
    )
  }

  #toContract(hook: OpenedHook): Hook {
    return toHook(hook, this.#deps.environments.get(hook.stored.environment).mode)
  }

  async #seal(headers: HookHeaders) {
    const sealedHeaders = await sealHeaders(this.#deps.vault, headers)
    return { headerNames: Object.keys(headers), sealedHeaders }
  }

  #applyChange(hook: OpenedHook): Hook {
    const { hub } = this.#deps
    const before = this.#hooks.get(hook.stored.id)
    this.#hooks.set(hook.stored.id, hook)
    this.#register()
    const shown = this.#toContract(hook)
    hub.emit('hooks.changed', { hook: shown })
    // A new secret, or any at another URL, may verify deliveries that none did before.
    const triedCount = before?.stored.url === hook.stored.url ? before.secrets.length : 0
    if (hook.secrets.length > triedCount) hub.emit('hook.keyed', shown)
    return shown
  }

  #register(): void {
    const { environments, registry } = this.#deps
    registry.replace(
      [...this.#hooks.values()].map(({ stored, secrets }) => {
        const { id, event, url, createdAt, status } = stored
        const { name: environment, mode, prefix, baseUrl } = environments.get(stored.environment)
        const isActive = !isDeletedHook({ status })
        const keys = secrets.map(({ key }) => key)
        const answering = answeringOf(stored)
        const isShared = isSharedEnvironment({ baseUrl })
        return {
          ...{ id, event, url, environment, mode, prefix, createdAt },
          ...{ isActive, isShared, keys, answering },
        }
      }),
      environments.all().map(({ prefix }) => prefix),
    )
  }

  async #registerAtSandbox(hook: Hook, secret: string): Promise<Hook> {
    const registrations: Promise<void>[] = []
    const waitFor = (work: Promise<void>) => registrations.push(work)
    this.#deps.hub.emit('hook.imported', { hook, secret, waitFor })
    await Promise.all(registrations)
    // The sandbox uses the same ID, so the hook can be changed there; a stopped one reads it at
    // its next start.
    return registrations.length === 0 ? hook : this.change(hook.id, { remoteId: hook.id })
  }
}

function checkImport(hook: Parameters<typeof checkHook>[0], prefix: string): void {
  // The hook exists, so the service has its event, whether the spec lists it or not.
  const findings = checkHook(hook, { prefix, siblings: [] }).filter(
    ({ rule }) => rule !== 'event-unknown',
  )
  if (findings.length === 0) return
  const message = findings.map((finding) => finding.message).join(' ')
  throw new AppError('INVALID_HOOK', message, { details: findings })
}

async function openHook({ vault, log }: HooksDeps, stored: StoredHook): Promise<OpenedHook> {
  const { id, sealedHeaders } = stored
  const orNull = <T>(what: string, opening: Promise<T>): Promise<T | null> =>
    opening.catch((error: unknown) => {
      const reason = (error as Error).message
      log.warn(`This computer can't decrypt a hook's ${what}.`, { hook: id, reason })
      return null
    })
  const secrets: OpenedSecret[] = []
  for (const sealed of stored.secrets) {
    const secret = await orNull('secret', vault.open(sealed))
    if (secret !== null) secrets.push(openedSecret(secret))
  }
  const headers =
    sealedHeaders === null ? {} : await orNull('custom headers', openHeaders(vault, sealedHeaders))
  return { stored, secrets, headers }
}

export const HOOK_DELETED = 'This hook was deleted. Register a new one.'

interface OpenedSecret {
  readonly key: KeyObject
  readonly hint: string
}

const openedSecret = (secret: string): OpenedSecret => ({
  key: secretKey(secret),
  hint: secretHint(secret),
})

interface OpenedHook {
  readonly stored: StoredHook
  /** Decrypted secrets, current one first. */
  readonly secrets: readonly OpenedSecret[]
  readonly headers: HookHeaders | null
}

function needsOf(id: string, use: HookUse): [string, string][] {
  const { deliveries, restorable, handlers, replays } = use
  const needs: [boolean, string, string][] = [
    [deliveries > 0, deliveryCount(deliveries), `delete the deliveries (search for hook:${id})`],
    [
      deliveries === 0 && restorable > 0,
      `${deliveryCount(restorable)} that can be restored`,
      'wait ten seconds',
    ],
    [
      handlers.length > 0,
      `the handler${handlers.length === 1 ? '' : 's'} ${listed(handlers, 'and')}`,
      'choose another secret for the handler',
    ],
    [replays > 0, counted(replays, 'unfinished replay'), 'finish or cancel the replay'],
  ]
  return needs.filter(([isNeeded]) => isNeeded).map(([, who, todo]) => [who, todo])
}

function answeringOf({ answering }: StoredHook): AnsweringRule {
  // Most hooks lack a rule, and each change reads the rules of all hooks.
  if (answering === '{}') return DEFAULT_ANSWERING
  return answeringInputSchema.safeParse(JSON.parse(answering)).data ?? DEFAULT_ANSWERING
}

function toHook({ stored, secrets, headers }: OpenedHook, mode: Mode): Hook {
  const { id, remoteId, kind, event, url, programId, offerId, environment, status, record } = stored
  const shownHeaders = headers ?? Object.fromEntries(stored.headerNames.map((name) => [name, '']))
  return {
    ...{ id, remoteId, kind, event, url, programId, offerId },
    headers: { ...shownHeaders },
    environment,
    mode,
    path: pathOfUrl(url),
    status,
    createdAt: new Date(stored.createdAt).toISOString(),
    secretHint: secrets[0]?.hint ?? null,
    previousSecrets: Math.max(0, stored.secrets.length - 1),
    answering: answeringOf(stored),
    record: record === null ? null : (JSON.parse(record) as Hook['record']),
  }
}
