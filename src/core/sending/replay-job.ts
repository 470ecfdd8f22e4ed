/** The replay jobs of this process: started, followed, cancelled, or aborted when Countersign stops. */
import { editedParts, isForged } from '../../shared/model/replay-edits.ts'
import type { ReplayJob, ReplaySettings } from '../../shared/model/send.ts'
import { createRuns, failureSentence, type ActiveRun } from '../base/runs.ts'
import type { Clock, Log } from '../base/deps.ts'
import { type Environments, knownPrefixes } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import {
  type Admitted,
  createHookOf,
  type FindHandlerSigner,
  obstacle,
  type SigningHook,
} from '../outgoing/admit.ts'
import type { JobCounts, StoredJob, NewJob, RunOfSends } from '../store/replay-jobs-repo.ts'
import {
  SENDS_AT_ONCE,
  unpackSends,
  type SendableDelivery,
  type WaitingSend,
} from '../store/waiting-sends.ts'
import { isRight, type EndedSend } from '../store/sends-batch.ts'
import type { Store } from '../store/store.ts'
import type { OwnSends } from '../outgoing/own-sends.ts'
import { createRecorder, notSent, type Recorder } from '../outgoing/recorder.ts'
import type { SelectedDeliveries } from './replay-requests.ts'
import { isAlive } from '../base/processes.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { createPacer, isSendAcknowledged, type Sender } from '../outgoing/send.ts'
import { outgoingRequest, editedBody } from '../outgoing/outgoing-request.ts'

export interface RunningJobsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly hooks: Pick<Hooks, 'get' | 'reveal'>
  readonly environments: Pick<Environments, 'get' | 'all'>
  readonly handlerSigner: FindHandlerSigner
  readonly ownSends: OwnSends
  readonly clock: Clock
  readonly log: Log
  /** Called with a job's progress, at most ten times per second, and at its end. */
  onChanged(job: ReplayJob): void
}

interface RunningJob {
  readonly stored: StoredJob
  readonly counts: { -readonly [K in keyof JobCounts]: JobCounts[K] }
}

type Run = ActiveRun<RunningJob>
/** How a job ended; null if it can be resumed. */
type Ending = 'cancelled' | 'done' | null

const PAGE = 256
/** Finished requests are recorded within this time, in milliseconds. */
const ENDINGS_WAIT_MS = 10
/** How often to check a job that another process is ending, in milliseconds. */
const LOOK_MS = 100

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

export function createRunningJobs(deps: RunningJobsDeps) {
  const { store, environments, clock, log } = deps
  /** Why a job stopped before its end. */
  const problems = new Map<string, string>()
  const recorder = createRecorder(store, ENDINGS_WAIT_MS)

  const runs = createRuns<RunningJob, Ending>({
    onProgress: ({ state: { stored, counts } }) => deps.onChanged(describe(stored, counts)),
    onFailed(error, { id }) {
      problems.set(id, failureSentence(error, log, 'a replay'))
      return null
    },
    async onEnded({ state: { stored, counts } }, ending) {
      // Shows the running counts, because counting the rows takes longer the more there are.
      if (ending !== null)
        deps.onChanged(describe({ ...stored, state: ending, isSettled: true }, counts))
      else if (!runs.closing.aborted) deps.onChanged(await get(stored.id))
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

  /** Cancels a job's pending requests. */
  async function cancelRest(id: string): Promise<void> {
    for (let after: number | null = 0; after !== null;)
      after = await store.write('cancelReplaySends', { jobId: id, after, most: SENDS_AT_ONCE })
  }

  /** Sends everything pending. */
  async function sendAll(
    run: Run,
    ownBody: Uint8Array | null,
    admitted: Admitted,
  ): Promise<Ending> {
    const { stored, counts } = run.state
    const { id, settings } = stored
    let certificateProblem: string | null = null
    const sender = admitted.createSender({
      // A single request gets its own connection, so it can't meet one that the endpoint has just closed.
      keepAlive: counts.waiting > 1,
      // A kept connection is free one turn of the event loop after its response. Otherwise another one would be opened.
      connections: settings.concurrency,
      onCertificate: (problem) => {
        certificateProblem = problem
      },
    })
    try {
      await runJob(
        {
          clock,
          sender,
          recorder,
          ownSends: deps.ownSends,
          prefixes: knownPrefixes(environments),
          ownBody,
          nextPage: async (after) =>
            unpackSends(await store.read('waitingSends', { jobId: id, after, limit: PAGE })),
          job: stored,
          hookOf: createHookOf(deps, settings, admitted),
          certificateProblem: () => certificateProblem,
          onBegun: () => {
            counts.waiting--
            counts.underWay++
          },
          onEnded: (send, outcome) => {
            const { state } = send
            const right = isRight(send)
            if (state === 'settled') counts.underWay--
            else counts.waiting--
            counts[
              state === 'not-sent'
                ? 'notSent'
                : right === null
                  ? 'recorded'
                  : right
                    ? 'passed'
                    : 'failed'
            ]++
            if (outcome === 'fixed' || outcome === 'regressed') counts[outcome]++
            run.progress()
          },
        },
        settings,
        { cancelled: run.cancelled, interrupted: runs.closing },
      )
      if (runs.closing.aborted) return null
      const state = run.cancelled.aborted && counts.waiting > 0 ? 'cancelled' : 'done'
      if (state === 'cancelled') await cancelRest(id)
      counts.cancelled += counts.waiting
      counts.waiting = 0
      await store.write('endReplayJob', { id, state, counts })
      return state
    } finally {
      await sender.close()
    }
  }

  async function settle(jobId: string): Promise<void> {
    for (;;) {
      const stored = await store.read('replayState', jobId)
      if (stored.state !== 'cancelled' || stored.isSettled || runs.isRunning(jobId)) return
      if (!isElsewhere(stored, clock.now())) break
      await clock.sleep(LOOK_MS, runs.closing)
      if (runs.closing.aborted) return
    }
    // Its process is gone, so the results of requests in progress will never be known.
    const underWay = await store.read('replayUnderWay', jobId)
    await store.write('doubtReplaySends', underWay)
    await cancelRest(jobId)
    const { counts } = await store.read('replayJob', jobId)
    // Uncertain requests are counted separately because they are sent again; these are not.
    const total = counts.total + underWay.length
    await store.write('endReplayJob', {
      id: jobId,
      state: 'cancelled',
      counts: { ...counts, total },
    })
  }

  return {
    /** Starts or resumes a job. `ownBody` replaces the captured bodies; null keeps them. */
    run(stored: StoredJob, ownBody: Uint8Array | null, admitted: Admitted): ReplayJob {
      problems.delete(stored.id)
      const job: RunningJob = { stored, counts: { ...stored.counts } }
      runs.start(stored.id, job, async (run) => {
        const over = new AbortController()
        void stayAlive(run, over.signal)
        try {
          return await sendAll(run, ownBody, admitted)
        } finally {
          over.abort()
        }
      })
      return describe(stored, job.counts)
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

// Writes a job and its requests before the first one is sent. There may be a million, so they are written in pieces, and
// incoming deliveries are stored in between. A job that isn't completely written doesn't count and is removed.

interface NewJobsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Clock
  readonly log: Log
}

export interface JobToWrite extends Pick<NewJob, 'id' | 'body' | 'variant'> {
  readonly settings: ReplaySettings
  readonly selected: SelectedDeliveries
  /** By index into the selected kinds. */
  readonly targets: readonly string[]
  /** Called after each piece with the number written and the total. */
  onWritten(written: number, total: number): void
}

/** The requests from one position, from 0, up to another. */
function runsOf(
  { seqs, kindOf }: SelectedDeliveries,
  targets: readonly string[],
  from: number,
  to: number,
): RunOfSends[] {
  const runs: { target: string; from: number; seqs: number[] }[] = []
  for (let place = from; place < to; place++) {
    const index = place % seqs.length
    const target = targets[kindOf[index] ?? 0] ?? ''
    let run = runs.at(-1)
    if (run?.target !== target) runs.push((run = { target, from: place + 1, seqs: [] }))
    run.seqs.push(seqs[index]!)
  }
  return runs
}

export function createNewJobs({ store, clock, log }: NewJobsDeps) {
  const writing = new Set<string>()

  async function drop(id: string, signal?: AbortSignal): Promise<void> {
    let isLeft = true
    while (isLeft && signal?.aborted !== true)
      isLeft = await store.write('dropReplayJob', { id, most: SENDS_AT_ONCE })
  }

  /** Round by round, each in the order of the selection. Resolves with the number of requests. */
  async function addAll(job: JobToWrite, signal: AbortSignal): Promise<number> {
    const { id: jobId, variant, settings, targets, selected } = job
    const places = selected.seqs.length * settings.repeat
    let total = 0
    for (let from = 0; from < places; from += SENDS_AT_ONCE) {
      signal.throwIfAborted()
      const to = Math.min(from + SENDS_AT_ONCE, places)
      const runs = runsOf(selected, targets, from, to)
      total += await store.write('addReplaySends', {
        jobId,
        at: clock.now(),
        tamper: settings.tamper,
        variant,
        runs,
      })
      job.onWritten(to, places)
    }
    // A start cancelled during the last piece doesn't begin either.
    signal.throwIfAborted()
    return total
  }

  return {
    /** Resolves once the job is completely written and can start. */
    async write(job: JobToWrite, signal: AbortSignal): Promise<StoredJob> {
      const { id, settings, body, variant } = job
      writing.add(id)
      try {
        await store.write('insertReplayJob', {
          id,
          createdAt: clock.now(),
          owner: process.pid,
          settings,
          body,
          variant,
        })
        const total = await addAll(job, signal)
        return await store.write('readyReplayJob', { id, at: clock.now(), total })
      } catch (error) {
        await drop(id).catch((reason: unknown) =>
          log.warn(
            "Couldn't remove a replay that didn't start. Countersign retries at the next start.",
            {
              reason: (reason as Error).message,
            },
          ),
        )
        throw error
      } finally {
        writing.delete(id)
      }
    },
    /** Removes jobs that earlier processes left half-written. */
    async sweep(signal: AbortSignal) {
      for (const job of await store.read('preparingReplays', null))
        if (!writing.has(job.id) && !isElsewhere(job, clock.now())) await drop(job.id, signal)
    },
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

// Sends a job's pending requests with limited concurrency and rate, recording each before and after. Ends when nothing is pending,
// when the job is cancelled (requests in progress finish), or when Countersign stops (requests in progress are aborted, and are
// uncertain when the job is resumed).

// Records how far a job may have come before its requests are sent, and slightly ahead so that none waits for a commit. After a
// crash, unfinished requests up to that point are uncertain. Requests are sent in order.

interface ReachDeps {
  /** How far the job may already have come. */
  readonly from: number
  /** Resolves once it is recorded that the job may have come this far. */
  write(place: number): Promise<void>
  /** How many requests to record ahead right now. */
  ahead(): number
}

export function createReach({ from, write, ahead }: ReachDeps) {
  let written = from
  let asked = from
  /** The last place whose send has started. */
  let last = from
  let writing: Promise<void> | null = null

  function writeTo(place: number): Promise<void> {
    asked = place
    writing = write(place).then(
      () => {
        written = Math.max(written, place)
      },
      (error: unknown) => {
        asked = written
        throw error
      },
    )
    // The requests waiting for a failed write get its error.
    writing.catch(() => undefined)
    return writing
  }

  return {
    /** Resolves once the request at this position may be sent; null if it may be sent right away. */
    before(place: number): Promise<void> | null {
      const left = asked - place
      // A write covers everything requested before it.
      const covering = left < 0 || left < ahead() / 4 ? writeTo(place + ahead()) : writing
      return place <= written ? null : covering
    },
    /** The send at a place starts now. */
    started(place: number) {
      last = Math.max(last, place)
    },
    /** Resets the requests that weren't sent to pending. */
    async close() {
      // If this can't be recorded, these requests are uncertain when the job is resumed.
      if (asked > last) await writeTo(last).catch(() => undefined)
    },
  }
}

/** The next pending requests after a position, in order. */
type NextPage = (after: number) => Promise<readonly WaitingSend[]>

interface RunJobDeps {
  readonly clock: Clock
  readonly sender: Sender
  readonly recorder: Recorder
  readonly ownSends: OwnSends
  /** Prefixes that captured signature and timestamp headers may have. */
  readonly prefixes: readonly string[]
  /** Replaces the captured bodies; null keeps them. */
  readonly ownBody: Uint8Array | null
  readonly nextPage: NextPage
  /** What a delivery is signed with; null if it has no hook. Rejects with `SECRET_UNREADABLE`. */
  readonly hookOf: (delivery: Pick<SendableDelivery, 'hookId'>) => Promise<SigningHook | null>
  /** The job, and how far it may already have come. */
  readonly job: Pick<StoredJob, 'id' | 'reached'>
  /** The problem of the endpoint's certificate, which was accepted anyway. */
  certificateProblem(): string | null
  /** Called when a request is recorded as in progress. */
  onBegun(): void
  /** Called when a finished request is recorded. */
  onEnded(send: EndedSend, outcome: Awaited<ReturnType<Recorder['end']>>): void
}

interface RunJobSignals {
  /** Starts no further requests. */
  readonly cancelled: AbortSignal
  /** Countersign stops: aborts requests in progress. */
  readonly interrupted: AbortSignal
}

/**
 * Returns a function that hands out the next request, or null if none is left. Concurrent calls are fine. Requests are read in
 * pages, the next page during the current one.
 */
function createNextSends(nextPage: NextPage): () => Promise<WaitingSend | null> {
  let page: readonly WaitingSend[] = []
  let index = 0
  let isLast = false
  let coming: Promise<readonly WaitingSend[]> | null = null
  let after = 0
  let turning: Promise<void> | null = null

  async function turn(): Promise<void> {
    page = await (coming ?? nextPage(after))
    index = 0
    const last = page.at(-1)
    isLast = last === undefined
    after = last?.position ?? after
    coming = last === undefined ? null : nextPage(after)
    // The error surfaces when the page is requested, not before.
    coming?.catch(() => undefined)
  }

  return async () => {
    while (index >= page.length) {
      if (isLast) return null
      turning ??= turn().finally(() => {
        turning = null
      })
      await turning
    }
    return page[index++] ?? null
  }
}

/** Endpoints that respond faster than this would wait for commits; slower ones gain nothing. */
const QUICK_MS = 50
/** How far to record ahead, as a multiple of the concurrency. */
const AHEAD = 4

async function runJob(
  deps: RunJobDeps,
  settings: ReplaySettings,
  signals: RunJobSignals,
): Promise<void> {
  const { clock, sender, recorder, ownSends, prefixes, ownBody, job } = deps
  const { tamper, edits, concurrency, rate } = settings
  const forged = isForged({ tamper, edited: editedParts(edits, ownBody !== null) })
  // If one worker can't continue (the disk is full), the others start no further requests either.
  const failed = new AbortController()
  const stop = AbortSignal.any([signals.cancelled, signals.interrupted, failed.signal])
  let isStopping = stop.aborted
  stop.addEventListener('abort', () => {
    isStopping = true
  })
  // All requests are aborted at once, because a listener for each would cost as much as signing it.
  const cutOff = () => void sender.close()
  signals.interrupted.addEventListener('abort', cutOff, { once: true })
  const turn = createPacer(clock, rate, stop)
  const nextSend = createNextSends(deps.nextPage)
  let isQuick = false
  const reach = createReach({
    from: job.reached,
    write: (place) => recorder.reach({ jobId: job.id, place }),
    // With a concurrency of one, only one request is uncertain after a crash.
    ahead: () => (isQuick && rate === null && concurrency > 1 ? AHEAD * concurrency : 0),
  })

  /** The end of the job waits for this, requests don't. Records are written in the order of completion. */
  let lastEnding: Promise<void> = Promise.resolve()
  const end = (send: EndedSend) => {
    lastEnding = recorder.end(send).then((outcome) => deps.onEnded(send, outcome))
    lastEnding.catch(() => failed.abort())
  }

  /** What a delivery is signed with, or why it can't be sent. */
  async function readied({ delivery, body: captured }: WaitingSend): Promise<{
    readonly hook: SigningHook | null
    readonly problem: string | null
    readonly body: Uint8Array
  }> {
    try {
      const hook = delivery === null ? null : await deps.hookOf(delivery)
      const problem = obstacle(delivery, {
        hook,
        tamper,
        edits,
        prefixes,
        hasOwnBody: ownBody !== null,
      })
      return {
        hook,
        problem,
        body: problem === null ? editedBody(ownBody ?? captured, edits) : captured,
      }
    } catch (error) {
      if (error instanceof AppError) return { hook: null, problem: error.message, body: captured }
      throw error
    }
  }

  async function sendOne(next: WaitingSend): Promise<void> {
    const { seq, position, target, delivery } = next
    const { hook, problem, body: given } = await readied(next)
    if (delivery === null || problem !== null) {
      end(notSent(seq, problem ?? 'The delivery was deleted.'))
      return
    }
    await reach.before(position)
    if (isStopping) return
    reach.started(position)
    deps.onBegun()
    const startedAt = clock.now()
    const { headers, body, signature, timestamp } = outgoingRequest(
      { headers: delivery.headers, body: given },
      hook,
      {
        tamper,
        edits,
        prefixes,
        wallTime: startedAt,
      },
    )
    const method = edits.method ?? delivery.method ?? 'POST'
    const expected = ownSends.expect({ signature, timestamp, body }, delivery.id)
    const result = await sender.send({ url: target, method, headers, body })
    expected.forget()
    isQuick = result.ms < QUICK_MS
    // Aborted because Countersign stops: whether it arrived is unknown, so it stays in progress.
    if (signals.interrupted.aborted) return
    end({
      seq,
      state: 'settled',
      startedAt,
      registeredUrl: edits.signature === 'recompute' ? (hook?.url ?? null) : null,
      status: result.status,
      ms: result.ms,
      phases: result.phases,
      errorKind: result.failure?.kind ?? null,
      error: result.failure?.message ?? null,
      passed: expected.cameBack() ? null : isSendAcknowledged(result, hook?.ack ?? '200'),
      forged,
      certificateProblem: deps.certificateProblem(),
      headers: result.headers,
      body: result.body,
      truncated: result.truncated,
      request: { method, headers, captured: delivery.headers },
    })
  }

  async function work(): Promise<void> {
    while (!isStopping) {
      const next = await nextSend()
      if (next === null) return
      await turn()
      if (!isStopping) await sendOne(next)
    }
  }

  const workers = Array.from({ length: concurrency }, () =>
    work().catch((error: unknown) => {
      failed.abort()
      throw error
    }),
  )
  const worked = await Promise.allSettled(workers)
  await reach.close()
  signals.interrupted.removeEventListener('abort', cutOff)
  const written = await Promise.allSettled([lastEnding])
  for (const result of [...worked, ...written])
    if (result.status === 'rejected') throw result.reason
}
