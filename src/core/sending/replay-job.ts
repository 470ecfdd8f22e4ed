/**
 * The replay jobs of this process: started, followed, cancelled, or aborted when Countersign stops. A job sends its deliveries in
 * order, with limited concurrency and rate, and ends when nothing is pending, when it is cancelled (requests in progress finish), or
 * when Countersign stops (requests in progress are aborted, and are uncertain when the job is resumed).
 */
import { AppError } from '../../shared/contract/errors.ts'
import { editedParts, isForged } from '../../shared/model/replay-edits.ts'
import type { ReplayJob, SendOutcome } from '../../shared/model/send.ts'
import { createRuns, failureSentence, type ActiveRun } from '../base/async.ts'
import { isAlive } from '../base/processes.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import {
  type Admitted,
  createHookOf,
  obstacle,
  type SendingDeps,
  type SigningHook,
} from '../outgoing/admit.ts'
import { editedBody } from '../outgoing/outgoing-request.ts'
import {
  createPacer,
  createRecorder,
  isSendAcknowledged,
  notSent,
  sendSigned,
  settledSend,
} from '../outgoing/send.ts'
import {
  placesIn,
  seqsBetween,
  targetIn,
  unpackDeliveries,
  type DeliveryToSend,
  type JobCounts,
  type ReplayPlan,
  type StoredJob,
} from '../store/replays.ts'
import { isRight, type EndedSend, type SendIdentity } from '../store/sends.ts'
import type { Store } from '../store/store.ts'

interface JobToRun {
  readonly stored: StoredJob
  readonly plan: ReplayPlan
  /** Replaces the captured bodies; null keeps them. */
  readonly ownBody: Uint8Array | null
  readonly admitted: Admitted
}

interface RunningJob {
  readonly stored: StoredJob
  readonly counts: { -readonly [K in keyof JobCounts]: JobCounts[K] }
}

type Run = ActiveRun<RunningJob>
/** How a job ended; null if it can be resumed. */
type Ending = 'cancelled' | 'done' | null

/** How often to check a job that another process is ending, in milliseconds. */
const CHECK_MS = 100

/** Settles a cancelled job whose process is gone: pending requests are cancelled, those in progress become uncertain. */
function cancelledCounts(counts: JobCounts): JobCounts {
  const { waiting, underWay } = counts
  return {
    ...counts,
    waiting: 0,
    underWay: 0,
    cancelled: counts.cancelled + waiting,
    uncertain: counts.uncertain + underWay,
  }
}

export function createReplayJobs(deps: SendingDeps) {
  const { store, clock, log, ownSends, environments } = deps
  /** Why a job stopped before its end. */
  const problems = new Map<string, string>()

  const emitJob = (job: ReplayJob) => deps.hub.emit('replay.changed', { job })
  const runs = createRuns<RunningJob, Ending>({
    onProgress: ({ state: { stored, counts } }) => emitJob(describe(stored, counts)),
    onFailed(error, { id }) {
      problems.set(id, failureSentence(error, log, 'a replay'))
      return null
    },
    async onEnded({ state: { stored, counts } }, ending) {
      // Shows the running counts, because counting the rows takes longer the more there are.
      if (ending !== null) emitJob(describe({ ...stored, state: ending, isSettled: true }, counts))
      else if (!runs.closing.aborted) emitJob(await get(stored.id))
    },
  })

  const isRunning = (stored: StoredJob) =>
    runs.isRunning(stored.id) || isElsewhere(stored, clock.now())

  function describe(stored: StoredJob, counts: JobCounts): ReplayJob {
    const { id, createdAt, settings, state } = stored
    const { targetCa: _, edits, ...common } = settings
    const isActive =
      (state === 'running' || (state === 'cancelled' && !stored.isSettled)) && isRunning(stored)
    const isCutOff = state === 'cancelled' && !stored.isSettled && !isActive
    return {
      id,
      createdAt: new Date(createdAt).toISOString(),
      ...common,
      edited: editedParts(edits, stored.hasBody),
      state: isActive ? 'running' : state === 'running' ? 'interrupted' : state,
      problem: isActive ? null : (problems.get(id) ?? null),
      ...(isCutOff ? cancelledCounts(counts) : counts),
    }
  }

  const show = (stored: StoredJob) =>
    describe(stored, runs.get(stored.id)?.state.counts ?? stored.counts)

  async function get(jobId: string): Promise<ReplayJob> {
    return show(runs.get(jobId)?.state.stored ?? (await store.read('replayJob', jobId)))
  }

  /** Records at intervals that the job is alive, and cancels it if another process recorded a cancel. */
  async function stayAlive(run: Run, over: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(ALIVE_EVERY_MS, over)
      if (over.aborted) return
      try {
        if (await store.write('touchReplayJob', { id: run.id, at: clock.now() })) run.cancel()
      } catch (error) {
        log.warn("A replay couldn't record that it is still running.", {
          reason: (error as Error).message,
        })
      }
    }
  }

  async function sendAll(run: Run, { stored, plan, ownBody, admitted }: JobToRun): Promise<Ending> {
    const { counts } = run.state
    const { id, reached, settings } = stored
    const { tamper, edits, concurrency, rate, handlerId } = settings
    const { cancelled } = run
    const interrupted = runs.closing
    const prefixes = knownPrefixes(environments)
    const hookOf = createHookOf(deps, settings, admitted)
    const common = {
      jobId: id,
      kind: 'replay',
      handlerId,
      tamper,
      variant: plan.variant,
      forged: isForged({ tamper, edited: editedParts(edits, ownBody !== null) }),
    } as const
    let certificateProblem: string | null = null
    const sender = admitted.createSender({
      // A single request gets its own connection, so it can't meet one that the endpoint has just closed.
      keepAlive: counts.waiting > 1,
      // A kept connection is free one turn of the event loop after its response. Otherwise another one would be opened.
      connections: concurrency,
      onCertificate: (problem) => {
        certificateProblem = problem
      },
    })
    // If one worker can't continue (the disk is full), the others start no further requests either.
    const failed = new AbortController()
    const stop = AbortSignal.any([cancelled, interrupted, failed.signal])
    let isStopping = stop.aborted
    const noteStop = () => void (isStopping = true)
    stop.addEventListener('abort', noteStop)
    // All requests are aborted at once, because a listener for each would cost as much as signing it.
    const cutOff = () => void sender.close()
    interrupted.addEventListener('abort', cutOff, { once: true })
    const turn = createPacer(clock, rate, stop)
    const sends = plannedSends(store, plan, reached)
    let isQuick = false
    const recorder = createRecorder(store, {
      id,
      reached,
      // With a concurrency of one, only one request is uncertain after a crash.
      ahead: () => (isQuick && rate === null && concurrency > 1 ? AHEAD * concurrency : 0),
    })

    function ended(send: EndedSend, outcome: SendOutcome | null): void {
      const isMade = send.state === 'settled'
      counts[isMade ? 'underWay' : 'waiting']--
      const right = isRight(send)
      counts[!isMade ? 'notSent' : right === null ? 'recorded' : right ? 'passed' : 'failed']++
      if (outcome === 'fixed' || outcome === 'regressed') counts[outcome]++
      run.progress()
    }

    /** The end of the job waits for this, requests don't. Records are written in the order of completion. */
    let lastEnding: Promise<void> = Promise.resolve()
    const end = (send: EndedSend) => {
      lastEnding = recorder.end(send).then((outcome) => ended(send, outcome))
      lastEnding.catch((error: unknown) => failed.abort(error))
    }

    /** What a delivery is signed with and its body, or why it can't be sent. */
    async function readied({ delivery, body: captured }: PlannedSend) {
      try {
        const hook: SigningHook | null = delivery === null ? null : await hookOf(delivery)
        const problem = obstacle(delivery, {
          hook,
          tamper,
          edits,
          prefixes,
          hasOwnBody: ownBody !== null,
        })
        return problem ?? { hook, body: editedBody(ownBody ?? captured, edits) }
      } catch (error) {
        if (error instanceof AppError) return error.message
        throw error
      }
    }

    async function sendOne(next: PlannedSend): Promise<void> {
      const { seq, place, delivery } = next
      const target = targetIn(plan, delivery?.hookId ?? null)
      const identity: SendIdentity = {
        ...common,
        position: place,
        deliverySeq: seq,
        target: target ?? '',
      }
      const ready = await readied(next)
      if (delivery === null || target === null || typeof ready === 'string') {
        end(notSent(identity, typeof ready === 'string' ? ready : NO_TARGET))
        return
      }
      await recorder.before(place)
      if (isStopping) return
      recorder.started(place)
      counts.waiting--
      counts.underWay++
      const startedAt = clock.now()
      const { hook } = ready
      const { result, request, wasReturned } = await sendSigned(
        ownSends,
        sender,
        { delivery, ...ready, tamper, edits, prefixes, wallTime: startedAt },
        { url: target },
      )
      isQuick = result.ms < QUICK_MS
      // Aborted because Countersign stops: whether it arrived is unknown, so it stays in progress.
      if (interrupted.aborted) return
      end(
        settledSend(identity, result, {
          startedAt,
          registeredUrl: edits.signature === 'recompute' ? (hook?.url ?? null) : null,
          passed: wasReturned ? null : isSendAcknowledged(result, hook?.ack ?? '200'),
          certificateProblem,
          request,
        }),
      )
    }

    async function work(): Promise<void> {
      while (!isStopping) {
        const { value: next } = await sends.next()
        if (next == null) return
        await turn()
        if (!isStopping) await sendOne(next)
      }
    }

    try {
      await Promise.all(
        Array.from({ length: concurrency }, () =>
          work().catch((error: unknown) => failed.abort(error)),
        ),
      )
      interrupted.removeEventListener('abort', cutOff)
      // A signal made of others lives as long as they do while it has a listener, and the job with its connections with it.
      stop.removeEventListener('abort', noteStop)
      await Promise.allSettled([lastEnding])
      if (isStopping) await recorder.close()
    } finally {
      await sender.close()
    }
    if (failed.signal.aborted) throw failed.signal.reason
    if (interrupted.aborted) return null
    const state = cancelled.aborted && counts.waiting > 0 ? 'cancelled' : 'done'
    // Deliveries that were removed after an interruption are still counted as in progress.
    counts.cancelled += counts.waiting + counts.underWay
    counts.waiting = 0
    counts.underWay = 0
    await store.write('endReplayJob', { id, state, counts })
    return state
  }

  async function settle(jobId: string): Promise<void> {
    for (;;) {
      const stored = await store.read('replayState', jobId)
      if (stored.state !== 'cancelled' || stored.isSettled || runs.isRunning(jobId)) return
      if (!isElsewhere(stored, clock.now())) break
      await clock.sleep(CHECK_MS, runs.closing)
      if (runs.closing.aborted) return
    }
    // Its process is gone, so the results of requests in progress will never be known.
    const counts = cancelledCounts((await store.read('replayJob', jobId)).counts)
    const places = await store.read('replayUnderWay', jobId)
    const revival = { id: jobId, owner: process.pid, at: clock.now(), places }
    await store.write('reviveReplayJob', revival)
    await store.write('endReplayJob', { id: jobId, state: 'cancelled', counts })
  }

  return {
    /** Starts or resumes a job. */
    run(job: JobToRun): ReplayJob {
      const { stored } = job
      problems.delete(stored.id)
      const state: RunningJob = { stored, counts: { ...stored.counts } }
      runs.start(stored.id, state, async (run) => {
        const over = new AbortController()
        void stayAlive(run, over.signal)
        try {
          return await sendAll(run, job)
        } finally {
          over.abort()
        }
      })
      return describe(stored, state.counts)
    },
    /** Whether a job is running, here or in another process, and so isn't interrupted. */
    isRunning,
    get,
    /** A stored job with its current state. */
    show,
    /** Discards pending requests, whichever process runs the job. Requests in progress finish. */
    async cancel(jobId: string): Promise<ReplayJob> {
      const ended = runs.cancel(jobId)
      // Recorded before requests in progress finish, so that a crash doesn't make the job resumable.
      await Promise.all([store.write('cancelReplayJob', jobId), ended])
      await settle(jobId)
      return get(jobId)
    },
    /** Resolves once a cancelled job has stopped sending and its counts are final; immediately for any other job. */
    settle,
    /** Aborts running requests. Interrupted jobs can be resumed. */
    close: runs.close,
  }
}

// A job belongs to the process that works on it: Countersign, or a command while Countersign isn't running.

/** How often a job's process records that it is alive and checks for a cancel by another process, in milliseconds. */
const ALIVE_EVERY_MS = 500
/** Without that record for this long, the process is gone, and another one may have its ID by then. */
const ALIVE_FOR_MS = 10_000

/** Whether another process works on a job, which then isn't interrupted. `now` in milliseconds since the epoch. */
function isElsewhere(
  { owner, aliveAt }: Pick<StoredJob, 'owner' | 'aliveAt'>,
  now: number,
): boolean {
  return owner !== process.pid && now - aliveAt < ALIVE_FOR_MS && isAlive(owner)
}

interface PlannedSend extends DeliveryToSend {
  readonly seq: number
  readonly place: number
}

/** How many deliveries are read at once. */
const PAGE = 100

/** The requests of a plan after those that it reached. Deliveries are read in pages, the next page during the current one. */
async function* plannedSends(
  { read }: Pick<Store, 'read'>,
  plan: ReplayPlan,
  reached: number,
): AsyncGenerator<PlannedSend, null> {
  async function pageAfter(after: number): Promise<PlannedSend[]> {
    if (after >= placesIn(plan)) return []
    const seqs = seqsBetween(plan, after, after + PAGE)
    const found = unpackDeliveries(await read('deliveriesToSend', seqs))
    return found.map((delivery, index) => ({
      ...delivery,
      seq: seqs[index]!,
      place: after + 1 + index,
    }))
  }

  let coming = pageAfter(reached)
  for (let after = reached; ;) {
    const page = await coming
    if (page.length === 0) return null
    after += page.length
    coming = pageAfter(after)
    // The error surfaces when the page is requested, not before.
    coming.catch(() => undefined)
    yield* page
  }
}

/** Endpoints that respond faster than this would wait for commits; slower ones gain nothing. */
const QUICK_MS = 50
/** How many requests to record ahead, as a multiple of the concurrency. */
const AHEAD = 5

const NO_TARGET = 'The delivery matches no hook, so it has no target. Replay it with --to URL.'
