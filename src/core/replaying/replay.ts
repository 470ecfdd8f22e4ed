/**
 * Replays: sends stored deliveries again, one or thousands, as a job that shows progress and can be cancelled, or resumed after a
 * crash. All objections are raised before the first request is sent.
 */
import { createHash } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import { withScheme } from '../../shared/http.ts'
import type { Consent } from '../../shared/model/consent.ts'
import { editedParts } from '../../shared/model/replay-edits.ts'
import type { ReplayJob, ReplaySettings, SendAnswer, SentRequest } from '../../shared/model/send.ts'
import type { Query } from '../../shared/query/query.ts'
import { chunks } from '../base/async.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import {
  checkSignedUrl,
  checkTargetCa,
  confirmCount,
  createHookOf,
  hookToSign,
  obstacle,
  readTarget,
  REPLAYING,
  type HandlerSigner,
  type SendingDeps,
  type Signers,
  signersOf,
} from '../outgoing/admit.ts'
import {
  outgoingRequest,
  headersOnWire,
  checkEdits,
  editedBody,
} from '../outgoing/outgoing-request.ts'
import { altered } from '../signature/fault.ts'
import {
  SENDS_PAGE,
  unpackDeliveries,
  type DeliveryToSend,
  type HookToSend,
  type NamedDeliveries,
} from '../store/deliveries-to-send.ts'
import { KEPT_RESPONSE_BYTES } from '../../shared/service/limits.ts'
import { MASKED_BEYOND } from '../../shared/text/masked.ts'
import type { StoredSend } from '../store/sends.ts'
import { ReplayJobs } from './replay-jobs.ts'

interface ReplaysDeps extends SendingDeps {
  /** Returns the name of a saved handler; null if it was deleted. */
  handlerName(id: string): string | null
}

/** What to send, and where. `body` replaces the captured body. */
type ReplayRequest = Pick<
  ReplaySettings,
  'to' | 'registeredUrl' | 'hookId' | 'handlerId' | 'tamper' | 'edits'
> & {
  readonly body: Uint8Array | null
}

interface StartReplay extends ReplaySettings, ReplayRequest {
  readonly ids: readonly string[] | undefined
  /** `query`, parsed. */
  readonly found: Query | undefined
  /** Maximum number of requests; null for any. */
  readonly most: number | null
  readonly consent: Consent
}

type Selection = Pick<StartReplay, 'ids' | 'found' | 'to' | 'hookId' | 'handlerId'>

interface Selected extends Pick<NamedDeliveries, 'seqs'> {
  /** The first deliveries, if they were read. */
  readonly first: readonly DeliveryToSend[]
  /** By ID of the deliveries' hook; empty for those without one. */
  readonly targets: Readonly<Record<string, string>>
}

/** Replays that start together, one for each endpoint. */
interface CheckParts extends Pick<StartReplay, 'most' | 'consent'> {
  readonly parts: readonly (Omit<Selection, 'found'> & Pick<ReplaySettings, 'targetCa'>)[]
}

/** Deliveries whose hooks are read at once. */
const HOOKS_PAGE = 5_000
const NO_PAGE: NamedDeliveries['page'] = { rows: [], bodies: new Uint8Array() }

const NO_DELIVERY: DeliveryToSend = { delivery: null, body: new Uint8Array() }

/** Shown in a preview for a signature that only a confirmed send gets. */
const WITHHELD = '(signed when sent)'

/**
 * Describes the edits and any chosen signing hook or URL, so that only similar requests are compared. Null if everything is as
 * captured. A saved handler's own secret and URL (`saved`) don't count: flows and forwarding sign with them too.
 */
function variantOf(
  { edits, registeredUrl, hookId }: Pick<ReplaySettings, 'edits' | 'registeredUrl' | 'hookId'>,
  body: Uint8Array | null,
  saved: HandlerSigner | null,
): string | null {
  const savedHook = saved !== null && 'hookId' in saved ? saved.hookId : null
  const isOwn = hookId === savedHook && registeredUrl === (saved?.url ?? null)
  if (isOwn && editedParts(edits, body !== null).length === 0) return null
  return createHash('sha256')
    .update(JSON.stringify(edits))
    .update(body ?? '')
    .update(isOwn ? '' : JSON.stringify({ registeredUrl, hookId }))
    .digest('hex')
    .slice(0, 32)
}

export class Replays {
  readonly #deps: ReplaysDeps
  readonly jobs: ReplayJobs

  constructor(deps: ReplaysDeps) {
    this.#deps = deps
    this.jobs = new ReplayJobs(deps)
  }

  /**
   * Resolves once the replay is stored and running. Rejects before anything is sent, with
   * `INVALID_INPUT`, `NOT_FOUND`, `TARGET_NOT_ALLOWED`, `CONFIRMATION_REQUIRED` or
   * `SECRET_UNREADABLE`.
   */
  async start(input: StartReplay, signal: AbortSignal): Promise<ReplayJob> {
    const { clock, environments, handlerSigner, hooks, ids: newIds, store } = this.#deps
    const { ids, found, body, most, consent, ...wanted } = input
    const to = wanted.to === null ? null : withScheme(wanted.to)
    const settings = { ...wanted, to }
    const { targetCa, registeredUrl, hookId, handlerId, repeat, concurrency } = settings
    checkEdits(settings.edits, settings.tamper, knownPrefixes(environments))
    // Throws if the chosen hook is unknown.
    if (hookId !== null) hooks.get(hookId)
    const admitWith = (targets: readonly string[], signers: Signers) =>
      this.#deps.admission.admit(
        { targets, targetCa, registeredUrl, signers, what: REPLAYING },
        consent,
      )
    // A given target is admitted before the deliveries are looked up, which may read a million
    // rows.
    const early = to === null ? null : await admitWith([to], {})
    const { first, seqs, signers, targets } = await this.#select(
      { ...settings, ids, found, paged: SENDS_PAGE },
      signal,
    )
    confirmCount(seqs.length * repeat, most)
    // If its secret can't be read or its hook is deleted, a chosen hook signs: `signersOf` would
    // have rejected otherwise.
    const saved = handlerId === null ? null : await handlerSigner(handlerId).catch(() => null)
    early?.confirmSigner(signers)
    const admitted = early ?? (await admitWith(Object.values(targets), signers))
    signal.throwIfAborted()
    const all = Float64Array.from(
      { length: repeat * seqs.length },
      (_, index) => seqs[index % seqs.length]!,
    )
    const stored = await store.write('insertReplayJob', {
      id: newIds.next(),
      createdAt: clock.now(),
      owner: process.pid,
      settings,
      body,
      plan: { targets, variant: variantOf(settings, body, saved) },
      // Recorded with the replay, so that the first requests don't wait.
      reached: Math.min(concurrency, all.length),
      seqs: all,
    })
    return this.jobs.run({ stored, seqs: all, begun: 0, first, ownBody: body, admitted })
  }

  /**
   * Checks replays that start together: consent and objections are settled for all before the first
   * is sent. Otherwise half would be sent before the user confirms the rest. Rejects like starting
   * one of them would, with `CONFIRMATION_REQUIRED` about all together.
   */
  async checkParts({ parts, most, consent }: CheckParts, signal: AbortSignal): Promise<void> {
    const selected = []
    for (const part of parts) {
      checkTargetCa(part.targetCa)
      selected.push(await this.#select({ ...part, found: undefined, paged: 0 }, signal))
    }
    confirmCount(
      selected.reduce((sum, { seqs }) => sum + seqs.length, 0),
      most,
    )
    const targets = selected.flatMap((part) => Object.values(part.targets))
    const signers = {
      hookIds: selected.flatMap((part) => part.signers.hookIds ?? []),
      secrets: selected.flatMap((part) => part.signers.secrets ?? []),
    }
    await this.#deps.admission.admit({ targets, targetCa: null, signers, what: REPLAYING }, consent)
  }

  /** Resumes an interrupted replay. Returns one that is running or finished unchanged. */
  async resume(jobId: string, consent: Consent): Promise<ReplayJob> {
    const { admission, clock, handlerSigner, store } = this.#deps
    const job = await store.read('replayJob', jobId)
    const { to, targetCa } = job.settings
    const signers = await signersOf(handlerSigner, job.settings, () =>
      Object.keys(job.plan.targets),
    )
    const targets = to === null ? [] : [to]
    const admitted = await admission.admit({ targets, targetCa, signers, what: REPLAYING }, consent)
    const ownBody = job.hasBody ? await store.read('replayBody', jobId) : null
    if (this.jobs.isRunning(job)) return this.jobs.show(job)
    const taken = { id: jobId, owner: process.pid, at: clock.now() }
    const resumed = await store.write('resumeReplayJob', taken)
    if (resumed === null) return this.jobs.get(jobId)
    return this.jobs.run({
      ...resumed,
      begun: resumed.stored.reached,
      first: [],
      ownBody,
      admitted,
    })
  }

  /**
   * Selects deliveries by ID, in the given order (also `latest` or `latest:EVENT`), or those that
   * match a query, oldest first, as the service sent them. Rejects with `NOT_FOUND`, or with
   * `INVALID_INPUT` if one has no target.
   */
  async #select(
    { ids, found, paged, ...settings }: Selection & { readonly paged: number },
    signal: AbortSignal,
  ): Promise<Selected & { readonly signers: Signers }> {
    const { handlerSigner, store } = this.#deps
    await store.settled()
    if ((ids === undefined) === (found === undefined))
      throw new AppError('INVALID_INPUT', 'Give either delivery IDs or a query.')
    const { seqs, hooks, page } =
      found === undefined
        ? await store.read('deliveriesNamed', { refs: ids ?? [], paged })
        : await this.#find(found, signal)
    const signers = await signersOf(handlerSigner, settings, () =>
      hooks.map(({ hookId }) => hookId),
    )
    return {
      seqs,
      first: unpackDeliveries(page),
      targets: this.#targetsOf(hooks, settings),
      signers,
    }
  }

  async #find(query: Query, signal: AbortSignal): Promise<NamedDeliveries> {
    const { store } = this.#deps
    const seqs = (await store.search.find(query, { signal })).toReversed()
    const hooks = new Map<string | null, HookToSend>()
    for (const page of chunks(seqs, HOOKS_PAGE)) {
      signal.throwIfAborted()
      for (const hook of await store.read('hooksToSend', page))
        hooks.set(hook.hookId, hooks.get(hook.hookId) ?? hook)
    }
    return { seqs, hooks: [...hooks.values()], page: NO_PAGE }
  }

  /**
   * Returns the target of each delivery by its hook (empty: without one): the given one, or the
   * hook's registered URL. Throws `INVALID_INPUT` if there is none.
   */
  #targetsOf(
    deliveries: readonly HookToSend[],
    { to, hookId }: Pick<ReplaySettings, 'to' | 'hookId'>,
  ): Record<string, string> {
    const targets = deliveries.map(({ id, hookId: own }): [string, string] => {
      const url = to ?? hookToSign(this.#deps.hooks, hookId, own)?.url
      if (url !== undefined) return [own ?? '', readTarget(url).href]
      throw new AppError(
        'INVALID_INPUT',
        `Delivery ${id} matches no hook, so it has no default target. Add one with --to URL.`,
      )
    })
    return Object.fromEntries(targets)
  }

  async send(id: string): Promise<SendAnswer> {
    const stored = await this.#deps.store.read('send', id)
    const { sent: _, hasOwnBody: _has, deliverySeq: _seq, ...send } = stored
    return { ...send, request: await this.#sentOf(stored) }
  }

  /**
   * Returns the request as it would be sent now, without a live secret's fresh signature. Rejects
   * with `INVALID_INPUT` if it can't be sent.
   */
  async preview(id: string, { body, ...request }: ReplayRequest) {
    const { admission, clock, environments, handlerSigner, store } = this.#deps
    const { tamper, edits } = request
    const prefixes = knownPrefixes(environments)
    checkEdits(edits, tamper, prefixes)
    checkSignedUrl(request.registeredUrl)
    const named = await store.read('deliveriesNamed', { refs: [id], paged: 1 })
    const [target = ''] = Object.values(this.#targetsOf(named.hooks, request))
    const [{ delivery, body: captured } = NO_DELIVERY] = unpackDeliveries(named.page)
    const hook = delivery && (await createHookOf(this.#deps, request, null)(delivery))
    const problem = obstacle(delivery, { hook, tamper, edits, prefixes, hasOwnBody: body !== null })
    if (delivery === null || problem !== null) throw new AppError('INVALID_INPUT', problem ?? '')
    const sent = editedBody(body ?? captured, edits)
    const made = outgoingRequest({ headers: delivery.headers, body: sent }, hook, {
      tamper,
      edits,
      prefixes,
      wallTime: clock.now(),
    })
    const method = edits.method ?? delivery.method ?? 'POST'
    const isSigned = made.signature !== null && edits.signature === 'recompute'
    const signers = await signersOf(handlerSigner, request, () => [delivery.hookId])
    const isWithheld = isSigned && admission.liveEnvironments(signers).length > 0
    const headers = headersOnWire(new URL(target), method, made)
    return {
      target,
      method,
      headers: headers.map(([name, value]): [string, string] => [
        name,
        isWithheld && value === made.signature ? WITHHELD : value,
      ]),
      body: made.body,
      signedUrl: isSigned ? (hook?.url ?? null) : null,
    }
  }

  /**
   * Returns where deliveries were last sent: by hook (empty: without one; null: to the registered
   * URL), and recent targets.
   */
  async targets() {
    const byHook: Record<string, string | null> = {}
    const recent = await this.#deps.store.read('replayTargets', null)
    for (const { hooks, to, handlerId } of recent.toReversed()) {
      // A handler can be renamed or get another URL. A deleted one suggests nothing.
      const name = handlerId === null ? to : this.#deps.handlerName(handlerId)
      for (const hook of hooks) {
        if (handlerId === null) byHook[hook] = to
        else if (name === null) delete byHook[hook]
        else byHook[hook] = `@${name}`
      }
    }
    const typed = recent.map(({ to }) => to).filter((to) => to !== null)
    return { byHook, recent: [...new Set(typed)] }
  }

  /**
   * Returns the request that was sent. Its body is rebuilt from the replay or delivery, and cut
   * once it is masked.
   */
  async #sentOf(send: StoredSend): Promise<SentRequest | null> {
    const { sent, hasOwnBody, set, jobId, deliverySeq, tamper } = send
    if (sent === null) return null
    const { store } = this.#deps
    const own = hasOwnBody ? await store.read('replayBody', jobId) : null
    const given = own ?? (await store.read('body', { seq: deliverySeq })).bytes
    const body = editedBody(given, { set })
    const bytes = tamper === 'body' ? altered(body) : body
    const beginning = Buffer.from(bytes.subarray(0, KEPT_RESPONSE_BYTES + MASKED_BEYOND))
    return {
      ...sent,
      base64: beginning.toString('base64'),
      truncated: bytes.length > KEPT_RESPONSE_BYTES,
    }
  }
}
