/**
 * Saved handlers: stored with sealed secrets and resolved wherever a command takes an endpoint, so
 * that no client ever has a secret.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { Consent } from '../../shared/model/consent.ts'
import { handlerNameIn, withScheme } from '../../shared/http.ts'
import type {
  HandlerAdd,
  HandlerCheckRun,
  HandlerPage,
  HandlerProbe,
  HandlerUpdate,
  SavedHandler,
} from '../../shared/model/handler.ts'
import type { Clock, Ids } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { createMutex, unlessRefused } from '../base/async.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Vault } from '../hooks/vault.ts'
import { type Admission } from '../outgoing/admit.ts'
import { checkSignedUrl, invalidField, targetHost } from '../outgoing/targets.ts'
import { type HandlerSigner } from '../outgoing/signing-hooks.ts'
import { knownHook } from '../outgoing/known-hooks.ts'
import type { HandlerEvidence } from '../store/handler-evidence.ts'
import type { StoredHandler } from '../store/handlers.ts'
import type { Store } from '../store/store.ts'
import { changedHandler, refuseDeletedHook, toSavedHandler, withCheck } from './handler-rules.ts'

interface SavedHandlersDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly vault: Vault
  readonly hooks: Pick<Hooks, 'get' | 'reveal' | 'secretsOf'>
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Ids
  readonly admit: Admission['admit']
  forgetConsent(host: string): Promise<unknown>
  readonly hub: Pick<EventHub, 'emit' | 'on'>
}

export interface EndpointOverrides {
  readonly registeredUrl?: string | null | undefined
  readonly hookId?: string | null | undefined
  readonly secret?: string | undefined
  readonly targetCa?: string | null | undefined
}

export interface Endpoint {
  readonly url: string
  /** URL to sign; null for the hook's. */
  readonly registeredUrl: string | null
  /** Hook that signs; null with a secret, or for each delivery's own hook. */
  readonly hookId: string | null
  /** Secret as given, or the handler's own. */
  readonly secret: string | null
  /** Prefix of the header names; null for the environment's. */
  readonly prefix: string | null
  readonly targetCa: string | null
  readonly handler: { readonly id: string; readonly name: string } | null
}

const MAX_HANDLERS = 100
/** Maximum number of deletions that can be undone. */
const MAX_RESTORABLE = 20

/** Loads the saved handlers of a data folder. */
export async function openSavedHandlers(deps: SavedHandlersDeps): Promise<SavedHandlers> {
  return new SavedHandlers(deps, await deps.store.read('handlers', null))
}

export class SavedHandlers {
  readonly #deps: SavedHandlersDeps
  #handlers: readonly StoredHandler[]
  /** Deleted handlers, with secrets that the database no longer has. */
  readonly #removed = new Map<string, StoredHandler>()
  readonly #exclusive = createMutex()
  /** Runs work during which no handler changes. */
  readonly exclusively = this.#exclusive

  constructor(deps: SavedHandlersDeps, handlers: readonly StoredHandler[]) {
    this.#deps = deps
    this.#handlers = handlers
    // Whether a handler has a secret may depend on its hook.
    deps.hub.on('hooks.changed', () => {
      if (this.#handlers.some(({ hookId }) => hookId !== null)) this.#report()
    })
  }

  list(): SavedHandler[] {
    return this.#handlers.map((handler) => this.#show(handler))
  }

  /** Returns a handler by ID or name. Throws `NOT_FOUND`, which names the handlers that exist. */
  get(ref: string): SavedHandler {
    return this.#show(this.#find(ref))
  }

  current(): SavedHandler | null {
    const handler = this.#handlers.find(({ isCurrent }) => isCurrent)
    return handler === undefined ? null : this.#show(handler)
  }

  /** Saves a handler. Rejects with `INVALID_INPUT` or `NOT_FOUND`. */
  add(input: HandlerAdd): Promise<SavedHandler> {
    return this.#exclusive(async () => {
      if (this.#handlers.length >= MAX_HANDLERS)
        throw new AppError(
          'INVALID_INPUT',
          `You already have ${MAX_HANDLERS} handlers. Remove one first.`,
        )
      const blank = { ...this.#blank(), isCurrent: this.#handlers.length === 0 }
      return this.#putChanged(blank, input)
    })
  }

  /** Returns stored handlers. */
  rows(): readonly StoredHandler[] {
    return this.#handlers
  }

  /** Returns a handler's row after a change, to store; `before` is undefined for a new one. */
  async rowOf(before: StoredHandler | undefined, change: HandlerUpdate): Promise<StoredHandler> {
    const { secret } = change
    const sealed = typeof secret === 'string' ? await this.#deps.vault.seal(secret) : null
    return changedHandler(before ?? this.#blank(), change, sealed)
  }

  /** Reads rows that another part stored, and reports them. */
  async reload(): Promise<void> {
    this.#handlers = await this.#deps.store.read('handlers', null)
    this.#report()
  }

  update(ref: string, change: HandlerUpdate): Promise<SavedHandler> {
    return this.#exclusive(async () => {
      const before = this.#find(ref)
      const changed = await this.#putChanged(before, change)
      const host = targetHost(before.url)
      if (host !== targetHost(changed.url)) await this.#deps.forgetConsent(host)
      return changed
    })
  }

  /** Deletes a handler; resolves with the ID that `restore` needs. */
  remove(ref: string): Promise<string> {
    return this.#exclusive(async () => {
      const { clock, ids } = this.#deps
      const handler = this.#find(ref)
      await this.#put([{ ...handler, secret: null, isCurrent: false, removedAt: clock.now() }])
      const removal = ids.next()
      this.#removed.set(removal, handler)
      for (const oldest of [...this.#removed.keys()].slice(0, -MAX_RESTORABLE))
        this.#removed.delete(oldest)
      return removal
    })
  }

  restore(removal: string): Promise<SavedHandler> {
    return this.#exclusive(async () => {
      const handler = this.#removed.get(removal)
      if (handler === undefined)
        throw new AppError(
          'NOT_FOUND',
          'This deletion can no longer be undone. Add the handler again.',
        )
      let { name } = handler
      for (let number = 2; this.namesake(name) !== undefined; number++)
        name = `${handler.name}-${number}`
      const restored = {
        ...handler,
        name,
        isCurrent: handler.isCurrent && !this.#handlers.some(({ isCurrent }) => isCurrent),
      }
      await this.#put([restored])
      this.#removed.delete(removal)
      return this.#show(restored)
    })
  }

  /** Makes a handler the current one; null for none. */
  use(ref: string | null): Promise<SavedHandler[]> {
    return this.#exclusive(async () => {
      const chosen = ref === null ? null : this.#find(ref)
      const former = this.#handlers.filter(({ id, isCurrent }) => isCurrent && id !== chosen?.id)
      await this.#put([
        ...former.map((handler) => ({ ...handler, isCurrent: false })),
        ...(chosen === null ? [] : [{ ...chosen, isCurrent: true }]),
      ])
      return this.list()
    })
  }

  /**
   * Resolves `@NAME` or `handler:NAME` to a handler's settings, and a URL to itself. Rejects with
   * `NOT_FOUND`, `INVALID_INPUT` if the handler's hook was deleted, or `SECRET_UNREADABLE`.
   */
  async resolve(
    endpoint: string,
    { registeredUrl = null, hookId = null, secret, targetCa = null }: EndpointOverrides,
  ): Promise<Endpoint> {
    const name = handlerNameIn(endpoint)
    if (name === null)
      return {
        url: endpoint,
        registeredUrl,
        hookId,
        secret: secret ?? null,
        prefix: null,
        targetCa,
        handler: null,
      }
    const handler = this.#find(name)
    const isSignerGiven = secret !== undefined || hookId !== null
    const ownSecret = isSignerGiven ? null : await this.#ownSecret(handler)
    const problem = handler.hookId === null ? null : this.#hookProblem(handler.hookId)
    if (!isSignerGiven) refuseDeletedHook(handler, problem)
    const usedHookId = hookId ?? (problem === null ? handler.hookId : null)
    return {
      url: handler.url,
      // A secret without a hook has no other URL to verify with.
      registeredUrl:
        registeredUrl ??
        handler.registeredUrl ??
        (usedHookId === null && handler.secret !== null ? handler.url : null),
      hookId: usedHookId,
      secret: secret ?? ownSecret,
      prefix: handler.prefix,
      targetCa: targetCa ?? handler.targetCa,
      handler: { id: handler.id, name: handler.name },
    }
  }

  /** Resolves with what a handler verifies with; null if it has no secret and no hook. */
  async signer(id: string): Promise<HandlerSigner | null> {
    const handler = this.#handlers.find((other) => other.id === id)
    if (handler === undefined)
      throw new AppError(
        'NOT_FOUND',
        'The saved handler was deleted, and its secret with it. Choose another handler or URL.',
      )
    const secret = await this.#ownSecret(handler)
    if (secret !== null) {
      const { registeredUrl, url, prefix } = handler
      return { secret, url: registeredUrl ?? url, prefix }
    }
    if (handler.hookId === null) return null
    refuseDeletedHook(handler, this.#hookProblem(handler.hookId))
    return { hookId: handler.hookId, url: handler.registeredUrl }
  }

  /** Resolves with the handlers' own secrets that can be decrypted, for masking. */
  async secrets(): Promise<string[]> {
    const secrets = await Promise.all(
      this.#handlers.map((handler) => unlessRefused(this.#ownSecret(handler))),
    )
    return secrets.filter((secret) => secret !== null)
  }

  nameOf(id: string): string | null {
    return this.#handlers.find((handler) => handler.id === id)?.name ?? null
  }

  /** Returns the handler with this URL, the current one first. */
  at(url: string): Endpoint['handler'] {
    const complete = withScheme(url)
    const target = URL.canParse(complete) ? new URL(complete).href : complete
    const [handler] = this.#handlers
      .filter((other) => other.target === target)
      .toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent))
    return handler === undefined ? null : { id: handler.id, name: handler.name }
  }

  /** Records a check for the handlers at this target, replacing an earlier result of its run. */
  checked(target: string, check: HandlerCheckRun): Promise<void> {
    return this.#exclusive(async () => {
      const changed = this.#handlers
        .filter((handler) => handler.target === target)
        .map((handler) => ({ ...handler, checks: withCheck(handler.checks, check) }))
      if (changed.length > 0) await this.#put(changed)
    })
  }

  async page(ref: string, minutes: number): Promise<HandlerPage> {
    const { clock, store } = this.#deps
    const { id, checks } = this.#find(ref)
    const page = await store.read('handlerPage', { id, now: clock.now(), minutes })
    return { ...page, checks: [...checks] }
  }

  /** Reads what failed at a handler, and the ID of its last check. */
  async evidence(ref: string) {
    const { id, checks } = this.#find(ref)
    const evidence = await this.#deps.store.read('handlerEvidence', id)
    return { lastRunId: checks.at(-1)?.runId, evidence }
  }

  /** Reads what failed at the handler with this target; null if it has a later check. */
  async evidenceAt(target: string, runId: string): Promise<HandlerEvidence | null> {
    const saved = this.at(target)
    if (saved === null) return null
    // IDs sort by time; a check that just ended may not be recorded yet.
    const lastRunId = this.#find(saved.id).checks.at(-1)?.runId ?? ''
    return lastRunId > runId ? null : this.#deps.store.read('handlerEvidence', saved.id)
  }

  /** Connects without a request. Rejects with `TARGET_NOT_ALLOWED`. */
  async probe(ref: string, consent: Consent): Promise<HandlerProbe> {
    const { url, targetCa } = this.#find(ref)
    const request = { targets: [url], targetCa, signers: {}, what: 'connecting to a handler' }
    const { probe } = await this.#deps.admit(request, consent)
    const at = new Date(this.#deps.clock.now()).toISOString()
    const { ms, failure } = await probe()
    return {
      reachable: failure === null,
      ms,
      errorKind: failure?.kind ?? null,
      error: failure?.message ?? null,
      at,
    }
  }

  #blank(): StoredHandler {
    const { clock, ids } = this.#deps
    return {
      ...{ id: ids.next(), name: '', url: '', target: '', registeredUrl: null, hookId: null },
      ...{ secret: null, prefix: null, targetCa: null, checks: [], removedAt: null },
      ...{ isCurrent: false, createdAt: clock.now() },
    }
  }

  #find(ref: string): StoredHandler {
    const handler = this.#handlers.find(({ id }) => id === ref) ?? this.namesake(ref.trim())
    if (handler !== undefined) return handler
    const names = this.#handlers.map(({ name }) => name).join(', ')
    throw new AppError(
      'NOT_FOUND',
      names === ''
        ? `Handler "${ref}" not found. Save one with "countersign handlers add".`
        : `Handler "${ref}" not found. Saved handlers: ${names}.`,
    )
  }

  /** Returns the handler of a name, regardless of case. */
  namesake(name: string, exceptId?: string): StoredHandler | undefined {
    return this.#handlers.find(
      (other) => other.id !== exceptId && other.name.toLowerCase() === name.toLowerCase(),
    )
  }

  async #putChanged(before: StoredHandler, change: HandlerUpdate): Promise<SavedHandler> {
    const { name, registeredUrl, hookId, secret } = change
    const other = name === undefined ? undefined : this.namesake(name, before.id)
    if (other !== undefined)
      throw invalidField(
        'name',
        `A handler named "${other.name}" already exists. Choose another name.`,
      )
    if (typeof hookId === 'string' && typeof secret === 'string')
      throw invalidField('secret', 'Use either a hook or a secret.')
    if (typeof hookId === 'string') this.#checkHook(hookId)
    if (registeredUrl !== undefined) checkSignedUrl(registeredUrl)
    const next = await this.rowOf(before, change)
    await this.#put([next])
    return this.#show(next)
  }

  #checkHook(hookId: string): void {
    this.#deps.hooks.get(hookId)
    if (this.#hookProblem(hookId) !== null)
      throw invalidField(
        'hookId',
        'This hook was deleted, so its secret is outdated. Choose another hook, or enter a secret.',
      )
  }

  async #put(changed: readonly StoredHandler[]): Promise<void> {
    await this.#deps.store.write('putHandlers', changed)
    const byId = new Map(changed.map((handler) => [handler.id, handler]))
    const ids = new Set(this.#handlers.map(({ id }) => id))
    this.#handlers = [
      ...this.#handlers.map((handler) => byId.get(handler.id) ?? handler),
      ...changed.filter(({ id }) => !ids.has(id)),
    ]
      .filter(({ removedAt }) => removedAt === null)
      .toSorted((a, b) => a.createdAt - b.createdAt)
    this.#report()
  }

  #report(): void {
    this.#deps.hub.emit('handlers.changed', { handlers: this.list() })
  }

  #show(handler: StoredHandler): SavedHandler {
    return toSavedHandler(handler, this.#canSign(handler))
  }

  #canSign({ secret, hookId }: StoredHandler): boolean {
    if (secret !== null) return true
    if (hookId === null || this.#hookProblem(hookId) !== null) return false
    return this.#deps.hooks.secretsOf(hookId).length > 0
  }

  #hookProblem(hookId: string): string | null {
    const hook = knownHook(this.#deps.hooks, hookId)
    if (hook === null) return 'no longer exists'
    return hook.status === 'deleted' || hook.status === 'gone' ? 'was deleted' : null
  }

  async #ownSecret({ name, secret }: StoredHandler): Promise<string | null> {
    if (secret === null) return null
    try {
      return await this.#deps.vault.open(secret)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      throw new AppError(
        error.code,
        `The secret of handler "${name}" can't be used. ${error.message}`,
        { cause: error },
      )
    }
  }
}
