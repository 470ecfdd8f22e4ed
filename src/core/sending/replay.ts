/**
 * Replays: sends stored deliveries again, one or thousands, as a job that shows progress and can be cancelled, or resumed after a
 * crash. All objections are raised before the first request is sent.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import { withScheme } from '../../shared/http.ts'
import type { Consent } from '../../shared/model/consent.ts'
import { editedParts } from '../../shared/model/replay-edits.ts'
import type { ReplayJob, ReplaySettings, SendAnswer, SentRequest } from '../../shared/model/send.ts'
import type { Query } from '../../shared/query/query.ts'
import { chunks, createMutex } from '../base/async.ts'
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
import { readJsonSetting } from '../store/settings.ts'
import type { HookToSend, ReplayPlan } from '../store/replays.ts'
import { KEPT_RESPONSE_BYTES } from '../../shared/service/limits.ts'
import { MASKED_BEYOND } from '../../shared/text/masked.ts'
import type { StoredSend } from '../store/sends.ts'
import type { Store } from '../store/store.ts'
import { createReplayJobs } from './replay-job.ts'

/** By hook; null for its registered URL. Deliveries without a hook use the empty name. */
type TargetsByHook = Readonly<Record<string, string | null>>

interface ReplaysDeps extends SendingDeps {
  /** The name of a saved handler; null if it was deleted. */
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

/** Replays that start together, one for each endpoint. */
interface CheckParts extends Pick<StartReplay, 'most' | 'consent'> {
  readonly parts: readonly (Pick<ReplaySettings, 'to' | 'targetCa' | 'hookId' | 'handlerId'> & {
    readonly ids: readonly string[]
  })[]
}

export type Replays = ReturnType<typeof createReplays>

/** How many recent jobs suggest targets. */
const RECENT_JOBS = 200

/** Targets as an endpoint field shows them: saved handlers by name, without deleted ones. */
function withNames(byHook: TargetsByHook, handlerName: ReplaysDeps['handlerName']): TargetsByHook {
  const named = Object.entries(byHook).map(([hook, target]): [string, string | null] | null => {
    if (target?.startsWith(SAVED) !== true) return [hook, target]
    const name = handlerName(target.slice(SAVED.length))
    return name === null ? null : [hook, `@${name}`]
  })
  return Object.fromEntries(named.filter((entry) => entry !== null))
}

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

const LAST_TARGETS = 'replay-targets'
const storedTargets = z.record(z.string(), z.string().nullable())

/** Before a saved handler's ID. */
const SAVED = 'saved:'

/** The last target of each hook's deliveries, which is the default for the next replay. */
function createLastTargets(store: Pick<Store, 'read' | 'write'>) {
  const exclusive = createMutex()
  const read = async (): Promise<TargetsByHook> =>
    (await readJsonSetting(store, LAST_TARGETS, storedTargets)) ?? {}
  return {
    read,
    remember: (hookIds: Iterable<string | null>, target: string | null) =>
      exclusive(async () => {
        const before = await read()
        const changed = [...hookIds]
          .map((id) => id ?? '')
          .filter((id) => !Object.hasOwn(before, id) || before[id] !== target)
        if (changed.length === 0) return
        const value = JSON.stringify({
          ...before,
          ...Object.fromEntries(changed.map((id) => [id, target])),
        })
        await store.write('writeSetting', { name: LAST_TARGETS, value })
      }),
  }
}

export function createReplays(deps: ReplaysDeps) {
  const { store, hooks, environments, handlerSigner, clock } = deps
  const { admit, liveEnvironments } = deps.admission
  const jobs = createReplayJobs(deps)
  const lastTargets = createLastTargets(store)
  const closed = new AbortController()
  let sweeping: Promise<void> = Promise.resolve()

  /**
   * Where deliveries go, by their hook (empty: without one): to the given target, or to the registered URL of the hook. Throws
   * `INVALID_INPUT` if there is none.
   */
  function targetsOf(
    deliveries: readonly HookToSend[],
    { to, hookId }: Pick<ReplaySettings, 'to' | 'hookId'>,
  ): Record<string, string> {
    const given = to === null ? null : readTarget(to).href
    const targets = deliveries.map(({ id, hookId: own }): [string, string] => {
      if (given !== null) return [own ?? '', given]
      const hook = hookToSign(hooks, hookId, own)
      if (hook !== null) return [own ?? '', readTarget(hook.url).href]
      throw new AppError(
        'INVALID_INPUT',
        `Delivery ${id} matches no hook, so it has no default target. Add one with --to URL.`,
      )
    })
    return Object.fromEntries(given === null ? targets : [['', given], ...targets])
  }

  async function preview(id: string, { body, ...request }: ReplayRequest) {
    const { tamper, edits } = request
    const prefixes = knownPrefixes(environments)
    checkEdits(edits, tamper, prefixes)
    checkSignedUrl(request.registeredUrl)
    const delivery = await store.read('get', id)
    const [target = ''] = Object.values(targetsOf([delivery], request))
    const hook = await createHookOf(deps, request, null)(delivery)
    const problem = obstacle(delivery, { hook, tamper, edits, prefixes, hasOwnBody: body !== null })
    if (problem !== null) throw new AppError('INVALID_INPUT', problem)
    const given = body ?? (await store.read('body', { seq: delivery.seq })).bytes
    const sent = editedBody(given, edits)
    const made = outgoingRequest({ headers: delivery.headers, body: sent }, hook, {
      tamper,
      edits,
      prefixes,
      wallTime: clock.now(),
    })
    const method = edits.method ?? delivery.method ?? 'POST'
    const isSigned = made.signature !== null && edits.signature === 'recompute'
    const signers = await signersOf(handlerSigner, request, () => [delivery.hookId])
    const isWithheld = isSigned && liveEnvironments(signers).length > 0
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

  /** The request that was sent. Its body is rebuilt from the job or delivery, and cut once it is masked. */
  async function sentOf({
    sent,
    hasOwnBody,
    set,
    jobId,
    deliverySeq,
    tamper,
  }: StoredSend): Promise<SentRequest | null> {
    if (sent === null) return null
    const own = hasOwnBody ? await store.read('replayBody', jobId) : null
    const given = own ?? (await store.read('body', { seq: deliverySeq })).bytes
    const body = editedBody(given, { set }, { wasSent: true })
    const bytes = tamper === 'body' ? altered(body) : body
    const beginning = Buffer.from(bytes.subarray(0, KEPT_RESPONSE_BYTES + MASKED_BEYOND))
    return {
      ...sent,
      base64: beginning.toString('base64'),
      truncated: bytes.length > KEPT_RESPONSE_BYTES,
    }
  }

  async function checkParts({ parts, most, consent }: CheckParts, signal: AbortSignal) {
    const targets: string[] = []
    const hookIds: (string | null)[] = []
    const secrets: string[] = []
    let count = 0
    for (const { ids, to, targetCa, hookId, handlerId } of parts) {
      checkTargetCa(targetCa)
      const selected = await selectDeliveries(store, { ids, query: undefined }, signal)
      count += selected.seqs.length
      const signers = await signersOf(handlerSigner, { hookId, handlerId }, () =>
        selected.hooks.map((hook) => hook.hookId),
      )
      hookIds.push(...(signers.hookIds ?? []))
      secrets.push(...(signers.secrets ?? []))
      targets.push(...Object.values(targetsOf(selected.hooks, { to, hookId })))
    }
    confirmCount(count, most)
    const signers = { hookIds, secrets }
    await admit({ targets, targetCa: null, signers, what: REPLAYING }, consent)
  }

  async function settleCancelled(): Promise<void> {
    for (const id of await store.read('replayUnsettled', null))
      if (!closed.signal.aborted) await jobs.settle(id)
  }

  async function start(input: StartReplay, signal: AbortSignal): Promise<ReplayJob> {
    const { ids, found, body, most, consent, ...wanted } = input
    const to = wanted.to === null ? null : withScheme(wanted.to)
    const settings = { ...wanted, to }
    const { targetCa, registeredUrl, hookId, handlerId, repeat } = settings
    checkEdits(settings.edits, settings.tamper, knownPrefixes(environments))
    // Throws if the chosen hook is unknown.
    if (hookId !== null) hooks.get(hookId)
    const admitWith = (targets: readonly string[], signers: Signers) =>
      admit({ targets, targetCa, registeredUrl, signers, what: REPLAYING }, consent)
    // A given target is admitted before the deliveries are looked up, which may read a million rows.
    const early = to === null ? null : await admitWith([to], {})
    const selected = await selectDeliveries(store, { ids, query: found }, signal)
    const hookIds = selected.hooks.map((hook) => hook.hookId)
    confirmCount(selected.seqs.length * repeat, most)
    const targets = targetsOf(selected.hooks, settings)
    const signers = await signersOf(handlerSigner, settings, () => hookIds)
    // If its secret can't be read or its hook is deleted, a chosen hook signs: `signersOf` would have rejected otherwise.
    const saved = handlerId === null ? null : await handlerSigner(handlerId).catch(() => null)
    early?.confirmSigner(signers)
    const admitted = early ?? (await admitWith(Object.values(targets), signers))
    signal.throwIfAborted()
    const plan: ReplayPlan = {
      targets,
      variant: variantOf(settings, body, saved),
      selected: selected.seqs.length,
      rounds: repeat,
      seqs: Float64Array.from(selected.seqs),
    }
    const id = deps.ids.next()
    const now = clock.now()
    const job = { id, createdAt: now, owner: process.pid, settings, body, plan }
    const stored = await store.write('insertReplayJob', job)
    // A handler can be renamed or get another URL.
    await lastTargets.remember(new Set(hookIds), handlerId === null ? to : `${SAVED}${handlerId}`)
    return jobs.run({ stored, plan, ownBody: body, admitted })
  }

  return {
    /**
     * Resolves once the job is stored and running. Rejects before anything is sent, with `INVALID_INPUT`, `NOT_FOUND`,
     * `TARGET_NOT_ALLOWED`, `CONFIRMATION_REQUIRED` or `SECRET_UNREADABLE`.
     */
    start,
    /**
     * Checks replays that start together: consent and objections are settled for all before the first is sent. Otherwise half would be
     * sent before the user confirms the rest. Rejects like starting one of them would, with `CONFIRMATION_REQUIRED` about all together.
     */
    checkParts,
    /** Resumes an interrupted job. Returns a job that is running or finished unchanged. */
    async resume({
      jobId,
      consent,
    }: {
      readonly jobId: string
      readonly consent: Consent
    }): Promise<ReplayJob> {
      const job = await store.read('replayJob', jobId)
      const { to, targetCa } = job.settings
      const signers = await signersOf(handlerSigner, job.settings, () =>
        store.read('replayHooks', jobId),
      )
      const targets = to === null ? [] : [to]
      const admitted = await admit({ targets, targetCa, signers, what: REPLAYING }, consent)
      if (job.state === 'cancelled') await jobs.settle(jobId)
      if (job.state !== 'running' || jobs.isRunning(job)) return jobs.get(jobId)
      const places = await store.read('replayUnderWay', jobId)
      await store.write('reviveReplayJob', {
        id: jobId,
        owner: process.pid,
        at: clock.now(),
        places,
      })
      const stored = await store.read('replayJob', jobId)
      const revived = await store.read('replayPlan', jobId)
      const ownBody = stored.hasBody ? await store.read('replayBody', jobId) : null
      return revived === null || jobs.isRunning(stored) || stored.state !== 'running'
        ? jobs.get(jobId)
        : jobs.run({ stored, plan: revived, ownBody, admitted })
    },
    /** Discards pending requests; those in progress finish. */
    cancel: jobs.cancel,
    get: jobs.get,
    /** Newest first. */
    list: async (limit: number): Promise<ReplayJob[]> =>
      (await store.read('replayJobs', limit)).map(jobs.show),
    async send(id: string): Promise<SendAnswer> {
      const stored = await store.read('send', id)
      const { sent: _, hasOwnBody: _has, deliverySeq: _seq, ...send } = stored
      return { ...send, request: await sentOf(stored) }
    },
    /** The request as it would be sent now, without a live secret's fresh signature. Rejects with `INVALID_INPUT` if it can't be sent. */
    preview,
    targets: async (): Promise<{
      readonly byHook: TargetsByHook
      readonly recent: readonly string[]
    }> => ({
      byHook: withNames(await lastTargets.read(), deps.handlerName),
      recent: await store.read('replayTargets', RECENT_JOBS),
    }),
    /** Finishes jobs that were cancelled in a process that ended before it could. */
    sweep() {
      sweeping = settleCancelled()
      return sweeping
    },
    /** Aborts running requests. Interrupted jobs can be resumed. */
    async close() {
      closed.abort()
      await Promise.allSettled([sweeping])
      await jobs.close()
    },
  }
}

// Selects the deliveries of a replay, in order, with everything needed to know before sending.

/** How many deliveries' hooks are read at once. */
const PAGE = 5_000

/**
 * Deliveries by ID, in the given order (an ID may be `latest` or `latest:EVENT`), or those matching a query, oldest first, as the
 * service sent them. Rejects with `NOT_FOUND` or `INVALID_INPUT`.
 */
async function selectDeliveries(
  store: Pick<Store, 'read' | 'search' | 'settled'>,
  {
    ids,
    query,
  }: { readonly ids: readonly string[] | undefined; readonly query: Query | undefined },
  signal: AbortSignal,
) {
  await store.settled()
  if ((ids === undefined) === (query === undefined))
    throw new AppError('INVALID_INPUT', 'Give either delivery IDs or a query.')
  const hooks = new Map<string | null, HookToSend>()
  const add = (found: HookToSend) => {
    if (!hooks.has(found.hookId)) hooks.set(found.hookId, found)
  }
  let seqs: number[] = []
  for (const id of ids ?? []) {
    const { seq, hookId, ...delivery } = await store.read('get', id)
    seqs.push(seq)
    add({ id: delivery.id, hookId })
  }
  if (query !== undefined) {
    seqs = (await store.search.find(query, { signal })).toReversed()
    for (const page of chunks(seqs, PAGE)) {
      signal.throwIfAborted()
      for (const found of await store.read('hooksToSend', page)) add(found)
    }
  }
  return {
    /** The seq of each delivery, in the order to send; there may be a million. */
    seqs,
    /** A delivery of each hook among them. */
    hooks: [...hooks.values()],
  }
}
