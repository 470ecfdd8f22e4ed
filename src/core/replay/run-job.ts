/**
 * Sends what waits of a job: so many at a time, so many a second, each written down before it goes and after. It ends when nothing
 * waits any more, when it is cancelled (what is under way is let end), or when the program ends (what is under way is cut off, and
 * is uncertain when the job is resumed).
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { ReplaySettings } from '../../shared/model/send.ts'
import type { Clock } from '../base/deps.ts'
import { createPacer, isSendAcknowledged, type Sender } from '../outgoing/send.ts'
import type { StoredJob } from '../store/replay-jobs-repo.ts'
import type { EndedSend } from '../store/sends-batch.ts'
import type { SendableDelivery, WaitingSend } from '../store/waiting-sends.ts'
import { editedBody } from '../outgoing/edits.ts'
import { obstacle, type SigningHook } from '../outgoing/signing-hooks.ts'
import { outgoingRequest } from '../outgoing/outgoing-request.ts'
import type { OwnSends } from '../outgoing/own-sends.ts'
import { createReach } from '../outgoing/reach.ts'
import { notSent, type Recorder } from '../outgoing/recorder.ts'

/** The next sends after a place, in order; none where none waits. */
export type NextPage = (after: number) => Promise<readonly WaitingSend[]>

export interface RunJobDeps {
  readonly clock: Clock
  readonly sender: Sender
  readonly recorder: Recorder
  readonly ownSends: OwnSends
  /** Prefixes under which captured headers may carry signature and timestamp. */
  readonly prefixes: readonly string[]
  /** What goes in place of the captured bodies; null: those. */
  readonly ownBody: Uint8Array | null
  readonly nextPage: NextPage
  /** What a delivery is signed with; null where it belongs to no hook. Rejects with `SECRET_UNREADABLE`. */
  readonly hookOf: (delivery: Pick<SendableDelivery, 'hookId'>) => Promise<SigningHook | null>
  /** The job, and how far it may have come already. */
  readonly job: Pick<StoredJob, 'id' | 'reached'>
  /** What is the matter with the endpoint's certificate, which was taken all the same. */
  certificateProblem(): string | null
  /** Hears that a send is written down as under way. */
  onBegun(): void
  /** Hears that a send has ended and is written down. */
  onEnded(send: EndedSend, outcome: Awaited<ReturnType<Recorder['end']>>): void
}

export interface RunJobSignals {
  /** No further send begins. */
  readonly cancelled: AbortSignal
  /** The program ends: what is under way is cut off. */
  readonly interrupted: AbortSignal
}

/**
 * Gives the function that hands out the next one, null where none is left. Several may ask at once. They are read page by page, the
 * next page while the present one is sent.
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
    // Who asks for what comes hears of a failure; until then nobody does.
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

/** Endpoints that answer within so many milliseconds would be waiting for commits; with slower ones nothing is gained. */
const QUICK_MS = 50
/** It is written down ahead that so many times the sends that go at once may have gone. */
const AHEAD = 4

export async function runJob(deps: RunJobDeps, settings: ReplaySettings, signals: RunJobSignals): Promise<void> {
  const { clock, sender, recorder, ownSends, prefixes, ownBody, job } = deps
  const { tamper, edits, concurrency, rate } = settings
  // Where one cannot go on (the disk is full), the others begin no further send either.
  const failed = new AbortController()
  const stop = AbortSignal.any([signals.cancelled, signals.interrupted, failed.signal])
  let isStopping = stop.aborted
  stop.addEventListener('abort', () => {
    isStopping = true
  })
  // All that is under way is cut off at once: to listen for it with each send would cost as much as to sign it.
  const cutOff = () => void sender.close()
  signals.interrupted.addEventListener('abort', cutOff, { once: true })
  const turn = createPacer(clock, rate, stop)
  const nextSend = createNextSends(deps.nextPage)
  let isQuick = false
  const reach = createReach({
    from: job.reached,
    write: (place) => recorder.reach({ jobId: job.id, place }),
    // One at a time stays so after a crash too: only that one is uncertain.
    ahead: () => (isQuick && rate === null && concurrency > 1 ? AHEAD * concurrency : 0),
  })

  /** No send waits for it, but the end of the job does. They are written in the order in which they end. */
  let lastEnding: Promise<void> = Promise.resolve()
  const end = (send: EndedSend) => {
    lastEnding = recorder.end(send).then((outcome) => {
      deps.onEnded(send, outcome)
    })
    lastEnding.catch(() => {
      failed.abort()
    })
  }

  /** What a delivery is signed with, or why it cannot be sent. */
  async function readied({
    delivery,
    body: captured,
  }: WaitingSend): Promise<{ readonly hook: SigningHook | null; readonly problem: string | null; readonly body: Uint8Array }> {
    try {
      const hook = delivery === null ? null : await deps.hookOf(delivery)
      const problem = obstacle(delivery, { hook, tamper, edits, prefixes, hasOwnBody: ownBody !== null })
      return { hook, problem, body: problem === null ? editedBody(ownBody ?? captured, edits) : captured }
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
    reach.goes(position)
    deps.onBegun()
    const startedAt = clock.now()
    const { headers, body, signature, timestamp } = outgoingRequest({ headers: delivery.headers, body: given }, hook, {
      tamper,
      edits,
      prefixes,
      wallTime: startedAt,
    })
    const method = edits.method ?? delivery.method ?? 'POST'
    const expected = ownSends.expect({ signature, timestamp, body }, delivery.id)
    const result = await sender.send({ url: target, method, headers, body })
    expected.forget()
    isQuick = result.ms < QUICK_MS
    // Cut off by the program's end: whether it arrived is not known, and it says so by staying under way.
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
  for (const result of [...worked, ...written]) if (result.status === 'rejected') throw result.reason
}
