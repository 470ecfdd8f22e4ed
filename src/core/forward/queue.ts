/**
 * Sends what waits for one target: each hook's deliveries one after another, in the order in which they came, several hooks side by
 * side. While nobody is there everything waits, and one delivery tries now and then. Nothing is held in memory that is not in the
 * store: a queue may be long, and the program may end at any moment.
 */
import type { ForwardAnswer, ForwardLight } from '../../shared/model/forward.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import type { Log } from '../deps.ts'
import type { SendResult } from '../dispatch/exchange.ts'
import type { Guard } from '../dispatch/guarded-sender.ts'
import type { Sender } from '../dispatch/sender.ts'
import { notSent } from '../replay/not-sent.ts'
import type { OwnSends } from '../replay/own-sends.ts'
import type { Recorder } from '../replay/recorder.ts'
import { isAcknowledged } from '../replay/run-job.ts'
import type { QueuedSend, StoredTarget } from '../store/forward-repo.ts'
import type { EndedSend } from '../store/record-sends.ts'
import type { Store } from '../store/store.ts'
import type { Claims } from './claims.ts'
import { backOff, judge, lightOf, MOST_TRIES, TRY_WAITS_MS } from './health.ts'
import { prepareSend, type PrepareSendDeps } from './prepare-send.ts'

export interface QueueDeps extends PrepareSendDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly log: Log
  readonly guard: Guard
  readonly ownSends: OwnSends
  readonly recorder: Recorder
  /** Deliveries whose answer the service waits for. */
  readonly claims: Claims
  /** Hears that the light or the queue is different from before. */
  onChanged(): void
  /** Hears of a send that has ended, by its seq. */
  onSent(seq: number): void
}

/** How a target does, beside what waits for it. */
export interface QueueState {
  readonly light: Exclude<ForwardLight, 'paused' | 'off'>
  readonly problem: string | null
  /** By the wall clock, in milliseconds; null where it is not down. */
  readonly nextTryAt: number | null
  readonly passed: number
  readonly failed: number
  readonly lastSentAt: number | null
}

export interface Queue {
  state(): QueueState
  /** Something may wait. `atOnce`: also where the next try is not yet due. */
  kick(options?: { readonly atOnce?: boolean }): void
  /** The target was changed: from the next send on it is as it is now. */
  change(target: StoredTarget): void
  /** Cuts off what is under way, and ends. `uncertain`: what was cut off is left as under way, for the next start to find. */
  stop(options: { readonly uncertain: boolean }): Promise<void>
}

/** So many hooks' deliveries go side by side. */
const MOST_LANES = 8
const PAGE = 32
/** How long is waited before what could not be written is written once more. */
const WRITE_AGAIN_MS = 1_000
/** Longest time-out that a timer takes: a debugger may sit in it. */
const NO_LIMIT_MS = 2_147_483_647

/** What has come of one turn of a lane. */
type Turn = 'next' | 'same' | 'stop'

function timeoutOf(answer: ForwardAnswer, claimed: number | null): number {
  if (claimed !== null) return Math.max(1, claimed)
  return answer === 'at-once' ? NO_LIMIT_MS : ACKNOWLEDGE_TIMEOUT_MS
}

export function createQueue(deps: QueueDeps, first: StoredTarget): Queue {
  const { store, clock, log, recorder, claims } = deps
  let target = first
  let certificateProblem: string | null = null
  let sender: Sender | null = null
  const stopped = new AbortController()
  let leaveUncertain = false
  const lanes = new Map<string, Promise<void>>()
  let pumping: Promise<void> | null = null
  let again = false
  let timer: AbortController | null = null
  let light: QueueState['light'] = 'new'
  let problem: string | null = null
  let nextTryAt: number | null = null
  let absences = 0
  let passed = 0
  let failed = 0
  let lastSentAt: number | null = null

  const isIdle = () => target.paused || stopped.signal.aborted || target.settings.url === ''

  function openSender(): Sender {
    const { allowHosts, targetCa } = target.settings
    sender ??= deps.guard.createSender({
      policy: deps.guard.policyFor(allowHosts),
      targetCa,
      // A handler is started anew all the time: a kept connection would be met half closed.
      keepAlive: false,
      onCertificate: (found) => {
        certificateProblem = found
      },
    })
    return sender
  }

  function waitForTry(): void {
    absences++
    const ms = backOff(absences)
    nextTryAt = clock.now() + ms
    timer?.abort()
    const mine = new AbortController()
    timer = mine
    void clock.sleep(ms, AbortSignal.any([mine.signal, stopped.signal])).then(() => {
      if (mine.signal.aborted || stopped.signal.aborted) return
      nextTryAt = null
      kick()
    })
  }

  /** `answers`: the service waits for this one, and sends it again where it was not taken. */
  function heard(result: SendResult, acknowledged: boolean, answers: boolean): ReturnType<typeof judge> {
    const verdict = judge(result, acknowledged)
    const next = lightOf(verdict, result, new URL(target.settings.url).host)
    light = next.light as QueueState['light']
    problem = next.problem
    if (verdict === 'wait' && !answers) waitForTry()
    else if (verdict !== 'wait') {
      absences = 0
      nextTryAt = null
    }
    return verdict
  }

  /** What has happened has to be written, or it would happen again: where the disk is full, it is tried until it is not. */
  async function written<Result>(write: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await write()
      } catch (error) {
        if (stopped.signal.aborted) throw error
        log.warn('What came of a forwarded delivery cannot be written for now.', { reason: (error as Error).message })
        await clock.sleep(WRITE_AGAIN_MS, stopped.signal)
      }
    }
  }

  /** Writes how a send ended, and tells. */
  async function end(send: EndedSend): Promise<void> {
    await written(() => recorder.end(send))
    if (send.passed) passed++
    else failed++
    deps.onSent(send.seq)
    deps.onChanged()
  }

  /** One try at the delivery at the head of a lane. */
  async function tryOne(queued: QueuedSend): Promise<Turn> {
    const { seq, deliverySeq, tries } = queued
    const claim = claims.get(target.id, deliverySeq)
    if (queued.answers && claim === null) {
      await end(notSent(seq, 'Earlier deliveries of its hook held it up for so long that the service was answered without it.'))
      return 'next'
    }
    const made = await prepareSend(deps, queued, target)
    if (typeof made === 'string') {
      claim?.fail(made)
      await end(notSent(seq, made))
      return 'next'
    }
    await recorder.begin({ seq, at: clock.now(), registeredUrl: made.signedUrl })
    if (stopped.signal.aborted) return 'stop'
    lastSentAt = clock.now()
    deps.onChanged()
    const { headers, body, signature, timestamp } = made.request()
    const method = made.delivery.method ?? 'POST'
    const forget = deps.ownSends.expect({ signature, timestamp, body }, made.delivery.id)
    const result = await openSender().send({
      url: target.settings.url,
      method,
      headers,
      body,
      timeoutMs: timeoutOf(target.settings.answer, claim?.begin() ?? null),
      signal: stopped.signal,
    })
    forget()
    // Cut off by the program's end: whether it arrived is not known, and the row says so by staying under way.
    if (stopped.signal.aborted && leaveUncertain) return 'stop'
    claim?.settle(result)
    const acknowledged = isAcknowledged(result, made.hook?.ack ?? '200')
    const verdict = heard(result, acknowledged, queued.answers)
    const { status, ms, failure } = result
    const short = { seq, status, ms, errorKind: failure?.kind ?? null, error: failure?.message ?? null }
    // Whoever waited for the answer has it, and sends the delivery again where it was none.
    const isLast =
      verdict === 'passed' || queued.answers || stopped.signal.aborted || (verdict === 'again' && tries + 1 >= MOST_TRIES)
    if (!isLast) {
      await written(() => store.write('forwardAgain', { send: short, counts: verdict === 'again' }))
      deps.onChanged()
      return verdict === 'wait' ? 'stop' : 'same'
    }
    await end({
      ...short,
      state: 'settled',
      startedAt: null,
      phases: result.phases,
      passed: acknowledged,
      certificateProblem,
      headers: result.headers,
      body: result.body,
      truncated: result.truncated,
      request: { method, headers },
    })
    return verdict === 'wait' && !queued.answers ? 'stop' : 'next'
  }

  async function runLane(page: readonly QueuedSend[]): Promise<void> {
    for (const queued of page) {
      let { tries } = queued
      for (;;) {
        if (isIdle() || nextTryAt !== null) return
        const turn = await tryOne({ ...queued, tries })
        if (turn === 'stop') return
        if (turn === 'next') break
        await clock.sleep(TRY_WAITS_MS[tries] ?? 0, stopped.signal)
        tries++
      }
    }
  }

  function startLane(lane: string, page: readonly QueuedSend[]): void {
    const work = runLane(page)
      .catch((error: unknown) => {
        if (stopped.signal.aborted) return
        problem = `Passing on has stopped for a moment: ${(error as Error).message}`
        log.warn('A delivery could not be passed on for now.', { target: target.id, reason: (error as Error).message })
        waitForTry()
      })
      .then(() => {
        lanes.delete(lane)
        kick()
      })
    lanes.set(lane, work)
  }

  async function pump(): Promise<void> {
    do {
      again = false
      // One alone finds out whether anybody is there again.
      const room = (light === 'down' ? 1 : MOST_LANES) - lanes.size
      if (isIdle() || nextTryAt !== null || room <= 0) continue
      const rows = await store.read('forwardQueued', {
        targetId: target.id,
        busy: [...lanes.keys()],
        limit: light === 'down' ? 1 : PAGE,
      })
      const byLane = [...Map.groupBy(rows, ({ lane }) => lane)].slice(0, room)
      if (isIdle()) return
      for (const [lane, page] of byLane) startLane(lane, page)
      if (byLane.length > 0) again = true
    } while (again)
  }

  function kick({ atOnce = false }: { readonly atOnce?: boolean } = {}): void {
    if (atOnce && nextTryAt !== null) {
      timer?.abort()
      nextTryAt = null
    }
    again = true
    pumping ??= pump()
      .catch((error: unknown) => {
        if (stopped.signal.aborted) return
        log.warn('The queue of a target could not be read for now.', { target: target.id, reason: (error as Error).message })
        waitForTry()
      })
      .finally(() => {
        pumping = null
      })
  }

  return {
    state: () => ({ light, problem, nextTryAt, passed, failed, lastSentAt }),
    kick,
    change(next) {
      const { url, targetCa, allowHosts } = target.settings
      const isElsewhere =
        url !== next.settings.url || targetCa !== next.settings.targetCa || allowHosts.join() !== next.settings.allowHosts.join()
      target = next
      if (isElsewhere) {
        // What is under way ends with the connections it has.
        const before = sender
        sender = null
        void Promise.all(lanes.values()).then(() => before?.close())
        light = 'new'
        problem = null
        absences = 0
      }
      kick({ atOnce: isElsewhere })
    },
    async stop({ uncertain }) {
      leaveUncertain = uncertain
      stopped.abort()
      timer?.abort()
      await pumping
      await Promise.all(lanes.values())
      await sender?.close()
    },
  }
}
