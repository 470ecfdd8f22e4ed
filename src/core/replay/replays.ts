/**
 * Replays: stored deliveries sent again to an endpoint, one or thousands, as a job that tells how far it is, can be cancelled, and
 * can be resumed after a crash. Everything that could be refused is refused before the first request goes.
 */
import { AppError } from '../../shared/contract/errors.ts'
import { editedParts } from '../../shared/model/replay-edits.ts'
import type { ListedSend, ReplayJob, ReplaySettings, Send, SendAnswer } from '../../shared/model/send.ts'
import type { Query } from '../../shared/query/query.ts'
import type { Clock, Ids, Log } from '../deps.ts'
import { checkTargetCa, type Guard } from '../dispatch/guarded-sender.ts'
import { checkTarget, readTarget, type TargetPolicy } from '../dispatch/target-policy.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { isProcess } from '../processes.ts'
import type { JobCounts, StoredJob } from '../store/replay-jobs-repo.ts'
import type { SendsOfJob } from '../store/sends-repo.ts'
import type { Store } from '../store/store.ts'
import { unpackSends } from '../store/waiting-sends.ts'
import { checkCount, confirmLiveOnes } from './consent.ts'
import { checkEdits } from './edited-headers.ts'
import { createLastTargets, type TargetsByHook } from './last-targets.ts'
import type { OwnSends } from './own-sends.ts'
import { createRecorder } from './recorder.ts'
import { createReplayRequests, variantOf, type ReplayRequest, type RequestPreview } from './replay-requests.ts'
import { runJob } from './run-job.ts'
import { selectDeliveries } from './select-deliveries.ts'
import { createHookOf, knownPrefixes } from './signing-hooks.ts'

export interface ReplaysDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'search' | 'settled'>
  readonly hooks: Pick<Hooks, 'get' | 'reveal'>
  readonly environments: Pick<Environments, 'get' | 'all'>
  readonly ownSends: OwnSends
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly guard: Guard
  /** Hears how far a job is, at most ten times a second, and of its end. */
  onChanged(job: ReplayJob): void
}

export interface StartReplay extends ReplaySettings, ReplayRequest {
  readonly ids: readonly string[] | undefined
  /** `query`, read. */
  readonly found: Query | undefined
  /** More sends than so many are refused; null: as many as there are. */
  readonly most: number | null
  readonly allowHosts: readonly string[]
  /** Confirms what is of a live environment. */
  readonly live: boolean
}

export interface Replays {
  /**
   * Resolves once the job is written down and goes. Rejects, with nothing sent, with `INVALID_INPUT`, `NOT_FOUND`,
   * `TARGET_NOT_ALLOWED`, `CONFIRMATION_REQUIRED` or `SECRET_UNREADABLE`.
   */
  start(input: StartReplay, signal: AbortSignal): Promise<ReplayJob>
  /** Goes on with a job that the program's end has interrupted; one that has ended, or goes, is given as it is. */
  resume(input: { readonly jobId: string; readonly allowHosts: readonly string[]; readonly live: boolean }): Promise<ReplayJob>
  /** What waits will not go; what is under way is let end. */
  cancel(jobId: string): Promise<ReplayJob>
  get(jobId: string): Promise<ReplayJob>
  /** Newest first. */
  list(limit: number): Promise<ReplayJob[]>
  sends(input: SendsOfJob): Promise<ListedSend[]>
  sendsOf(input: { readonly deliveryId: string; readonly limit: number }): Promise<Send[]>
  send(id: string): Promise<SendAnswer>
  /** What would go at this moment; nothing does. Rejects with `INVALID_INPUT` where it cannot. */
  preview(id: string, request: ReplayRequest): Promise<RequestPreview>
  targets(): Promise<{ readonly byHook: TargetsByHook; readonly recent: readonly string[] }>
  /** Cuts off what is under way; interrupted jobs can be resumed. */
  close(): Promise<void>
}

interface RunningJob {
  readonly stored: StoredJob
  readonly counts: { -readonly [K in keyof JobCounts]: JobCounts[K] }
  readonly cancelled: AbortController
  readonly over: AbortController
  ended: Promise<void>
}

const PAGE = 256
const TELL_MS = 100
/** What has ended is written after this at the latest, in milliseconds. */
const ENDINGS_WAIT_MS = 10
/** Targets are taken from so many jobs. */
const RECENT_JOBS = 200
/** How often the process of a job says that it is alive, and after how long it no longer is, in milliseconds. */
const ALIVE_EVERY_MS = 2_000
const ALIVE_FOR_MS = 10_000

export function createReplays(deps: ReplaysDeps): Replays {
  const { store, hooks, environments, clock, log } = deps
  const running = new Map<string, RunningJob>()
  /** Why a job stopped that is neither running nor at its end. */
  const problems = new Map<string, string>()
  const interrupted = new AbortController()
  const recorder = createRecorder(store, ENDINGS_WAIT_MS)
  const lastTargets = createLastTargets(store)
  const requests = createReplayRequests(deps)

  /** A command beside no instance works on a job of its own: it must not be taken for interrupted meanwhile. */
  const isElsewhere = ({ owner, aliveAt }: StoredJob) =>
    owner !== process.pid && clock.now() - aliveAt < ALIVE_FOR_MS && isProcess(owner)

  function show(stored: StoredJob, counts: JobCounts): ReplayJob {
    const { id, createdAt, settings, state } = stored
    const { targetCa: _, edits, ...common } = settings
    const isRunning = state === 'running' && (running.has(id) || isElsewhere(stored))
    return {
      id,
      createdAt: new Date(createdAt).toISOString(),
      ...common,
      edited: editedParts(edits, stored.hasBody),
      state: state === 'running' && !isRunning ? 'interrupted' : state,
      problem: isRunning ? null : (problems.get(id) ?? null),
      ...counts,
    }
  }

  /** The environment of the hook that signs in place of each delivery's own, where it is a live one. */
  function liveOfHook(hookId: string | null): string[] {
    const chosen = hookId === null ? [] : [environments.get(hooks.get(hookId).environment)]
    return chosen.filter(({ mode }) => mode === 'live').map(({ name }) => name)
  }

  function run(stored: StoredJob, ownBody: Uint8Array | null, policy: TargetPolicy): ReplayJob {
    const { id, settings } = stored
    const counts = { ...stored.counts }
    const job: RunningJob = {
      stored,
      counts,
      cancelled: new AbortController(),
      over: new AbortController(),
      ended: Promise.resolve(),
    }
    let certificateProblem: string | null = null
    const { targetCa } = settings
    const sender = deps.guard.createSender({
      policy,
      targetCa,
      // One alone has its own connection: no kept one that the endpoint has just closed.
      keepAlive: counts.waiting > 1,
      // A kept one is free a turn of the loop after its answer: meanwhile another would be opened beside it.
      connections: settings.concurrency,
      onCertificate: (problem) => {
        certificateProblem = problem
      },
    })
    const stayAlive = async () => {
      for (;;) {
        await clock.sleep(ALIVE_EVERY_MS, job.over.signal)
        if (job.over.signal.aborted) return
        await store.write('touchReplayJob', { id, at: clock.now() })
      }
    }
    let toldAt = Number.NEGATIVE_INFINITY
    const tell = () => {
      const now = clock.monotonic()
      if (now - toldAt < TELL_MS) return
      toldAt = now
      deps.onChanged(show(stored, counts))
    }
    problems.delete(id)
    running.set(id, job)
    stayAlive().catch((error: unknown) =>
      log.warn('A replay could not note that it goes on.', { reason: (error as Error).message }),
    )
    const work = runJob(
      {
        clock,
        sender,
        recorder,
        ownSends: deps.ownSends,
        prefixes: knownPrefixes(environments),
        ownBody,
        nextPage: async (after) => unpackSends(await store.read('waitingSends', { jobId: id, after, limit: PAGE })),
        job: stored,
        hookOf: createHookOf({ hooks, environments }, settings),
        certificateProblem: () => certificateProblem,
        onBegun: () => {
          counts.waiting--
          counts.underWay++
        },
        onEnded: ({ state, passed }, outcome) => {
          if (state === 'settled') counts.underWay--
          else counts.waiting--
          counts[state === 'not-sent' ? 'notSent' : passed ? 'passed' : 'failed']++
          if (outcome === 'fixed' || outcome === 'regressed') counts[outcome]++
          tell()
        },
      },
      settings,
      { cancelled: job.cancelled.signal, interrupted: interrupted.signal },
    )
    let end: 'cancelled' | 'done' | null = null
    job.ended = work
      .then(
        async () => {
          if (interrupted.signal.aborted) return
          const state = job.cancelled.signal.aborted && counts.waiting > 0 ? 'cancelled' : 'done'
          await store.write('endReplayJob', { id, state, beyond: 0 })
          counts.cancelled += counts.waiting
          counts.waiting = 0
          end = state
        },
        (error: unknown) => {
          const known =
            error instanceof AppError ? error.message : `It stopped for a bug (reference ${log.bug(error, 'a replay')}).`
          problems.set(id, known)
        },
      )
      .catch((error: unknown) => {
        problems.set(id, (error as Error).message)
      })
      .then(async () => {
        job.over.abort()
        await sender.close()
        running.delete(id)
        // Told by what was counted: to count the rows anew takes longer, the more there are.
        if (end !== null) deps.onChanged(show({ ...stored, state: end }, counts))
        else if (!interrupted.signal.aborted) deps.onChanged(await get(id))
      })
    return show(stored, counts)
  }

  async function get(jobId: string): Promise<ReplayJob> {
    const live = running.get(jobId)
    if (live !== undefined) return show(live.stored, live.counts)
    const stored = await store.read('replayJob', jobId)
    return show(stored, stored.counts)
  }

  async function start(input: StartReplay, signal: AbortSignal): Promise<ReplayJob> {
    const { ids, found, body, most, allowHosts, live, ...settings } = input
    const policy = deps.guard.policyFor(allowHosts)
    checkTargetCa(settings.targetCa)
    checkEdits(settings.edits, settings.tamper)
    if (settings.to !== null) await checkTarget(readTarget(settings.to), policy)
    const rows = await selectDeliveries(store, { ids, query: found }, signal)
    const liveOnes = rows.filter(({ mode }) => mode === 'live').map(({ environment }) => environment)
    const liveOne = liveOfHook(settings.hookId)
    checkCount(rows.length * settings.repeat, most)
    confirmLiveOnes([...liveOnes, ...liveOne], live)
    const targets = requests.targetsOf(rows, settings)
    for (const target of new Set(targets)) await checkTarget(new URL(target), policy)
    signal.throwIfAborted()
    const id = deps.ids.next()
    const places = rows.map(({ seq }, index) => [index + 1, seq] as const)
    const sends = [...Map.groupBy(places, ([place]) => targets[place - 1] ?? '')].map(([target, deliveries]) => ({
      target,
      deliveries: JSON.stringify(Object.fromEntries(deliveries)),
    }))
    const variant = variantOf(settings.edits, body)
    const stored = await store.write('insertReplayJob', {
      id,
      createdAt: clock.now(),
      owner: process.pid,
      settings,
      body,
      variant,
      sends,
      places: places.length,
    })
    await lastTargets.remember(new Set(rows.map(({ hookId }) => hookId)), settings.to)
    return run(stored, body, policy)
  }

  return {
    start,
    async resume({ jobId, allowHosts, live }) {
      const policy = deps.guard.policyFor(allowHosts)
      const job = await store.read('replayJob', jobId)
      const liveOnes = await store.read('replayEnvironments', { jobId, mode: 'live' })
      confirmLiveOnes([...liveOnes, ...liveOfHook(job.settings.hookId)], live)
      if (job.state !== 'running' || running.has(jobId) || isElsewhere(job)) return get(jobId)
      if (job.settings.to !== null) await checkTarget(new URL(job.settings.to), policy)
      await store.write('reviveReplayJob', { id: jobId, owner: process.pid, at: clock.now() })
      const revived = await store.read('replayJob', jobId)
      const body = revived.hasBody ? await store.read('replayBody', jobId) : null
      return running.has(jobId) ? get(jobId) : run(revived, body, policy)
    },
    async cancel(jobId) {
      const job = running.get(jobId)
      job?.cancelled.abort()
      await job?.ended
      const stored = await store.read('replayJob', jobId)
      // One that was interrupted is not gone on with any more.
      if (stored.state === 'running' && !running.has(jobId))
        await store.write('endReplayJob', { id: jobId, state: 'cancelled', beyond: stored.reached })
      return get(jobId)
    },
    get,
    list: async (limit) =>
      (await store.read('replayJobs', limit)).map((job) => show(job, running.get(job.id)?.counts ?? job.counts)),
    sends: (input) => store.read('sendsOfJob', input),
    async sendsOf({ deliveryId, limit }) {
      const { seq } = await store.read('get', deliveryId)
      return store.read('sendsOfDelivery', { deliverySeq: seq, limit })
    },
    async send(id) {
      const stored = await store.read('send', id)
      const { sent: _, hasOwnBody: _has, deliverySeq: _seq, ...send } = stored
      return { ...send, request: await requests.sentOf(stored) }
    },
    preview: requests.preview,
    targets: async () => ({ byHook: await lastTargets.read(), recent: await store.read('replayTargets', RECENT_JOBS) }),
    async close() {
      interrupted.abort()
      await Promise.all([...running.values()].map(({ ended }) => ended))
    },
  }
}
