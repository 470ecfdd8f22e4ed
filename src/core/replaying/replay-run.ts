/**
 * Sends one replay's deliveries in order. Requests in progress finish if it is cancelled, and are
 * uncertain if Countersign stops.
 */
import { AppError } from '../../shared/contract/errors.ts'
import { editedParts, isForged } from '../../shared/model/replay-edits.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import { type Admitted } from '../outgoing/admit.ts'
import {
  createSigningHookFinder,
  sendObstacle,
  type HandlerSigner,
  type SendDeps,
  type SigningHook,
} from '../outgoing/signing-hooks.ts'
import { editedBody } from '../outgoing/replay-edits.ts'
import {
  createPacer,
  isSendAcknowledged,
  notSent,
  sendSigned,
  settledSend,
  type Sender,
} from '../outgoing/send.ts'
import { SENDS_PAGE, unpackDeliveries, type DeliveryToSend } from '../store/deliveries-to-send.ts'
import { targetIn, type StoredReplay, type Tally } from '../store/replays.ts'
import type { Store } from '../store/store.ts'
import type { EndedSend, SendIdentity } from '../store/record-sends.ts'
import type { ActiveRun } from '../base/runs.ts'
import { ReplayRecorder } from './replay-recorder.ts'

export interface ReplayToRun {
  readonly stored: StoredReplay
  readonly seqs: Float64Array
  /** Position of the last send that has started. */
  readonly lastStarted: number
  readonly first: readonly DeliveryToSend[]
  /** Body to send instead of the captured ones; null keeps those. */
  readonly replacementBody: Uint8Array | null
  readonly admitted: Admitted
  /** Signer that is never stored; a resumed replay signs without it. */
  readonly givenSigner?: HandlerSigner | null
}

export interface RunningReplay {
  readonly stored: StoredReplay
  lastStarted: number
  tally: Tally
}

/** State in which a replay ended; `running` if it can be resumed. */
export type ReplayEnding = StoredReplay['state']

/**
 * Response time in milliseconds below which sends are recorded before they start, because the
 * endpoint would wait for commits.
 */
const QUICK_RESPONSE_MS = 50
/** Number of sends to record before they start, as a multiple of the concurrency. */
const RECORDED_AHEAD = 5

const NO_TARGET = 'The delivery matches no hook, so it has no target. Replay it with --to URL.'

export class ReplayRun {
  readonly #deps: SendDeps
  readonly #job: ReplayToRun
  readonly #run: ActiveRun<RunningReplay>
  readonly #interrupted: AbortSignal
  /** Aborts if a worker can't continue (the disk is full). */
  readonly #failed = new AbortController()
  readonly #sender: Sender
  readonly #recorder: ReplayRecorder
  readonly #hookOf: ReturnType<typeof createSigningHookFinder>
  readonly #prefixes: readonly string[]
  readonly #common: Omit<SendIdentity, 'position' | 'deliverySeq' | 'target'>
  #certificateProblem: string | null = null
  #isStopping = false
  #isQuick = false

  constructor(
    deps: SendDeps,
    job: ReplayToRun,
    run: ActiveRun<RunningReplay>,
    interrupted: AbortSignal,
  ) {
    const { stored, seqs, lastStarted, admitted, replacementBody } = job
    const { id, plan, settings } = stored
    const { concurrency, edits, handlerId, rate, tamper } = settings
    this.#deps = deps
    this.#job = job
    this.#run = run
    this.#interrupted = interrupted
    this.#prefixes = knownPrefixes(deps.environments)
    this.#hookOf = createSigningHookFinder(
      deps,
      { ...settings, givenSigner: job.givenSigner ?? null },
      admitted,
    )
    const forged = isForged({ tamper, edited: editedParts(edits, replacementBody !== null) })
    this.#common = { jobId: id, kind: 'replay', handlerId, tamper, variant: plan.variant, forged }
    this.#sender = admitted.createSender({
      // A single request gets its own connection, which can't be half closed.
      keepAlive: seqs.length - lastStarted > 1,
      // A kept connection is free a turn after its response; otherwise another would be opened.
      connections: concurrency,
      onCertificate: (problem) => {
        this.#certificateProblem = problem
      },
    })
    this.#recorder = new ReplayRecorder(deps.store, deps.clock, {
      jobId: id,
      reached: stored.reached,
      lastStarted,
      sendCount: seqs.length,
      // With a concurrency of one, only one request is uncertain after a crash.
      ahead: () =>
        this.#isQuick && rate === null && concurrency > 1 ? RECORDED_AHEAD * concurrency : 0,
      onProgress: ({ tally, isCancelled }) => {
        run.state.tally = tally
        run.progress()
        if (isCancelled) run.cancel()
      },
      onFailed: (error) => this.#failed.abort(error),
    })
  }

  /**
   * Sends all deliveries; resolves with how the replay ended. Rejects if something can't be read or
   * recorded.
   */
  async send(): Promise<ReplayEnding> {
    const { settings } = this.#job.stored
    const stop = AbortSignal.any([this.#run.cancelled, this.#interrupted, this.#failed.signal])
    const noteStop = () => void (this.#isStopping = true)
    // Aborts all requests at once, because a listener for each costs as much as signing it.
    const cutOff = () => void this.#sender.close()
    this.#isStopping = stop.aborted
    stop.addEventListener('abort', noteStop)
    this.#interrupted.addEventListener('abort', cutOff, { once: true })
    const waitForTurn = createPacer(this.#deps.clock, settings.rate, stop)
    const sends = plannedSends(this.#deps.store, this.#job)
    const work = async (): Promise<void> => {
      while (!this.#isStopping) {
        const { value: next } = await sends.next()
        if (next == null) return
        await waitForTurn()
        if (this.#maySend(next)) await this.#sendOne(next)
      }
    }
    try {
      const workers = Array.from({ length: settings.concurrency }, work)
      await Promise.all(
        workers.map((worker) => worker.catch((error: unknown) => this.#failed.abort(error))),
      )
      this.#interrupted.removeEventListener('abort', cutOff)
      // Keeps the AbortSignal from holding the finished job in memory.
      stop.removeEventListener('abort', noteStop)
      await this.#recorder.close()
    } finally {
      await this.#sender.close()
    }
    if (this.#failed.signal.aborted) throw this.#failed.signal.reason
    return this.#release()
  }

  async #release(): Promise<ReplayEnding> {
    const { seqs, stored } = this.#job
    const hasPending = this.#run.state.lastStarted < seqs.length
    const isInterrupted = this.#interrupted.aborted
    const state =
      this.#run.cancelled.aborted && hasPending ? 'cancelled' : isInterrupted ? 'running' : 'done'
    await this.#deps.store.write('releaseReplay', { id: stored.id, state })
    return state
  }

  /** Prepares a send; resolves with a sentence if it can't be sent. */
  async #prepare({ delivery, body: captured }: PlannedSend) {
    const { replacementBody, stored } = this.#job
    const { tamper, edits } = stored.settings
    try {
      const hook: SigningHook | null = delivery === null ? null : await this.#hookOf(delivery)
      const needs = {
        hook,
        tamper,
        edits,
        prefixes: this.#prefixes,
        hasOwnBody: replacementBody !== null,
      }
      const problem = sendObstacle(delivery, needs)
      return problem ?? { hook, body: editedBody(replacementBody ?? captured, edits) }
    } catch (error) {
      if (error instanceof AppError) return error.message
      throw error
    }
  }

  async #sendOne(next: PlannedSend): Promise<void> {
    const { seq, position, delivery } = next
    const { stored } = this.#job
    const { tamper, edits } = stored.settings
    const url = targetIn(stored, delivery?.hookId ?? null)
    const identity = { ...this.#common, position, deliverySeq: seq, target: url ?? '' }
    const prepared = await this.#prepare(next)
    if (delivery === null || url === null || typeof prepared === 'string') {
      this.#end(notSent(identity, typeof prepared === 'string' ? prepared : NO_TARGET))
      return
    }
    await this.#recorder.reserve(position)
    if (!this.#maySend(next)) return
    this.#noteStart(position)
    const startedAt = this.#deps.clock.now()
    const { hook, body } = prepared
    const { result, request, wasReturned } = await sendSigned(
      this.#deps.ownSends,
      this.#sender,
      {
        delivery,
        body,
        signing: hook,
        tamper,
        edits,
        prefixes: this.#prefixes,
        wallTime: startedAt,
      },
      { url },
    )
    this.#isQuick = result.ms < QUICK_RESPONSE_MS
    // Whether an aborted request arrived is unknown, so it stays in progress.
    if (this.#interrupted.aborted) return
    this.#end(
      settledSend(identity, result, {
        startedAt,
        registeredUrl: edits.signature === 'recompute' ? (hook?.url ?? null) : null,
        passed: wasReturned ? null : isSendAcknowledged(result, hook?.ack ?? '200'),
        certificateProblem: this.#certificateProblem,
        request,
      }),
    )
  }

  /**
   * Whether a send may start: the replay isn't stopping, or a later send has started, because a gap
   * would count as uncertain.
   */
  #maySend({ position }: PlannedSend): boolean {
    return !this.#isStopping || position < this.#run.state.lastStarted
  }

  #noteStart(position: number): void {
    this.#recorder.noteStart(position)
    this.#run.state.lastStarted = Math.max(this.#run.state.lastStarted, position)
  }

  #end(send: EndedSend): void {
    this.#noteStart(send.position)
    this.#recorder.noteEnd(send)
  }
}

interface PlannedSend extends DeliveryToSend {
  readonly seq: number
  readonly position: number
}

/** Yields the sends that haven't started, reading the next page during the current one. */
async function* plannedSends(
  { read }: Pick<Store, 'read'>,
  { seqs, lastStarted, first }: Pick<ReplayToRun, 'seqs' | 'lastStarted' | 'first'>,
): AsyncGenerator<PlannedSend, null> {
  const pageAfter = async (after: number) => {
    const page = [...seqs.subarray(after, after + SENDS_PAGE)]
    return page.length === 0 ? [] : unpackDeliveries(await read('deliveriesToSend', page))
  }
  let nextPage = first.length > 0 ? Promise.resolve(first) : pageAfter(lastStarted)
  for (let after = lastStarted; ;) {
    const page = await nextPage
    if (page.length === 0) return null
    nextPage = pageAfter(after + page.length)
    // The error surfaces when the page is requested, not before.
    nextPage.catch(() => undefined)
    for (const [index, delivery] of page.entries())
      yield { ...delivery, seq: seqs[after + index] ?? 0, position: after + index + 1 }
    after += page.length
  }
}
