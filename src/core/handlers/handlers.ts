/**
 * Saved handlers: stored with sealed secrets, listed without them, and resolved wherever a command takes an endpoint, so that no
 * client ever has a secret.
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
import { isCertificate } from '../hooks/environment-rules.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Vault } from '../hooks/vault.ts'
import {
  type Admission,
  checkSignedUrl,
  knownHook,
  invalidField,
  readTarget,
  targetHost,
  type HandlerSigner,
} from '../outgoing/admit.ts'
import type { StoredHandler } from '../store/handlers.ts'
import type { Store } from '../store/store.ts'

interface SavedHandlersDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly vault: Vault
  readonly hooks: Pick<Hooks, 'get' | 'reveal' | 'secretsOf'>
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Ids
  readonly admit: Admission['admit']
  /** Revokes consent to a host. */
  forgetConsent(host: string): Promise<unknown>
  readonly hub: Pick<EventHub, 'emit' | 'on'>
}

/** What a caller gives itself, instead of the handler's. */
export interface EndpointOverrides {
  readonly registeredUrl?: string | null | undefined
  readonly hookId?: string | null | undefined
  readonly secret?: string | undefined
  readonly targetCa?: string | null | undefined
}

/** An endpoint with everything that its name stands for. Without a saved handler, it is what the caller gave. */
export interface Endpoint {
  readonly url: string
  /** Null for the signing hook's. */
  readonly registeredUrl: string | null
  /** The hook that signs; null for a secret, or for each delivery's own hook. */
  readonly hookId: string | null
  /** Given by the caller, or the handler's own; null otherwise. */
  readonly secret: string | null
  /** The handler's own; null for the current environment's. */
  readonly prefix: string | null
  readonly targetCa: string | null
  readonly handler: { readonly id: string; readonly name: string } | null
}

export type SavedHandlers = Awaited<ReturnType<typeof openSavedHandlers>>

const MOST_HANDLERS = 100
const CHECKS_KEPT = 10
/** Deletions that can be undone. */
const MOST_REMOVED = 20

/** Loads the handlers of a data folder. Nothing needs closing. */
export async function openSavedHandlers(deps: SavedHandlersDeps) {
  const { store, vault, hooks, clock, ids, hub } = deps
  let stored: readonly StoredHandler[] = await store.read('handlers', null)
  /** Deleted in this process, with their sealed secrets, which the database no longer has. */
  const removed = new Map<string, StoredHandler>()
  const exclusive = createMutex()

  const canSign = ({ secret, hookId }: StoredHandler) =>
    secret !== null ||
    (hookId !== null && hookProblem(hookId) === null && hooks.secretsOf(hookId).length > 0)

  function hookProblem(hookId: string): string | null {
    const hook = knownHook(hooks, hookId)
    if (hook === null) return 'no longer exists'
    return hook.status === 'deleted' || hook.status === 'gone' ? 'was deleted' : null
  }

  const show = (handler: StoredHandler): SavedHandler => ({
    id: handler.id,
    name: handler.name,
    url: handler.url,
    registeredUrl: handler.registeredUrl,
    hookId: handler.hookId,
    hasSecret: canSign(handler),
    prefix: handler.prefix,
    targetCa: handler.targetCa,
    current: handler.isCurrent,
    lastCheck: shownCheck(handler.checks.at(-1)),
  })

  function find(ref: string): StoredHandler {
    const found =
      stored.find(({ id }) => id === ref) ??
      stored.find(({ name }) => name.toLowerCase() === ref.trim().toLowerCase())
    if (found !== undefined) return found
    const names = stored.map(({ name }) => name).join(', ')
    throw new AppError(
      'NOT_FOUND',
      names === ''
        ? `Handler "${ref}" not found. Save one with "countersign handlers add".`
        : `Handler "${ref}" not found. Saved handlers: ${names}.`,
    )
  }

  /** Stores changed handlers and reports all. */
  async function put(changed: readonly StoredHandler[]): Promise<void> {
    await store.write('putHandlers', changed)
    const byId = new Map(changed.map((handler) => [handler.id, handler]))
    const known = new Set(stored.map(({ id }) => id))
    stored = [
      ...stored.map((handler) => byId.get(handler.id) ?? handler),
      ...changed.filter(({ id }) => !known.has(id)),
    ]
      .filter(({ removedAt }) => removedAt === null)
      .toSorted((a, b) => a.createdAt - b.createdAt)
    hub.emit('handlers.changed', { handlers: stored.map(show) })
  }

  const namesake = (name: string, but?: string) =>
    stored.find((other) => other.id !== but && other.name.toLowerCase() === name.toLowerCase())

  function checkName(name: string, but: string): void {
    const other = namesake(name, but)
    if (other !== undefined)
      throw invalidField(
        'name',
        `A handler named "${other.name}" already exists. Choose another name.`,
      )
  }

  function checkHook(hookId: string | null): void {
    if (hookId === null) return
    hooks.get(hookId)
    if (hookProblem(hookId) !== null)
      throw invalidField(
        'hookId',
        'This hook was deleted, so its secret is outdated. Choose another hook, or enter a secret.',
      )
  }

  /** The secret a handler has itself, in clear. */
  async function ownSecret({ name, secret }: StoredHandler): Promise<string | null> {
    if (secret === null) return null
    try {
      return await vault.open(secret)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      throw new AppError(
        error.code,
        `The secret of handler "${name}" can't be used. ${error.message}`,
        { cause: error },
      )
    }
  }

  async function putChanged(
    before: StoredHandler,
    { name, url, registeredUrl, hookId, secret, prefix, targetCa }: HandlerUpdate,
  ): Promise<SavedHandler> {
    if (name !== undefined) checkName(name, before.id)
    if (typeof hookId === 'string' && typeof secret === 'string')
      throw invalidField('secret', TWO_SECRETS)
    if (hookId !== undefined) checkHook(hookId)
    if (registeredUrl !== undefined) checkSignedUrl(registeredUrl)
    const sealed = typeof secret === 'string' ? await vault.seal(secret) : null
    const next: StoredHandler = {
      ...before,
      name: name ?? before.name,
      ...(url === undefined ? {} : readUrl(url)),
      registeredUrl: registeredUrl === undefined ? before.registeredUrl : registeredUrl,
      // A hook replaces an own secret, and the other way round.
      hookId: sealed !== null ? null : hookId === undefined ? before.hookId : hookId,
      secret: sealed ?? (secret === null || typeof hookId === 'string' ? null : before.secret),
      prefix: prefix === undefined ? before.prefix : prefix,
      targetCa: targetCa === undefined ? before.targetCa : readCa(targetCa),
    }
    await put([next])
    return show(next)
  }

  const others = (id: string | null): StoredHandler[] =>
    stored
      .filter((handler) => handler.isCurrent && handler.id !== id)
      .map((handler) => ({ ...handler, isCurrent: false }))

  // Whether a handler has a secret may depend on its hook.
  hub.on('hooks.changed', () => {
    if (stored.some(({ hookId }) => hookId !== null))
      hub.emit('handlers.changed', { handlers: stored.map(show) })
  })

  return {
    /** In order of creation. */
    list: (): SavedHandler[] => stored.map(show),
    /** By ID or name. Throws `NOT_FOUND`, which names the handlers that exist. */
    get: (ref: string): SavedHandler => show(find(ref)),
    current(): SavedHandler | null {
      const found = stored.find(({ isCurrent }) => isCurrent)
      return found === undefined ? null : show(found)
    },
    /** Rejects with `INVALID_INPUT` or `NOT_FOUND`. */
    add: (input: HandlerAdd): Promise<SavedHandler> =>
      exclusive(async () => {
        if (stored.length >= MOST_HANDLERS)
          throw new AppError(
            'INVALID_INPUT',
            `You already have ${MOST_HANDLERS} handlers. Remove one first.`,
          )
        const blank: StoredHandler = {
          ...{ id: ids.next(), name: '', url: '', target: '', registeredUrl: null, hookId: null },
          ...{ secret: null, prefix: null, targetCa: null, checks: [], removedAt: null },
          // The first is current, saved in the window or on the command line.
          isCurrent: stored.length === 0,
          createdAt: clock.now(),
        }
        return putChanged(blank, input)
      }),
    update: (ref: string, change: HandlerUpdate): Promise<SavedHandler> =>
      exclusive(async () => {
        const before = find(ref)
        const changed = await putChanged(before, change)
        const host = targetHost(before.url)
        if (host !== targetHost(changed.url)) await deps.forgetConsent(host)
        return changed
      }),
    /** Returns what `restore` needs. */
    remove: (ref: string) =>
      exclusive(async () => {
        const handler = find(ref)
        await put([{ ...handler, secret: null, isCurrent: false, removedAt: clock.now() }])
        const removal = ids.next()
        removed.set(removal, handler)
        for (const oldest of [...removed.keys()].slice(0, -MOST_REMOVED)) removed.delete(oldest)
        return removal
      }),
    restore: (removal: string): Promise<SavedHandler> =>
      exclusive(async () => {
        const handler = removed.get(removal)
        if (handler === undefined)
          throw new AppError(
            'NOT_FOUND',
            'This deletion can no longer be undone. Add the handler again.',
          )
        let { name } = handler
        for (let number = 2; namesake(name) !== undefined; number++)
          name = `${handler.name}-${number}`
        const restored = {
          ...handler,
          name,
          isCurrent: handler.isCurrent && !stored.some(({ isCurrent }) => isCurrent),
        }
        await put([restored])
        removed.delete(removal)
        return show(restored)
      }),
    /** Null for none. */
    use: (ref: string | null): Promise<SavedHandler[]> =>
      exclusive(async () => {
        const chosen = ref === null ? null : find(ref)
        await put([
          ...others(chosen?.id ?? null),
          ...(chosen === null ? [] : [{ ...chosen, isCurrent: true }]),
        ])
        return stored.map(show)
      }),
    /**
     * Resolves an endpoint: a URL stays unchanged, `@NAME` or `handler:NAME` becomes the handler's. Rejects with `NOT_FOUND`,
     * `INVALID_INPUT` if the handler's hook was deleted, or `SECRET_UNREADABLE`.
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
      const handler = find(name)
      const isGiven = secret !== undefined || hookId !== null
      const own = isGiven ? null : await ownSecret(handler)
      const problem = handler.hookId === null ? null : hookProblem(handler.hookId)
      if (!isGiven) refuseDeletedHook(handler, problem)
      const usedHook = hookId ?? (problem === null ? handler.hookId : null)
      return {
        url: handler.url,
        // A secret without a hook has no other URL to verify with.
        registeredUrl:
          registeredUrl ??
          handler.registeredUrl ??
          (usedHook === null && handler.secret !== null ? handler.url : null),
        hookId: usedHook,
        secret: secret ?? own,
        prefix: handler.prefix,
        targetCa: targetCa ?? handler.targetCa,
        handler: { id: handler.id, name: handler.name },
      }
    },
    async signer(id: string): Promise<HandlerSigner | null> {
      const handler = stored.find((one) => one.id === id)
      if (handler === undefined)
        throw new AppError(
          'NOT_FOUND',
          'The saved handler was deleted, and its secret with it. Choose another handler or URL.',
        )
      const secret = await ownSecret(handler)
      if (secret !== null) {
        const { registeredUrl, url, prefix } = handler
        return { secret, url: registeredUrl ?? url, prefix }
      }
      if (handler.hookId === null) return null
      refuseDeletedHook(handler, hookProblem(handler.hookId))
      return { hookId: handler.hookId, url: handler.registeredUrl }
    },
    /** Their own secrets, for masking, without those this host can't decrypt. */
    async secrets(): Promise<string[]> {
      const opened = await Promise.all(stored.map((handler) => unlessRefused(ownSecret(handler))))
      return opened.filter((secret) => secret !== null)
    },
    /** By ID; null if it was deleted. */
    nameOf: (id: string): string | null =>
      stored.find((handler) => handler.id === id)?.name ?? null,
    /** The saved handler with this URL, the current one first; null if the URL isn't saved. */
    at(url: string): Endpoint['handler'] {
      const complete = withScheme(url)
      const target = URL.canParse(complete) ? new URL(complete).href : complete
      const found = stored
        .filter((handler) => handler.target === target)
        .toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent))[0]
      return found === undefined ? null : { id: found.id, name: found.name }
    },
    /** Remembers the result of a check of a handler's URL; a later result of the same run replaces the earlier. */
    checked: (target: string, check: HandlerCheckRun) =>
      exclusive(async () => {
        const changed = stored
          .filter((handler) => handler.target === target)
          .map((handler) => ({ ...handler, checks: withCheck(handler.checks, check) }))
        if (changed.length > 0) await put(changed)
      }),
    /** What a handler did in the last minutes. */
    async page(ref: string, minutes: number): Promise<HandlerPage> {
      const { id, checks } = find(ref)
      return {
        ...(await store.read('handlerPage', { id, now: clock.now(), minutes })),
        checks: [...checks],
      }
    },
    /** Connects to a handler without a request. Rejects with `TARGET_NOT_ALLOWED` if its host isn't allowed. */
    async probe(ref: string, consent: Consent): Promise<HandlerProbe> {
      const { url, targetCa } = find(ref)
      const request = { targets: [url], targetCa, signers: {}, what: 'connecting to a handler' }
      const { probe } = await deps.admit(request, consent)
      const at = new Date(clock.now()).toISOString()
      const { ms, failure } = await probe()
      return {
        reachable: failure === null,
        ms,
        errorKind: failure?.kind ?? null,
        error: failure?.message ?? null,
        at,
      }
    },
  }
}

const TWO_SECRETS = 'Use either a hook or a secret.'

function refuseDeletedHook({ name }: StoredHandler, problem: string | null): void {
  if (problem === null) return
  throw new AppError(
    'INVALID_INPUT',
    `The hook of handler "${name}" ${problem}. Choose another hook for it, or enter its secret.`,
  )
}

/** The URL with its scheme, and as a request has it. Throws `INVALID_INPUT`. */
function readUrl(text: string): Pick<StoredHandler, 'url' | 'target'> {
  if (handlerNameIn(text) !== null)
    throw invalidField('url', "A handler's URL can't be another handler. Enter its URL.")
  return { url: withScheme(text), target: readTarget(text).href }
}

function readCa(pem: string | null): string | null {
  if (pem !== null && !isCertificate(pem))
    throw invalidField(
      'targetCa',
      'The CA certificate isn\'t a PEM certificate. It should begin with "-----BEGIN CERTIFICATE-----".',
    )
  return pem
}

function withCheck(
  checks: readonly HandlerCheckRun[],
  check: HandlerCheckRun,
): readonly HandlerCheckRun[] {
  return [...checks.filter(({ runId }) => runId !== check.runId), check]
    .toSorted((a, b) => a.at.localeCompare(b.at))
    .slice(-CHECKS_KEPT)
}

function shownCheck(check: HandlerCheckRun | undefined): SavedHandler['lastCheck'] {
  if (check === undefined) return null
  const { at, passed, failed, skipped } = check
  return { at, passed, failed, skipped }
}
