/**
 * Sends one replay's deliveries in order. Requests in progress finish if it is cancelled, and are
 * uncertain if Countersign stops.
 */
import { AppError } from '../../shared/contract/errors.ts'
import { editedParts, isForged } from '../../shared/model/replay-edits.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import { type Admitted } from '../outgoing/admit.ts'
import { sendObstacle, type HandlerSigner, type SendDeps } from '../outgoing/signing-hooks.ts'
import { editedBody } from '../outgoing/replay-edits.ts'
import {
  createPacer,
  isSendAcknowledged,
  notSent,
  sendSigned,
  settledSend,
} from '../outgoing/send.ts'
import type { DeliveryToSend } from '../store/deliveries-to-send.ts'
import { endpointAt, sidesOf, type ReplaySide } from '../store/replay-sides.ts'
import type { StoredReplay, Tally } from '../store/replays.ts'
import type { EndedSend, SendIdentity } from '../store/record-sends.ts'
import type { ActiveRun } from '../base/runs.ts'
import {
  plannedDeliveries,
  plannedSends,
  type PlannedDelivery,
  type PlannedSend,
  type SendPlan,
} from './planned-deliveries.ts'
import { PurchaseLanes } from './purchase-lanes.ts'
import { ReplayEndpoint } from './replay-endpoint.ts'
import { ReplayRecorder } from './replay-recorder.ts'

export interface ReplayToRun extends SendPlan {
  readonly stored: StoredReplay
  readonly first: readonly DeliveryToSend[]
  /** Body to send instead of the captured ones; null keeps those. */
  readonly replacementBody: Uint8Array | null
  readonly admitted: Admitted
  /** For the other endpoint of a comparison. */
  readonly otherAdmitted: Admitted | null
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

const CANCELLED = 'The comparison was cancelled.'
const NO_TARGET = 'The delivery matches no hook, so it has no target. Replay it with --to URL.'

export class ReplayRun {
  readonly #deps: SendDeps
  readonly #replay: ReplayToRun
  readonly #run: ActiveRun<RunningReplay>
  readonly #interrupted: AbortSignal
  /** Aborts if a worker can't continue (the disk is full). */
  readonly #failed = new AbortController()
  readonly #endpoints: Readonly<Record<ReplaySide, ReplayEndpoint>>
  readonly #recorder: ReplayRecorder
  readonly #prefixes: readonly string[]
  readonly #common: Omit<SendIdentity, 'position' | 'deliverySeq' | 'target' | 'handlerId'>
  #isStopping = false
  #isQuick = false

  constructor(
    deps: SendDeps,
    replay: ReplayToRun,
    run: ActiveRun<RunningReplay>,
    interrupted: AbortSignal,
  ) {
    const { stored, seqs, lastStarted, admitted, otherAdmitted, replacementBody } = replay
    const { id, plan, settings } = stored
    const { comparison, concurrency, edits, rate, tamper } = settings
    this.#deps = deps
    this.#replay = replay
    this.#run = run
    this.#interrupted = interrupted
    this.#prefixes = knownPrefixes(deps.environments)
    const forged = isForged({ tamper, edited: editedParts(edits, replacementBody !== null) })
    this.#common = { replayId: id, kind: 'replay', tamper, variant: plan.variant, forged }
    const connections = {
      // A single request gets its own connection, which can't be half closed.
      keepAlive: (seqs.length - lastStarted) / sidesOf(stored) > 1,
      // A kept connection is free a turn after its response; otherwise another would be opened.
      connections: concurrency,
    }
    const signing = { ...settings, givenSigner: replay.givenSigner ?? null }
    const own = new ReplayEndpoint(deps, signing, admitted, connections)
    const other =
      comparison?.other == null || otherAdmitted === null
        ? own
        : new ReplayEndpoint(deps, comparison.other, otherAdmitted, connections)
    this.#endpoints = { own, other }
    this.#recorder = new ReplayRecorder(deps.store, deps.clock, {
      replayId: id,
      reached: stored.reached,
      lastStarted,
      sendCount: seqs.length,
      // With a concurrency of one, only one request is uncertain after a crash.
      ahead: () =>
        this.#isQuick && rate === null && concurrency > 1 && comparison === null
          ? RECORDED_AHEAD * concurrency
          : 0,
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
    const { settings } = this.#replay.stored
    const stop = AbortSignal.any([this.#run.cancelled, this.#interrupted, this.#failed.signal])
    const planned = plannedDeliveries(
      this.#deps.store,
      plannedSends(this.#replay),
      this.#replay.first,
    )
    const lanes = settings.comparison === null ? null : new PurchaseLanes(planned)
    const noteStop = () => {
      this.#isStopping = true
      lanes?.wake()
    }
    // Aborts all requests at once, because a listener for each costs as much as signing it.
    const cutOff = () => void this.#closeSenders()
    this.#isStopping = stop.aborted
    stop.addEventListener('abort', noteStop)
    this.#interrupted.addEventListener('abort', cutOff, { once: true })
    const waitForTurn = createPacer(this.#deps.clock, settings.rate, stop)
    const work = () =>
      lanes === null ? this.#sendAll(planned, waitForTurn) : this.#sendLanes(lanes, waitForTurn)
    try {
      const workers = Array.from({ length: settings.concurrency }, work)
      await Promise.all(
        workers.map((worker) =>
          worker.catch((error: unknown) => {
            this.#failed.abort(error)
          }),
        ),
      )
      if (lanes !== null) this.#noteUnsent(lanes.rest)
      this.#interrupted.removeEventListener('abort', cutOff)
      // Keeps the AbortSignal from holding the finished replay in memory.
      stop.removeEventListener('abort', noteStop)
      await this.#recorder.close()
    } finally {
      await this.#closeSenders()
    }
    if (this.#failed.signal.aborted) throw this.#failed.signal.reason
    return this.#release()
  }

  async #sendAll(
    planned: AsyncGenerator<PlannedDelivery, null>,
    waitForTurn: () => Promise<void>,
  ): Promise<void> {
    while (!this.#isStopping) {
      const { value: next } = await planned.next()
      const [send] = next?.sends ?? []
      if (next == null || send === undefined) return
      await waitForTurn()
      if (this.#maySend(send.position)) await this.#sendOne(next, send)
    }
  }

  /** Sends each delivery to its endpoints, one after the other, before the next of its purchase. */
  async #sendLanes(
    lanes: PurchaseLanes<PlannedDelivery>,
    waitForTurn: () => Promise<void>,
  ): Promise<void> {
    for (;;) {
      const next = await lanes.take(() => this.#isStopping)
      if (next === null) return
      try {
        for (const send of next.sends) {
          if (!this.#isStopping) await waitForTurn()
          if (this.#isStopping) this.#noteUnsent([{ ...next, sends: [send] }])
          else await this.#sendOne(next, send)
        }
      } finally {
        lanes.release(next)
      }
    }
  }

  /** Records sends that later ones have overtaken, because a gap would count as uncertain. */
  #noteUnsent(deliveries: readonly PlannedDelivery[]): void {
    if (!this.#run.cancelled.aborted || this.#interrupted.aborted) return
    for (const delivery of deliveries)
      for (const send of delivery.sends)
        if (send.position < this.#run.state.lastStarted)
          this.#end(notSent(this.#identityOf(delivery, send), CANCELLED))
  }

  async #closeSenders(): Promise<void> {
    const { own, other } = this.#endpoints
    await Promise.all([own.sender.close(), ...(other === own ? [] : [other.sender.close()])])
  }

  async #release(): Promise<ReplayEnding> {
    const { seqs, stored } = this.#replay
    const hasPending = this.#run.state.lastStarted < seqs.length
    const isInterrupted = this.#interrupted.aborted
    const state =
      this.#run.cancelled.aborted && hasPending ? 'cancelled' : isInterrupted ? 'running' : 'done'
    await this.#deps.store.write('releaseReplay', { id: stored.id, state })
    return state
  }

  /** Prepares a send; resolves with a sentence if it can't be sent. */
  async #prepare({ delivery, body: captured }: PlannedDelivery, endpoint: ReplayEndpoint) {
    const { replacementBody, stored } = this.#replay
    const { tamper, edits } = stored.settings
    try {
      const hook = await endpoint.signerOf(delivery)
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

  #identityOf({ seq, delivery }: PlannedDelivery, { position, side }: PlannedSend): SendIdentity {
    const { target, handlerId } = endpointAt(this.#replay.stored, side, delivery?.hookId ?? null)
    return { ...this.#common, position, deliverySeq: seq, target: target ?? '', handlerId }
  }

  async #sendOne(next: PlannedDelivery, send: PlannedSend): Promise<void> {
    const { delivery } = next
    const { position, side } = send
    const { tamper, edits } = this.#replay.stored.settings
    const endpoint = this.#endpoints[side]
    const identity = this.#identityOf(next, send)
    const prepared = await this.#prepare(next, endpoint)
    if (delivery === null || identity.target === '' || typeof prepared === 'string') {
      this.#end(notSent(identity, typeof prepared === 'string' ? prepared : NO_TARGET))
      return
    }
    await this.#recorder.reserve(position)
    if (!this.#maySend(position)) return
    this.#noteStart(position)
    const startedAt = this.#deps.clock.now()
    const { hook, body } = prepared
    const { result, request, wasReturned } = await sendSigned(
      this.#deps.ownSends,
      endpoint.sender,
      {
        delivery,
        body,
        signing: hook,
        tamper,
        edits,
        prefixes: this.#prefixes,
        wallTime: startedAt,
      },
      { url: identity.target },
    )
    this.#isQuick = result.ms < QUICK_RESPONSE_MS
    // Whether an aborted request arrived is unknown, so it stays in progress.
    if (this.#interrupted.aborted) return
    this.#end(
      settledSend(identity, result, {
        startedAt,
        registeredUrl: edits.signature === 'recompute' ? (hook?.url ?? null) : null,
        passed: wasReturned ? null : isSendAcknowledged(result, hook?.ack ?? '200'),
        certificateProblem: endpoint.certificateProblem,
        request,
      }),
    )
  }

  /**
   * Whether a send may start: the replay isn't stopping, or a later send has started, because a gap
   * would count as uncertain.
   */
  #maySend(position: number): boolean {
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
