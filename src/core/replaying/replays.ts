/** Sends stored deliveries again; raises all objections before the first request. */
import { createHash } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import { withScheme } from '../../shared/http.ts'
import type { Consent } from '../../shared/model/consent.ts'
import { editedParts } from '../../shared/model/replay-edits.ts'
import type { Baseline } from '../../shared/model/run-comparison.ts'
import type { Replay, ReplaySettings, SendAnswer, SentRequest } from '../../shared/model/send.ts'
import type { Query } from '../../shared/query/query.ts'
import { chunks } from '../base/async.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import { confirmCount, REPLAYING, type Signers } from '../outgoing/admit.ts'
import { checkSignedUrl, checkTargetCa, readTarget } from '../outgoing/targets.ts'
import {
  createSigningHookFinder,
  sendObstacle,
  type HandlerSigner,
  type SendDeps,
  signersOf,
} from '../outgoing/signing-hooks.ts'
import { hookToSign } from '../outgoing/known-hooks.ts'
import { outgoingRequest, headersOnWire } from '../outgoing/outgoing-request.ts'
import { checkEdits, editedBody } from '../outgoing/replay-edits.ts'
import { alterBody } from '../signature/alter-body.ts'
import {
  SENDS_PAGE,
  unpackDeliveries,
  type DeliveryToSend,
  type HookToSend,
  type NamedDeliveries,
} from '../store/deliveries-to-send.ts'
import { KEPT_RESPONSE_BYTES } from '../../shared/service/limits.ts'
import { MASKED_BEYOND } from '../../shared/text/mask.ts'
import { sidesOf } from '../store/replay-sides.ts'
import type { StoredReplay } from '../store/replays.ts'
import type { StoredSend } from '../store/stored-send.ts'
import { checkComparison, checkListedOnce } from './comparison-rules.ts'
import { ComparisonStart } from './comparison-start.ts'
import { Comparisons } from './comparisons.ts'
import { ReplayRuns } from './replay-runs.ts'

interface ReplaysDeps extends SendDeps {
  handlerName(id: string): string | null
}

type ReplayRequest = Pick<
  ReplaySettings,
  'to' | 'registeredUrl' | 'hookId' | 'handlerId' | 'tamper' | 'edits'
> & {
  readonly body: Uint8Array | null
}

interface StartReplay extends ReplaySettings, ReplayRequest {
  /** Responses to compare with, if `comparison` says so. */
  readonly baseline: Baseline | null
  readonly ids: readonly string[] | undefined
  readonly parsedQuery: Query | undefined
  /** Confirmed number of requests; null confirms any. */
  readonly most: number | null
  readonly consent: Consent
  /** Signer that isn't stored with the replay. */
  readonly givenSigner?: HandlerSigner | null
}

type Selection = Pick<
  StartReplay,
  'ids' | 'parsedQuery' | 'to' | 'hookId' | 'handlerId' | 'givenSigner'
>

interface Selected extends Pick<NamedDeliveries, 'seqs'> {
  /** First page of deliveries; empty if they weren't read. */
  readonly first: readonly DeliveryToSend[]
  /** Target URLs by hook ID; the empty ID stands for deliveries without a hook. */
  readonly targets: Readonly<Record<string, string>>
}

interface CheckParts extends Pick<StartReplay, 'most' | 'consent'> {
  readonly parts: readonly (Omit<Selection, 'parsedQuery'> & Pick<ReplaySettings, 'targetCa'>)[]
}

const HOOKS_PAGE = 5_000
const NO_PAGE: NamedDeliveries['page'] = { rows: [], bodies: new Uint8Array() }

const NO_DELIVERY: DeliveryToSend = { delivery: null, body: new Uint8Array() }

/** Placeholder for a signature that only a confirmed send gets. */
const WITHHELD = '(signed when sent)'

export class Replays {
  readonly #deps: ReplaysDeps
  readonly #comparison: ComparisonStart
  readonly runs: ReplayRuns
  readonly comparisons: Comparisons

  constructor(deps: ReplaysDeps) {
    this.#deps = deps
    this.#comparison = new ComparisonStart(deps)
    this.runs = new ReplayRuns(deps)
    const show = (stored: StoredReplay) => this.runs.show(stored)
    this.comparisons = new Comparisons({ store: deps.store, show })
  }

  /**
   * Starts a replay; resolves once it runs. Rejects with `INVALID_INPUT`, `NOT_FOUND`,
   * `TARGET_NOT_ALLOWED`, `CONFIRMATION_REQUIRED` or `SECRET_UNREADABLE`.
   */
  async start(input: StartReplay, signal: AbortSignal): Promise<Replay> {
    const { clock, environments, handlerSigner, hooks, ids: newIds, store } = this.#deps
    const {
      ids,
      parsedQuery,
      body,
      baseline,
      most,
      consent,
      givenSigner = null,
      ...options
    } = input
    const settings = withTargets(options)
    const { to, targetCa, registeredUrl, comparison, hookId, handlerId, repeat } = settings
    if (comparison !== null) checkComparison({ ...settings, comparison, hasBody: body !== null })
    checkEdits(settings.edits, settings.tamper, knownPrefixes(environments))
    // Throws if the chosen hook is unknown.
    if (hookId !== null) hooks.get(hookId)
    const admitWith = (targets: readonly string[], signers: Signers) =>
      this.#deps.admission.admit(
        { targets, targetCa, registeredUrl, signers, what: REPLAYING },
        consent,
      )
    // Admits a given target before reading the deliveries, which may be a million.
    const earlyAdmission = to === null ? null : await admitWith([to], {})
    const otherAdmitted = await this.#comparison.admit(settings, {}, consent)
    const { first, seqs, signers, targets } = await this.#select(
      { ...settings, givenSigner, ids, parsedQuery, paged: SENDS_PAGE },
      signal,
    )
    const sides = sidesOf({ settings })
    confirmCount(seqs.length * repeat * sides, most)
    // Only a chosen hook lets a handler fail here: otherwise `signersOf` has rejected above.
    const saved =
      givenSigner ?? (handlerId === null ? null : await handlerSigner(handlerId).catch(() => null))
    const plan = { targets, variant: variantOf(settings, body, saved) }
    earlyAdmission?.confirmSigner(signers)
    otherAdmitted?.confirmSigner(await this.#comparison.signersOf({ settings, plan }))
    const admitted = earlyAdmission ?? (await admitWith(Object.values(targets), signers))
    if (comparison !== null) {
      if (ids !== undefined) checkListedOnce(seqs, ids)
      await this.#comparison.check({ settings, plan, seqs, baseline })
    }
    signal.throwIfAborted()
    const allSeqs = Float64Array.from(
      { length: repeat * sides * seqs.length },
      (_, index) => seqs[Math.floor(index / sides) % seqs.length]!,
    )
    const stored = await store.write('insertReplay', {
      id: newIds.next(),
      createdAt: clock.now(),
      owner: process.pid,
      settings,
      body,
      baseline: baseline === null ? null : JSON.stringify(baseline),
      plan,
      // Recorded with the replay, so that the first requests don't wait.
      reached: Math.min(settings.concurrency, allSeqs.length),
      seqs: allSeqs,
    })
    return this.runs.run({
      stored,
      seqs: allSeqs,
      lastStarted: 0,
      repeats: [],
      first,
      replacementBody: body,
      admitted,
      otherAdmitted,
      givenSigner,
    })
  }

  /** Checks parts that start together, with one `CONFIRMATION_REQUIRED` about all. */
  async checkParts({ parts, most, consent }: CheckParts, signal: AbortSignal): Promise<void> {
    const selected = []
    for (const part of parts) {
      checkTargetCa(part.targetCa)
      selected.push(await this.#select({ ...part, parsedQuery: undefined, paged: 0 }, signal))
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

  /** Resumes an interrupted replay; returns any other unchanged. */
  async resume(replayId: string, consent: Consent): Promise<Replay> {
    const { admission, clock, handlerSigner, store } = this.#deps
    const replay = await store.read('replay', replayId)
    const { to, targetCa } = replay.settings
    const signers = await signersOf(handlerSigner, replay.settings, () =>
      Object.keys(replay.plan.targets),
    )
    const targets = to === null ? [] : [to]
    const admitted = await admission.admit({ targets, targetCa, signers, what: REPLAYING }, consent)
    const otherSigners = await this.#comparison.signersOf(replay)
    const otherAdmitted = await this.#comparison.admit(replay.settings, otherSigners, consent)
    const replacementBody = replay.hasBody ? await store.read('replayBody', replayId) : null
    if (this.runs.isRunning(replay)) return this.runs.show(replay)
    const takeover = { id: replayId, owner: process.pid, at: clock.now() }
    const resumed = await store.write('resumeReplay', takeover)
    if (resumed === null) return this.runs.get(replayId)
    return this.runs.run({
      ...resumed,
      lastStarted: resumed.stored.reached,
      first: [],
      replacementBody,
      admitted,
      otherAdmitted,
    })
  }

  /**
   * Selects deliveries by ID in the given order, or by query, oldest first, and reads the first
   * `paged`. Rejects with `NOT_FOUND` or `INVALID_INPUT`.
   */
  async #select(
    { ids, parsedQuery, paged, ...settings }: Selection & { readonly paged: number },
    signal: AbortSignal,
  ): Promise<Selected & { readonly signers: Signers }> {
    const { handlerSigner, store } = this.#deps
    await store.settled()
    if ((ids === undefined) === (parsedQuery === undefined))
      throw new AppError('INVALID_INPUT', 'Give either delivery IDs or a query.')
    const { seqs, hooks, page } =
      parsedQuery === undefined
        ? await store.read('findDeliveriesToSend', { refs: ids ?? [], paged })
        : await this.#find(parsedQuery, signal)
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

  /** Returns targets by hook ID, empty without a hook. Throws `INVALID_INPUT`. */
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

  /** Returns the request without a live secret's signature. Rejects with `INVALID_INPUT`. */
  async preview(id: string, { body, ...request }: ReplayRequest) {
    const { admission, clock, environments, handlerSigner, store } = this.#deps
    const { tamper, edits } = request
    const prefixes = knownPrefixes(environments)
    checkEdits(edits, tamper, prefixes)
    checkSignedUrl(request.registeredUrl)
    const named = await store.read('findDeliveriesToSend', { refs: [id], paged: 1 })
    const [target = ''] = Object.values(this.#targetsOf(named.hooks, request))
    const [{ delivery, body: captured } = NO_DELIVERY] = unpackDeliveries(named.page)
    const hook = delivery && (await createSigningHookFinder(this.#deps, request, null)(delivery))
    const problem = sendObstacle(delivery, {
      hook,
      tamper,
      edits,
      prefixes,
      hasOwnBody: body !== null,
    })
    if (delivery === null || problem !== null) throw new AppError('INVALID_INPUT', problem ?? '')
    const sent = editedBody(body ?? captured, edits)
    const madeRequest = outgoingRequest({ headers: delivery.headers, body: sent }, hook, {
      tamper,
      edits,
      prefixes,
      wallTime: clock.now(),
    })
    const method = edits.method ?? delivery.method ?? 'POST'
    const isSigned = madeRequest.signature !== null && edits.signature === 'recompute'
    const signers = await signersOf(handlerSigner, request, () => [delivery.hookId])
    const isWithheld = isSigned && admission.liveEnvironments(signers).length > 0
    const headers = headersOnWire(new URL(target), method, madeRequest)
    return {
      target,
      method,
      headers: headers.map(([name, value]): [string, string] => [
        name,
        isWithheld && value === madeRequest.signature ? WITHHELD : value,
      ]),
      body: madeRequest.body,
      signedUrl: isSigned ? (hook?.url ?? null) : null,
    }
  }

  /**
   * Returns recent targets, in all and by hook ID (empty without a hook); null stands for the
   * registered URL.
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
    const typedUrls = recent.map(({ to }) => to).filter((to) => to !== null)
    return { byHook, recent: [...new Set(typedUrls)] }
  }

  /**
   * Rebuilds the sent request, with some more of its body than is shown, because it is masked
   * first.
   */
  async #sentOf(send: StoredSend): Promise<SentRequest | null> {
    const { sent, hasOwnBody, set, replayId, deliverySeq, tamper } = send
    if (sent === null) return null
    const { store } = this.#deps
    const own = hasOwnBody ? await store.read('replayBody', replayId) : null
    const given = own ?? (await store.read('body', { seq: deliverySeq })).bytes
    const body = editedBody(given, { set })
    const bytes = tamper === 'body' ? alterBody(body) : body
    const beginning = Buffer.from(bytes.subarray(0, KEPT_RESPONSE_BYTES + MASKED_BEYOND))
    return {
      ...sent,
      base64: beginning.toString('base64'),
      truncated: bytes.length > KEPT_RESPONSE_BYTES,
    }
  }
}

/** Completes targets without a scheme. */
function withTargets<Settings extends ReplaySettings>(settings: Settings): Settings {
  const { to, comparison } = settings
  const other = comparison?.other ?? null
  return {
    ...settings,
    to: to === null ? null : withScheme(to),
    comparison: comparison && {
      ...comparison,
      other: other && { ...other, to: withScheme(other.to) },
    },
  }
}

/**
 * Hashes the settings that change the request, so that only like sends are compared; null if all is
 * as captured or the saved handler's own.
 */
function variantOf(
  { edits, registeredUrl, hookId }: Pick<ReplaySettings, 'edits' | 'registeredUrl' | 'hookId'>,
  body: Uint8Array | null,
  saved: HandlerSigner | null,
): string | null {
  const savedHook = saved !== null && 'hookId' in saved ? saved.hookId : null
  const isAsSaved = hookId === savedHook && registeredUrl === (saved?.url ?? null)
  if (isAsSaved && editedParts(edits, body !== null).length === 0) return null
  return createHash('sha256')
    .update(JSON.stringify(edits))
    .update(body ?? '')
    .update(isAsSaved ? '' : JSON.stringify({ registeredUrl, hookId }))
    .digest('hex')
    .slice(0, 32)
}
