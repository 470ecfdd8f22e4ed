/**
 * Replays: sends stored deliveries again, one or thousands, as a job that shows progress and can be cancelled, or resumed after a
 * crash. All objections are raised before the first request is sent.
 */
import { z } from 'zod'
import { withScheme } from '../../shared/http.ts'
import type {
  ListedSend,
  ReplayJob,
  ReplaySettings,
  Send,
  SendAnswer,
} from '../../shared/model/send.ts'
import type { Query } from '../../shared/query/query.ts'
import { createMutex } from '../base/async.ts'
import type { Ids } from '../base/deps.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import {
  confirmCount,
  REPLAYING,
  type Admission,
  type Consent,
  type Signers,
  signersOf,
} from '../outgoing/admit.ts'
import { readJsonSetting } from '../store/settings.ts'
import type { ReplayPlan, SendsOfJob } from '../store/sends.ts'
import type { Store } from '../store/store.ts'
import type { Statistics } from '../../shared/model/statistics.ts'
import { checkEdits } from '../outgoing/outgoing-request.ts'
import {
  createReplayRequests,
  variantOf,
  type ReplayRequest,
  selectDeliveries,
} from './replay-requests.ts'
import { createReplayJobs, type ReplayJobsDeps } from './replay-job.ts'

/** By hook; null for its registered URL. Deliveries without a hook use the empty name. */
type TargetsByHook = Readonly<Record<string, string | null>>

interface ReplaysDeps extends ReplayJobsDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'search' | 'settled'>
  readonly ids: Ids
  readonly admit: Admission['admit']
  readonly liveEnvironments: Admission['liveEnvironments']
  /** The name of a saved handler; null if it was deleted. */
  handlerName(id: string): string | null
}

interface StartReplay extends ReplaySettings, ReplayRequest {
  readonly ids: readonly string[] | undefined
  /** `query`, parsed. */
  readonly found: Query | undefined
  /** Maximum number of requests; null for any. */
  readonly most: number | null
  readonly consent: Consent
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
  const { store, hooks, environments, clock, admit } = deps
  const jobs = createReplayJobs(deps)
  const lastTargets = createLastTargets(store)
  const requests = createReplayRequests(deps)
  const closed = new AbortController()
  let sweeping: Promise<void> = Promise.resolve()

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
    const targets = requests.targetsOf(selected.hooks, settings)
    const signers = await signersOf(deps.handlerSigner, settings, () => hookIds)
    early?.confirmSigner(signers)
    const admitted = early ?? (await admitWith(Object.values(targets), signers))
    signal.throwIfAborted()
    const plan: ReplayPlan = {
      targets,
      variant: variantOf(settings, body),
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
      const signers = await signersOf(deps.handlerSigner, job.settings, () =>
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
    sends: (input: SendsOfJob): Promise<ListedSend[]> => store.read('sendsOfJob', input),
    /** Statistics of a job's sends. */
    statistics: (jobId: string): Promise<Statistics> => store.read('replayStatistics', jobId),
    async sendsOf({
      deliveryId,
      limit,
    }: {
      readonly deliveryId: string
      readonly limit: number
    }): Promise<Send[]> {
      const { seq } = await store.read('get', deliveryId)
      return store.read('sendsOfDelivery', { deliverySeq: seq, limit })
    },
    async send(id: string): Promise<SendAnswer> {
      const stored = await store.read('send', id)
      const { sent: _, hasOwnBody: _has, deliverySeq: _seq, ...send } = stored
      return { ...send, request: await requests.sentOf(stored) }
    },
    /** The request as it would be sent now. Rejects with `INVALID_INPUT` if it can't be sent. */
    preview: requests.preview,
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
