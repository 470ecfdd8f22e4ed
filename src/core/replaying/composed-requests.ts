/** Composed requests: any body, stored as an unlisted delivery, then sent as a replay. */
import { hash } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import type { Consent } from '../../shared/model/consent.ts'
import { IMPORTED_PREFIX, type RawHeaders } from '../../shared/model/delivery.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import type { Replay, ReplaySettings } from '../../shared/model/send.ts'
import { listed } from '../../shared/text/english.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import { pathOfUrl } from '../hooks/hook-paths.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { hookColumns, type Registry } from '../hooks/registry.ts'
import { REPLAYING } from '../outgoing/admit.ts'
import { outgoingRequest } from '../outgoing/outgoing-request.ts'
import { checkEdits, withSet } from '../outgoing/replay-edits.ts'
import {
  createSigningHookFinder,
  signersOf,
  type HandlerSigner,
  type SendDeps,
  type SigningHook,
} from '../outgoing/signing-hooks.ts'
import type { StoredHook } from '../store/hooks.ts'
import type { RequestNaming } from '../store/composed.ts'
import type { Store } from '../store/store.ts'
import type { Replays } from './replays.ts'

interface ComposedDeps extends Omit<SendDeps, 'store' | 'hooks'> {
  readonly store: Pick<Store, 'read' | 'write' | 'capture'>
  readonly hooks: Pick<Hooks, 'list' | 'get' | 'reveal' | 'headersOf'>
  readonly registry: Pick<Registry, 'judge' | 'byId'>
  readonly replays: Pick<Replays, 'start'>
}

export interface ComposedRequest extends Pick<
  ReplaySettings,
  'to' | 'registeredUrl' | 'hookId' | 'handlerId' | 'targetCa' | 'tamper'
> {
  readonly body: Uint8Array
  /** Headers that replace or follow the service's. */
  readonly headers: RawHeaders
  readonly event: string | null
  /** Secret that signs instead of a hook's. */
  readonly secret: string | null
  readonly name: string | null
  /** Whether another request may lose the name. */
  readonly replace: boolean
  readonly consent: Consent
}

/** Event and hook that a request is stored with, and the URL and secret that sign it, if any. */
interface Signed {
  readonly event: string | null
  readonly hook: StoredHook | null
  readonly signing: SigningHook | null
}

/** Named request that isn't sent. */
interface KeptRequest extends Pick<ComposedRequest, 'body' | 'headers' | 'event'> {
  readonly name: string
  readonly hookId: string | null
}

/** Header of composed requests, which the user's headers replace. */
const COMPOSED_TYPE: RawHeaders[number] = ['content-type', 'application/json']

export const isComposedType = ([name, value]: RawHeaders[number]): boolean =>
  name.toLowerCase() === COMPOSED_TYPE[0] && value === COMPOSED_TYPE[1]

export class ComposedRequests {
  readonly #deps: ComposedDeps

  constructor(deps: ComposedDeps) {
    this.#deps = deps
  }

  /**
   * Stores a request and sends it; resolves with its delivery's ID once it is sent. Stores nothing
   * if it rejects, with `INVALID_INPUT`, `NOT_FOUND`, `NO_HOOK`, `TARGET_NOT_ALLOWED`,
   * `CONFIRMATION_REQUIRED` or `SECRET_UNREADABLE`.
   */
  async send(
    request: ComposedRequest,
    signal: AbortSignal,
  ): Promise<{ readonly id: string; readonly replay: Replay }> {
    const { environments, replays } = this.#deps
    const {
      body: _body,
      headers,
      event,
      secret: _secret,
      name,
      replace,
      consent,
      ...settings
    } = request
    const { tamper, to } = settings
    checkEdits({ ...NO_EDITS, setHeaders: headers }, tamper, knownPrefixes(environments))
    const hook = await this.#hookOf(request)
    const givenSigner = this.#givenSigner(request)
    const target = to ?? hook?.url
    if (target === undefined) throw noTarget()
    const signers = await signersOf(this.#deps.handlerSigner, { ...settings, givenSigner }, () => [
      hook?.id ?? null,
    ])
    const { targetCa, registeredUrl } = settings
    const admitted = await this.#deps.admission.admit(
      { targets: [target], targetCa, registeredUrl, signers, what: REPLAYING },
      consent,
    )
    if (name !== null && !replace) await this.#checkName(name)
    const findSigning = createSigningHookFinder(this.#deps, { ...settings, givenSigner }, admitted)
    const signing = await findSigning({ hookId: hook?.id ?? null })
    if (signing === null) throw noSigner()
    signal.throwIfAborted()
    const id = await this.#store(request, { event: event ?? hook?.event ?? null, hook, signing })
    const replay = await replays.start(
      {
        ...settings,
        // A given secret has no other URL to verify with.
        registeredUrl: givenSigner?.url ?? registeredUrl,
        ...{ ids: [id], query: null, parsedQuery: undefined, body: null, edits: NO_EDITS },
        ...{ repeat: 1, concurrency: 1, rate: null, most: null, consent, givenSigner },
        ...{ comparison: null, baseline: null },
      },
      signal,
    )
    return { id, replay }
  }

  /**
   * Stores a request, signed if it has a hook, in place of the one that has its name. Rejects with
   * `NOT_FOUND` or `SECRET_UNREADABLE`.
   */
  async keep({ hookId, event, ...request }: KeptRequest): Promise<string> {
    const settings = { hookId, registeredUrl: null, handlerId: null }
    const signing = await createSigningHookFinder(this.#deps, settings, null)({ hookId })
    const hook = hookId === null ? null : this.#deps.hooks.get(hookId)
    const stored = { event: event ?? hook?.event ?? null, hook, signing }
    return this.#store({ ...request, replace: true }, stored)
  }

  /** Returns the hook that the request belongs to; null if only a secret signs it. */
  async #hookOf({ body, event, hookId, handlerId, secret }: ComposedRequest) {
    const { hooks } = this.#deps
    if (hookId !== null) {
      const hook = hooks.get(hookId)
      if (secret !== null)
        throw new AppError('INVALID_INPUT', 'Two signers given. Use either a hook or a secret.')
      if (handlerId === null && event !== null && event !== hook.event)
        throw new AppError(
          'INVALID_INPUT',
          `This hook receives ${hook.event}, not ${event}. Choose another hook, or leave out the event.`,
        )
      return hook
    }
    const signer = handlerId === null ? null : await this.#deps.handlerSigner(handlerId)
    const isSigned = secret !== null || signer !== null
    if (event === null && isSigned) return null
    const { guessEvents } = await import('../../shared/service/payload.ts')
    const events = event === null ? guessEvents(body) : [event]
    const [only, ...others] = events
    if (only === undefined || others.length > 0) throw unclearEvent(events)
    const matching = this.#hooksFor(only)
    if (isSigned) return matching.length === 1 ? matching[0]! : null
    return onlyHook(matching, only)
  }

  /** Returns the active hooks of an event, of the current environment if it has any. */
  #hooksFor(event: string): StoredHook[] {
    const { environments, hooks } = this.#deps
    const active = hooks
      .list()
      .filter((hook) => hook.event === event && hook.status === 'active')
      .map(({ id }) => hooks.get(id))
    const { name } = environments.get(undefined)
    const current = active.filter(({ environment }) => environment === name)
    return current.length > 0 ? current : active
  }

  #givenSigner({ secret, to, registeredUrl }: ComposedRequest): HandlerSigner | null {
    if (secret === null) return null
    const url = registeredUrl ?? to
    if (url === null) throw noTarget()
    return { secret, url, prefix: null }
  }

  /** Stores the request as signed now, and returns the delivery's ID. */
  async #store(
    request: Pick<ComposedRequest, 'body' | 'headers' | 'name' | 'replace'>,
    { event, hook, signing }: Signed,
  ): Promise<string> {
    const { clock, environments, hooks, hub, ids, registry, store } = this.#deps
    const { body, name, replace } = request
    const custom = hook === null ? [] : Object.entries(hooks.headersOf(hook.id))
    const given = withSet([COMPOSED_TYPE, ...custom], request.headers)
    const receivedAt = clock.now()
    const { headers } =
      signing === null
        ? { headers: given }
        : outgoingRequest({ headers: given, body }, signing, {
            ...{ tamper: null, edits: NO_EDITS, wallTime: receivedAt },
            prefixes: knownPrefixes(environments),
          })
    const path = signing === null ? '/' : pathOfUrl(signing.url)
    const {
      verdict,
      freshness,
      hook: judged,
    } = await registry.judge(path, headers, body, receivedAt)
    const id = ids.next()
    const seq = await store.capture({
      row: {
        ...{ id, receivedAt, method: 'POST', path, malformed: null, httpVersion: '1.1' },
        headers: JSON.stringify(headers),
        bodySize: body.length,
        bodySha256: hash('sha256', body, 'hex'),
        truncated: false,
        remote: `${IMPORTED_PREFIX}composed`,
        event,
        eventSource: event !== null && event === hook?.event ? 'hook' : null,
        ...hookColumns((hook && registry.byId(hook.id)) ?? judged),
        ...{ verdict, freshness, notificationKey: null, replayOf: null },
        origin: 'composed',
      },
      body,
    })
    if (name !== null) await this.#name({ seq, name, ifTaken: replace ? 'move' : 'keep' })
    hub.emit('delivery.imported', seq)
    return id
  }

  async #checkName(name: string): Promise<void> {
    if ((await this.#deps.store.read('namedRequest', name)) !== null) throw takenName(name)
  }

  async #name(naming: RequestNaming): Promise<void> {
    const given = await this.#deps.store.write('nameRequest', naming)
    if (given === null) throw takenName(naming.name)
  }
}

function takenName(name: string): AppError {
  return new AppError(
    'INVALID_INPUT',
    `Another request is named "${name}". Choose another name, or move the name here (--replace).`,
    { details: { field: 'name' } },
  )
}

const noTarget = () =>
  new AppError('INVALID_INPUT', 'A secret has no target. Enter your endpoint, with --to URL.')

const noSigner = () =>
  new AppError(
    'INVALID_INPUT',
    'Nothing signs this request. Choose a hook (--hook), an event with a hook (--event), or a secret (--secret).',
  )

function unclearEvent(events: readonly string[]): AppError {
  return new AppError(
    'INVALID_INPUT',
    events.length === 0
      ? "The body doesn't show its event, so no hook can sign it. Choose an event (--event), a hook (--hook) or a secret (--secret)."
      : `The body fits several events: ${listed(events, 'or')}. Choose one with --event.`,
  )
}

function onlyHook(matching: readonly StoredHook[], event: string): StoredHook {
  const [hook, ...others] = matching
  if (hook === undefined)
    throw new AppError(
      'NO_HOOK',
      `No active hook receives ${event}. Create one with "countersign hooks add --event ${event}", or choose another signer (--hook or --secret).`,
    )
  if (others.length > 0)
    throw new AppError(
      'INVALID_INPUT',
      `Several hooks receive ${event}: ${matching.map(({ id }) => id).join(', ')}. Choose one with --hook.`,
    )
  return hook
}
