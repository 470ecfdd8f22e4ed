/**
 * Sends a target's pending deliveries: each hook's in order, several hooks in parallel. A target
 * that is down is tried now and then.
 */
import type { ForwardAnswer } from '../../shared/model/forward.ts'
import { ACKNOWLEDGE_TIMEOUT_MS, KEPT_RESPONSE_BYTES } from '../../shared/service/limits.ts'
import { createCatchUp } from '../base/async.ts'
import type { Admitted } from '../outgoing/admit.ts'
import {
  isSendAcknowledged,
  notSent,
  sendSigned,
  settledSend,
  type Sender,
  type SendResult,
} from '../outgoing/send.ts'
import type { SendDeps } from '../outgoing/signing-hooks.ts'
import type { QueuedSend } from '../store/forward-queue.ts'
import type { StoredTarget } from '../store/forward-targets.ts'
import {
  didRespondCorrectly,
  packSends,
  type EndedSend,
  type SendIdentity,
} from '../store/record-sends.ts'
import {
  BAD_GATEWAY,
  relayedResponse,
  substituteResponse,
  type Lease,
  type Leases,
} from './leases.ts'
import { prepareForward, type PreparedSend, type PrepareDeps } from './prepared-forward.ts'
import { judgeForward, TargetState, type ForwardVerdict } from './target-state.ts'

export interface QueueDeps
  extends PrepareDeps, Pick<SendDeps, 'store' | 'clock' | 'log' | 'ownSends'> {
  senderTo(target: StoredTarget): Admitted['createSender']
  readonly leases: Leases
  /** Maximum bytes of a response that goes back to the service. */
  bodyLimit(): number
  /** `sent` is the seq of a finished request. */
  onChanged(sent?: number): void
}

/** Next step of a lane: the next delivery, this one again, or none. */
type NextStep = 'next' | 'same' | 'stop'

/** Queued delivery with the target's settings at the start of the attempt. */
interface Attempt {
  readonly queued: QueuedSend
  readonly target: StoredTarget
  readonly identity: SendIdentity
  readonly lease: Lease | null
}

const WRITE_RETRY_MS = 1_000
/** Longest possible timer in milliseconds, because a user may stop the handler in a debugger. */
const NO_LIMIT_MS = 2_147_483_647
const MAX_LANES = 8
const PAGE_SIZE = 32
/** Maximum number of attempts, as many as the service makes (section 6.4). */
const MAX_TRIES = 3
/** Milliseconds before the second and third attempts. */
const TRY_WAITS_MS = [1_000, 2_000] as const
const REMOVED_REASON = 'The target was removed before this delivery was sent.'
const ANSWERED_REASON =
  "The hook's earlier deliveries took so long that Countersign responded to the service before this one was forwarded."

function timeoutOf(answer: ForwardAnswer, leaseMs: number | null): number {
  if (leaseMs !== null) return Math.max(1, leaseMs)
  return answer === 'at-once' ? NO_LIMIT_MS : ACKNOWLEDGE_TIMEOUT_MS
}

function hasMoved({ settings: before }: StoredTarget, { settings: now }: StoredTarget): boolean {
  return before.url !== now.url || before.targetCa !== now.targetCa
}

export class ForwardQueue {
  readonly #deps: QueueDeps
  #target: StoredTarget
  readonly #state: TargetState
  #sender: Sender | null = null
  #certificateProblem: string | null = null
  readonly #lanes = new Map<string, Promise<void>>()
  readonly #stopped = new AbortController()
  #leavesInProgress = false
  readonly #pumping = createCatchUp(() =>
    this.#pump().catch(
      this.#noteError(
        "Couldn't read a target's queue. Retrying.",
        "Couldn't read the pending deliveries",
      ),
    ),
  )

  constructor(deps: QueueDeps, target: StoredTarget) {
    this.#deps = deps
    this.#target = target
    this.#state = new TargetState(deps.clock, () => this.proceed())
  }

  get state(): TargetState['shown'] {
    return this.#state.shown
  }

  /** Sends pending deliveries; `atOnce` even if the next attempt isn't due. */
  proceed({ atOnce = false }: { readonly atOnce?: boolean } = {}): void {
    if (atOnce) this.#state.tryNow()
    void this.#pumping.request()
  }

  /** Applies changed settings from the next request on. */
  change(next: StoredTarget): void {
    const moves = hasMoved(this.#target, next)
    this.#target = next
    if (moves) {
      // Requests in progress finish on their connections.
      const sender = this.#sender
      this.#sender = null
      this.#certificateProblem = null
      void Promise.all(this.#lanes.values()).then(() => sender?.close())
      this.#state.reset()
    }
    this.proceed()
  }

  /**
   * Aborts requests and ends. `leavesInProgress` keeps them marked so, for the next start.
   */
  async stop({ leavesInProgress }: { readonly leavesInProgress: boolean }): Promise<void> {
    this.#leavesInProgress = leavesInProgress
    this.#stopped.abort()
    this.#state.tryNow()
    await this.#pumping.close()
    await Promise.all(this.#lanes.values())
    await this.#sender?.close()
  }

  #isIdle(): boolean {
    return this.#target.paused || this.#stopped.signal.aborted
  }

  async #pump(): Promise<void> {
    // A single delivery finds out whether the target is up again.
    const isDown = this.#state.shown.light === 'down'
    const room = (isDown ? 1 : MAX_LANES) - this.#lanes.size
    if (this.#isIdle() || this.#state.isWaiting() || room <= 0) return
    const rows = await this.#deps.store.read('nextQueued', {
      targetId: this.#target.id,
      busy: [...this.#lanes.keys()],
      limit: isDown ? 1 : PAGE_SIZE,
    })
    const byLane = [...Map.groupBy(rows, ({ lane }) => lane)].slice(0, room)
    if (this.#isIdle()) return
    for (const [lane, page] of byLane) this.#startLane(lane, page)
    if (byLane.length > 0) void this.#pumping.request()
  }

  #startLane(lane: string, page: readonly QueuedSend[]): void {
    const work = this.#runLane(page)
      .catch(this.#noteError("Couldn't forward a delivery. Retrying.", 'Forwarding paused briefly'))
      .then(() => {
        this.#lanes.delete(lane)
        this.proceed()
      })
    this.#lanes.set(lane, work)
  }

  async #runLane(page: readonly QueuedSend[]): Promise<void> {
    for (const queued of page) {
      let { tries } = queued
      for (;;) {
        if (this.#isIdle() || this.#state.isWaiting()) return
        const step = await this.#forwardOnce({ ...queued, tries })
        if (step === 'stop') return
        if (step === 'next') break
        await this.#deps.clock.sleep(TRY_WAITS_MS[tries] ?? 0, this.#stopped.signal)
        tries++
      }
    }
  }

  /**
   * Forwards a delivery once. Rejects on a failed read or write; the delivery then stays pending.
   */
  async #forwardOnce(queued: QueuedSend): Promise<NextStep> {
    const attempt = this.#attemptOf(queued)
    const { identity, lease, target } = attempt
    if (queued.answers && lease === null) {
      await this.#end(queued.seq, notSent(identity, ANSWERED_REASON))
      return 'next'
    }
    const prepared = await prepareForward(this.#deps, queued, target)
    if (typeof prepared === 'string') {
      lease?.respond(substituteResponse(BAD_GATEWAY, prepared))
      await this.#end(queued.seq, notSent(identity, prepared))
      return 'next'
    }
    return this.#send(attempt, prepared)
  }

  #attemptOf(queued: QueuedSend): Attempt {
    const target = this.#target
    const { url, handlerId } = target.settings
    const identity: SendIdentity = {
      replayId: target.id,
      position: queued.position,
      kind: 'forward',
      deliverySeq: queued.deliverySeq,
      target: url,
      handlerId,
      tamper: null,
      variant: null,
      forged: false,
    }
    return { queued, target, identity, lease: this.#deps.leases.get(target.id, queued.deliverySeq) }
  }

  async #send(attempt: Attempt, prepared: PreparedSend): Promise<NextStep> {
    const { clock, store } = this.#deps
    const { queued, target, identity, lease } = attempt
    const { seq } = queued
    const { url } = target.settings
    const registeredUrl = prepared.signed.signing?.url ?? null
    const startedAt = clock.now()
    await store.write('beginForward', { seq, at: startedAt, registeredUrl, target: url })
    // The request was built for earlier settings.
    if (this.#stopped.signal.aborted || this.#target !== target) {
      await this.#makePending(seq, identity)
      return 'stop'
    }
    this.#state.noteSend()
    this.#deps.onChanged()
    const { result, request } = await this.#request(attempt, prepared).catch(
      async (error: unknown) => {
        await this.#makePending(seq, identity)
        throw error
      },
    )
    // Whether an aborted request arrived is unknown, so it stays in progress.
    if (this.#stopped.signal.aborted && this.#leavesInProgress) return 'stop'
    lease?.respond(relayedResponse(result))
    const passed = isSendAcknowledged(result, prepared.ack)
    const certificateProblem = this.#certificateProblem
    const verdict = queued.delivery?.verdict
    const forged = registeredUrl === null && (verdict === 'invalid' || verdict === 'unsigned')
    return this.#settle({ ...attempt, identity: { ...identity, forged } }, result, {
      startedAt,
      registeredUrl,
      passed,
      certificateProblem,
      request,
    })
  }

  async #request({ target: { settings }, lease }: Attempt, { signed }: PreparedSend) {
    const { clock, ownSends } = this.#deps
    const { outgoing, ...sent } = await sendSigned(
      ownSends,
      this.#openSender(),
      { ...signed, wallTime: clock.now() },
      {
        url: settings.url,
        timeoutMs: timeoutOf(settings.answer, lease?.noteSent() ?? null),
        signal: this.#stopped.signal,
        answerLimit: lease === null ? KEPT_RESPONSE_BYTES : this.#deps.bodyLimit(),
      },
    )
    ownSends.rememberForwarded(outgoing, signed.delivery.id, {
      signedAnew: signed.signing !== null,
    })
    return sent
  }

  #openSender(): Sender {
    this.#sender ??= this.#deps.senderTo(this.#target)({
      // Handlers restart often, so a kept connection would often be half closed.
      keepAlive: false,
      onCertificate: (problem) => {
        this.#certificateProblem = problem
      },
    })
    return this.#sender
  }

  /**
   * Stores the result and chooses the next step:
   * - `passed`, the last `retry`, a waiting service (it retries itself) or stopped: ended, `next`;
   * - `retry`: pending, `same`;
   * - `target-down`: pending, `stop`.
   */
  async #settle(
    { queued: { seq, tries, answers: isServiceWaiting }, target, identity }: Attempt,
    result: SendResult,
    sent: Parameters<typeof settledSend>[2],
  ): Promise<NextStep> {
    const { url } = target.settings
    const body = result.body.subarray(0, KEPT_RESPONSE_BYTES)
    const truncated = result.truncated || result.body.length > KEPT_RESPONSE_BYTES
    const send = settledSend(identity, { ...result, body, truncated }, sent)
    // An accepted forgery is wrong, but sending it again wouldn't change that.
    const isSettled = send.passed === true || didRespondCorrectly(send) === true
    const verdict = judgeForward(result, { isSettled })
    if (url === this.#target.settings.url)
      this.#state.noteResult(url, result, { verdict, pausesQueue: !isServiceWaiting })
    if (this.#isLast(verdict, tries, isServiceWaiting)) {
      await this.#end(seq, send)
      return verdict === 'target-down' && !isServiceWaiting ? 'stop' : 'next'
    }
    const triesSoFar = verdict === 'retry' ? tries + 1 : tries
    const pending = packSends([{ ...send, state: 'waiting', tries: triesSoFar }])
    await this.#retryWrite(() => this.#deps.store.write('sends', pending))
    this.#deps.onChanged()
    return verdict === 'target-down' ? 'stop' : 'same'
  }

  #isLast(verdict: ForwardVerdict, tries: number, isServiceWaiting: boolean): boolean {
    if (verdict === 'passed' || isServiceWaiting || this.#stopped.signal.aborted) return true
    return verdict === 'retry' && tries + 1 >= MAX_TRIES
  }

  /** Makes an unsent delivery pending again, or ends it if the target was removed. */
  async #makePending(seq: number, identity: SendIdentity): Promise<void> {
    if (this.#stopped.signal.aborted && !this.#leavesInProgress)
      await this.#end(seq, notSent(identity, REMOVED_REASON))
    else await this.#retryWrite(() => this.#deps.store.write('requeueForward', seq))
  }

  async #end(seq: number, send: EndedSend): Promise<void> {
    await this.#retryWrite(() => this.#deps.store.write('sends', packSends([send])))
    this.#state.count(didRespondCorrectly(send) === true ? 'passed' : 'failed')
    this.#deps.onChanged(seq)
  }

  /** Retries a write until it succeeds, because a delivery without a result would be sent again. */
  async #retryWrite<Result>(write: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await write()
      } catch (error) {
        if (this.#stopped.signal.aborted) throw error
        this.#deps.log.warn("Couldn't store a forwarded delivery's result. Retrying.", {
          reason: (error as Error).message,
        })
        await this.#deps.clock.sleep(WRITE_RETRY_MS, this.#stopped.signal)
      }
    }
  }

  #noteError(warning: string, shown: string) {
    return (error: unknown): void => {
      if (this.#stopped.signal.aborted) return
      const reason = (error as Error).message
      this.#state.noteError(`${shown}: ${reason}`)
      this.#deps.log.warn(warning, { target: this.#target.id, reason })
    }
  }
}
