/**
 * Sends a job's pending requests with limited concurrency and rate, recording each before and after. Ends when nothing is pending,
 * when the job is cancelled (requests in progress finish), or when Countersign stops (requests in progress are aborted, and are
 * uncertain when the job is resumed).
 */
import { AppError } from '../../shared/contract/errors.ts'
import { editedParts, isForged } from '../../shared/model/replay-edits.ts'
import type { ReplaySettings } from '../../shared/model/send.ts'
import type { Clock } from '../base/deps.ts'
import { createPacer, isSendAcknowledged, type Sender } from '../outgoing/send.ts'
import type { StoredJob } from '../store/replay-jobs-repo.ts'
import type { EndedSend } from '../store/sends-batch.ts'
import type { SendableDelivery, WaitingSend } from '../store/waiting-sends.ts'
import { obstacle, type SigningHook } from '../outgoing/admit.ts'
import { outgoingRequest, editedBody } from '../outgoing/outgoing-request.ts'
import type { OwnSends } from '../outgoing/own-sends.ts'
import { notSent, type Recorder } from '../outgoing/recorder.ts'

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
export type NextPage = (after: number) => Promise<readonly WaitingSend[]>

export interface RunJobDeps {
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

export interface RunJobSignals {
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

export async function runJob(
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
