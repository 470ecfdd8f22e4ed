/**
 * Sends a target's pending deliveries: each hook's in order, several hooks in parallel. While the target is down everything waits,
 * and one delivery tries now and then. Everything is in the store, because a queue may be long and Countersign may stop at any
 * moment.
 */
import { type Admitted, obstacle, type SendingDeps, type SigningHook } from '../outgoing/admit.ts'
import {
  isSendAcknowledged,
  NOT_CONNECTED,
  notSent,
  sendSigned,
  settledSend,
  type Sender,
  type SendResult,
  type SignedSend,
} from '../outgoing/send.ts'
import type { QueuedSend, StoredTarget } from '../store/forward.ts'
import type { ForwardAnswer, ForwardStatus } from '../../shared/model/forward.ts'
import { ACKNOWLEDGE_TIMEOUT_MS, KEPT_RESPONSE_BYTES } from '../../shared/service/limits.ts'
import { createCatchUp } from '../base/async.ts'
import type { Clock } from '../base/deps.ts'
import { packSends, type EndedSend, type SendIdentity } from '../store/sends.ts'
import { answerOf, inPlace, type Lease, type Leases } from './forward-answers.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'

export interface QueueDeps extends Pick<SendingDeps, 'store' | 'clock' | 'log' | 'ownSends'> {
  senderForSaved(target: StoredTarget): Admitted['createSender']
  /** Deliveries whose response the service waits for. */
  readonly claims: Leases
  prefixes(): readonly string[]
  /** Whether a hook's deliveries may go to a target. A live hook's need confirmation. */
  isAgreed(target: StoredTarget, hookId: string | null): boolean
  /** Finds the hook that signs a delivery to a target; null if nothing does. */
  hookOf(delivery: Pick<Delivery, 'hookId'>, target: StoredTarget): Promise<SigningHook | null>
  /** Maximum bytes of a response that goes back to the service. */
  bodyLimit(): number
  /** Called when the status or the queue changes; with the seq of a request that is finished. */
  onChanged(sent?: number): void
}

/** What the lane does next: the next delivery, the same one again later, or nothing for now. */
type Turn = 'next' | 'same' | 'stop'

/** How long to wait before retrying a failed write. */
const WRITE_AGAIN_MS = 1_000
/** The longest timeout a timer supports, because the user may be in a debugger. */
const NO_LIMIT_MS = 2_147_483_647
const REMOVED = 'The target was removed before this delivery was sent.'

function timeoutOf(answer: ForwardAnswer, claimed: number | null): number {
  if (claimed !== null) return Math.max(1, claimed)
  return answer === 'at-once' ? NO_LIMIT_MS : ACKNOWLEDGE_TIMEOUT_MS
}

export type Queue = ReturnType<typeof createQueue>

/** How many hooks' deliveries are sent in parallel. */
const MOST_LANES = 8
const PAGE = 32

/** Whether a change affects the target's connections. */
function isElsewhere({ settings: before }: StoredTarget, { settings: now }: StoredTarget): boolean {
  return before.url !== now.url || before.targetCa !== now.targetCa
}

export function createQueue(deps: QueueDeps, first: StoredTarget) {
  const { store, clock, log, ownSends, claims, senderForSaved } = deps
  let target = first
  let certificateProblem: string | null = null
  let sender: Sender | null = null
  const stopped = new AbortController()
  let leavesUncertain = false
  const lanes = new Map<string, Promise<void>>()
  const state = createTargetState(clock, () => proceed())
  const isIdle = () => target.paused || stopped.signal.aborted

  function openSender(): Sender {
    sender ??= senderForSaved(target)({
      // Handlers restart often, so a kept connection would often be half closed.
      keepAlive: false,
      onCertificate: (found) => {
        certificateProblem = found
      },
    })
    return sender
  }

  /** Results must be recorded, or the delivery would be sent again. If the disk is full, this retries until it works. */
  async function written<Result>(write: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await write()
      } catch (error) {
        if (stopped.signal.aborted) throw error
        log.warn("Couldn't store a forwarded delivery's result. Retrying.", {
          reason: (error as Error).message,
        })
        await clock.sleep(WRITE_AGAIN_MS, stopped.signal)
      }
    }
  }

  /** Records and announces the end of a request. */
  async function end(seq: number, send: EndedSend): Promise<void> {
    await written(() => store.write('sends', packSends([send])))
    state.counted(send.passed === true)
    deps.onChanged(seq)
  }

  /** Recorded but not sent: the delivery becomes pending again, or is cancelled if its target was removed. */
  async function takeBack(seq: number, identity: SendIdentity): Promise<void> {
    if (stopped.signal.aborted && !leavesUncertain) await end(seq, notSent(identity, REMOVED))
    else await written(() => store.write('forwardRelease', seq))
  }

  async function sendOut(ready: PreparedSend, { settings }: StoredTarget, claim: Lease | null) {
    const { delivery, hook } = ready.signed
    const timeoutMs = timeoutOf(settings.answer, claim?.begin() ?? null)
    const { made, ...sent } = await sendSigned(
      ownSends,
      openSender(),
      { ...ready.signed, wallTime: clock.now() },
      {
        url: settings.url,
        timeoutMs,
        signal: stopped.signal,
        answerLimit: claim === null ? KEPT_RESPONSE_BYTES : deps.bodyLimit(),
      },
    )
    ownSends.passedOn(made, delivery.id, { signedAnew: hook !== null })
    return sent
  }

  /** Makes an attempt. Rejects if something couldn't be read or written; the delivery then stays pending. */
  async function passOn(queued: QueuedSend): Promise<Turn> {
    const { seq, position, deliverySeq, tries, answers } = queued
    const sentTo = target
    const { url, handlerId } = sentTo.settings
    const identity: SendIdentity = {
      jobId: sentTo.id,
      position,
      kind: 'forward',
      deliverySeq,
      target: url,
      handlerId,
      tamper: null,
      variant: null,
      forged: false,
    }
    const claim = claims.get(sentTo.id, deliverySeq)
    if (answers && claim === null) {
      await end(
        seq,
        notSent(
          identity,
          "The hook's earlier deliveries took so long that Countersign responded to the service before this one was forwarded.",
        ),
      )
      return 'next'
    }
    const made = await prepareSend(deps, queued, sentTo)
    if (typeof made === 'string') {
      claim?.answer(inPlace(502, made))
      await end(seq, notSent(identity, made))
      return 'next'
    }
    const registeredUrl = made.signed.hook?.url ?? null
    const startedAt = clock.now()
    await store.write('forwardBegin', { seq, at: startedAt, registeredUrl, target: url })
    // The request was built for the target's earlier settings. If they changed, build it again.
    if (stopped.signal.aborted || target !== sentTo) {
      await takeBack(seq, identity)
      return 'stop'
    }
    state.sent()
    deps.onChanged()
    const { result, request } = await sendOut(made, sentTo, claim).catch(async (error: unknown) => {
      await takeBack(seq, identity)
      throw error
    })
    // Aborted because Countersign stops: whether it arrived is unknown, so it stays in progress.
    if (stopped.signal.aborted && leavesUncertain) return 'stop'
    claim?.answer(answerOf(result))
    const acknowledged = isSendAcknowledged(result, made.ack)
    const verdict = judgeForward(result, acknowledged)
    // The result says nothing about a URL that the target got since. The service waits for this one's response and retries it, so other
    // deliveries don't have to wait for it.
    if (url === target.settings.url) state.heard(url, result, verdict, !answers)
    // The service has its response, and retries if it wasn't a success.
    const isLast =
      verdict === 'passed' ||
      answers ||
      stopped.signal.aborted ||
      (verdict === 'again' && tries + 1 >= MOST_TRIES)
    const body = result.body.subarray(0, KEPT_RESPONSE_BYTES)
    const truncated = result.truncated || result.body.length > KEPT_RESPONSE_BYTES
    const sent = { startedAt, registeredUrl, passed: acknowledged, certificateProblem, request }
    const send = settledSend(identity, { ...result, body, truncated }, sent)
    if (!isLast) {
      const counts = verdict === 'again' ? 1 : 0
      const again = packSends([{ ...send, state: 'waiting', tries: tries + counts }])
      await written(() => store.write('sends', again))
      deps.onChanged()
      return verdict === 'wait' ? 'stop' : 'same'
    }
    await end(seq, send)
    return verdict === 'wait' && !answers ? 'stop' : 'next'
  }

  async function runLane(page: readonly QueuedSend[]): Promise<void> {
    for (const queued of page) {
      let { tries } = queued
      for (;;) {
        if (isIdle() || state.isWaiting()) return
        const turn = await passOn({ ...queued, tries })
        if (turn === 'stop') return
        if (turn === 'next') break
        await clock.sleep(TRY_WAITS_MS[tries] ?? 0, stopped.signal)
        tries++
      }
    }
  }

  /** Logs an internal error, and shows it until the next attempt. */
  const stumbled = (warning: string, shown: string) => (error: unknown) => {
    if (stopped.signal.aborted) return
    const reason = (error as Error).message
    state.stumbled(`${shown}: ${reason}`)
    log.warn(warning, { target: target.id, reason })
  }

  function startLane(lane: string, page: readonly QueuedSend[]): void {
    const work = runLane(page)
      .catch(stumbled("Couldn't forward a delivery. Retrying.", 'Forwarding paused briefly'))
      .then(() => {
        lanes.delete(lane)
        proceed()
      })
    lanes.set(lane, work)
  }

  async function pump(): Promise<void> {
    // Just one delivery finds out whether the target is up again.
    const isDown = state.shown().light === 'down'
    const room = (isDown ? 1 : MOST_LANES) - lanes.size
    if (isIdle() || state.isWaiting() || room <= 0) return
    const rows = await store.read('forwardQueued', {
      targetId: target.id,
      busy: [...lanes.keys()],
      limit: isDown ? 1 : PAGE,
    })
    const byLane = [...Map.groupBy(rows, ({ lane }) => lane)].slice(0, room)
    if (isIdle()) return
    for (const [lane, page] of byLane) startLane(lane, page)
    if (byLane.length > 0) void pumping.request()
  }

  const pumping = createCatchUp(() =>
    pump().catch(
      stumbled("Couldn't read a target's queue. Retrying.", "Couldn't read the pending deliveries"),
    ),
  )

  function proceed({ atOnce = false }: { readonly atOnce?: boolean } = {}): void {
    if (atOnce) state.tryNow()
    void pumping.request()
  }

  return {
    state: state.shown,
    /** Call when deliveries may be pending. `atOnce`: even if the next attempt isn't due. */
    proceed,
    /** Call when the target changed. The next request uses the new settings. */
    change(next: StoredTarget) {
      const moves = isElsewhere(target, next)
      target = next
      if (moves) {
        // Requests in progress finish on their connections.
        const before = sender
        sender = null
        certificateProblem = null
        void Promise.all(lanes.values()).then(() => before?.close())
        state.begin()
      }
      proceed()
    },
    /** Aborts requests and ends. `uncertain`: aborted requests stay in progress, for the next start to find. */
    async stop({ uncertain }: { readonly uncertain: boolean }) {
      leavesUncertain = uncertain
      stopped.abort()
      state.tryNow()
      await pumping.close()
      await Promise.all(lanes.values())
      await sender?.close()
    },
  }
}

// Prepares a forwarded delivery at the time of sending: re-signed if it was valid, unchanged otherwise.

interface PreparedSend {
  readonly ack: SigningHook['ack']
  readonly signed: Omit<SignedSend, 'wallTime'>
}

const KEEP = { ...NO_EDITS, signature: 'keep' } as const

/** Only valid and fresh deliveries are re-signed, because a forged one must not become valid on the way. */
function isToSign(delivery: Delivery, { settings }: StoredTarget): boolean {
  return settings.sign === 'now' && delivery.verdict === 'valid' && delivery.freshness === 'fresh'
}

/** A sentence if it can't be sent. */
async function prepareSend(
  { prefixes: knownPrefixes, isAgreed, hookOf }: QueueDeps,
  { delivery, body }: QueuedSend,
  target: StoredTarget,
): Promise<string | PreparedSend> {
  if (delivery === null) return 'The delivery was deleted.'
  if (!isAgreed(target, delivery.hookId))
    return "The hook is live, and forwarding its deliveries to this target isn't confirmed. Save the target again to confirm."
  const edits = isToSign(delivery, target) ? NO_EDITS : KEEP
  const prefixes = knownPrefixes()
  let hook: SigningHook | null = null
  try {
    hook = await hookOf(delivery, target)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // An unchanged delivery needs no secret.
    if (edits.signature === 'recompute') return error.message
  }
  const problemThere = obstacle(delivery, {
    hook,
    tamper: null,
    edits,
    prefixes,
    hasOwnBody: false,
  })
  if (problemThere !== null) return problemThere
  const signing = edits.signature === 'recompute' ? hook : null
  const signed = { delivery, body, hook: signing, tamper: null, edits, prefixes }
  return { ack: hook?.ack ?? '200', signed }
}

// A target's status from its latest results, and when to retry while it is down.

/** The shown state, without pending deliveries. */
interface QueueState {
  readonly light: Exclude<ForwardStatus, 'paused' | 'off'>
  readonly problem: string | null
  /** By the wall clock, in milliseconds; null if the target isn't down. */
  readonly nextTryAt: number | null
  readonly passed: number
  readonly failed: number
  readonly lastSentAt: number | null
}

/** `onDue` is called when the next attempt is due. */
function createTargetState(clock: Pick<Clock, 'now' | 'sleep'>, onDue: () => void) {
  let shown: QueueState = {
    light: 'new',
    problem: null,
    nextTryAt: null,
    passed: 0,
    failed: 0,
    lastSentAt: null,
  }
  const change = (changed: Partial<QueueState>) => {
    shown = { ...shown, ...changed }
  }
  /** Consecutive times the target was down. */
  let absences = 0
  let timer = new AbortController()

  function tryNow(): void {
    timer.abort()
    change({ nextTryAt: null })
  }

  function waitForTry(): void {
    const ms = backOff(++absences)
    timer.abort()
    const mine = new AbortController()
    timer = mine
    change({ nextTryAt: clock.now() + ms })
    void clock.sleep(ms, mine.signal).then(() => {
      if (mine.signal.aborted) return
      change({ nextTryAt: null })
      onDue()
    })
  }

  return {
    shown: () => shown,
    /** The target is down and the next attempt isn't due, so nothing is sent. */
    isWaiting: () => shown.nextTryAt !== null,
    /** Call when a request begins. */
    sent: () => change({ lastSentAt: clock.now() }),
    /** Call with the result of a request to `url`. `waits`: whether all deliveries wait if the target is down. */
    heard(url: string, result: SendResult, verdict: ForwardVerdict, waits: boolean): void {
      change(statusOf(verdict, result, new URL(url).host))
      if (verdict === 'wait') {
        if (waits) waitForTry()
        return
      }
      absences = 0
      tryNow()
    },
    /** Call when a delivery is finished. */
    counted: (isPassed: boolean) =>
      change(isPassed ? { passed: shown.passed + 1 } : { failed: shown.failed + 1 }),
    /** Call on an internal error. Retries as if the target were down. */
    stumbled(problem: string): void {
      change({ problem })
      waitForTry()
    },
    /** Call when the URL changed, which resets the status. */
    begin(): void {
      change({ light: 'new', problem: null })
      absences = 0
      tryNow()
    },
    tryNow,
  }
}

/** `again`: retry this delivery, which counts as an attempt. `wait`: the target is down and everything waits. */
type ForwardVerdict = 'passed' | 'again' | 'wait'

/** A proxy's status for a handler that isn't running. */
const NOBODY_BEHIND: ReadonlySet<number> = new Set([502, 503, 504])

/** As many attempts as the service makes (section 6.4). */
const MOST_TRIES = 3
/** Delays before the second and third attempts, in milliseconds. */
const TRY_WAITS_MS = [1_000, 2_000] as const
const FIRST_BACK_OFF_MS = 500
const LONGEST_BACK_OFF_MS = 30_000

/** How long to pause after this many consecutive failures to connect, in milliseconds. */
function backOff(times: number): number {
  return Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** Math.min(times - 1, 10))
}

/** Classifies a result: the target is up, responds without acknowledging, or is down. Also decides what happens to the delivery. */
function judgeForward(result: SendResult, acknowledged: boolean): ForwardVerdict {
  if (acknowledged) return 'passed'
  const { status, failure } = result
  if (status === null && NOT_CONNECTED.has(failure?.kind)) return 'wait'
  return failure === null && status !== null && NOBODY_BEHIND.has(status) ? 'wait' : 'again'
}

/** The status after the last attempt, and the problem in a sentence or null. */
function statusOf(
  verdict: ForwardVerdict,
  { status, failure }: SendResult,
  host: string,
): { light: Extract<ForwardStatus, 'up' | 'failing' | 'down'>; problem: string | null } {
  if (verdict === 'passed') return { light: 'up', problem: null }
  const problem =
    failure?.message ??
    `${host} returned ${status ?? 'no response'}, so the delivery isn't acknowledged.`
  return { light: verdict === 'wait' ? 'down' : 'failing', problem }
}
