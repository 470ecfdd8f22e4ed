/**
 * One search for the smallest failing body: confirms the failure, sends smaller and smaller bodies, and confirms the result. Ends
 * by itself, at a limit, or when cancelled, with the smallest body so far.
 */
import type { HandlerFailure, ShrinkOutcome, ShrinkRun } from '../../shared/model/shrink.ts'
import { hash } from 'node:crypto'
import type { ShrinkSearch } from './shrink-search.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import type { SendFailureKind } from '../../shared/model/send.ts'
import type { Clock } from '../base/deps.ts'
import { type Sender, isSendAcknowledged } from '../outgoing/send.ts'
import { outgoingRequest } from '../outgoing/outgoing-request.ts'
import type { OwnSends } from '../outgoing/own-sends.ts'
import type { SigningHook } from '../outgoing/admit.ts'

interface RunShrinkDeps {
  readonly original: Uint8Array
  readonly search: Pick<ShrinkSearch, 'kind' | 'run'>
  /** A text that the response must contain; null for any. */
  readonly answerHolds: string | null
  ask(body: Uint8Array): Promise<HandlerFailure | null>
  /** Why no further request may be sent (limit or cancelled); null if one may. */
  stopped(): 'limit' | 'cancelled' | null
  onPhase(phase: ShrinkRun['phase']): void
  onFailure(failure: HandlerFailure): void
  /** Called with each smaller body that still fails. */
  onSmaller(body: Uint8Array): void
}

export interface ShrinkEnd {
  readonly outcome: ShrinkOutcome
  readonly message: string
  /** How the handler fails on the result, or why it couldn't be reached; null if unknown. */
  readonly failure: HandlerFailure | null
}

/** How often the whole body is sent before anything is removed. */
const CONFIRMATIONS = 3

/** Thrown through the search, which doesn't know about limits. */
class Stopped extends Error {
  readonly why: 'limit' | 'cancelled'
  constructor(why: 'limit' | 'cancelled') {
    super(why)
    this.why = why
  }
}

function said(failure: HandlerFailure | null): string {
  if (failure === null) return 'acknowledged'
  return failure.kind === null
    ? `returned ${failure.status ?? 'no response'}`
    : `failed without a response (${failure.kind})`
}

const STOPPED: Record<'limit' | 'cancelled', string> = {
  limit:
    'Stopped at the limit. This body still fails, but a smaller one might too. Continue with a higher limit.',
  cancelled: 'Cancelled. This body still fails, but a smaller one might too.',
}

/** Empty objects and arrays: nothing left to blame. */
const emptyTexts = new Set(['', '{}', '[]'])

function smallestWords(body: Uint8Array, kind: RunShrinkDeps['search']['kind']): string {
  if (body.length <= 2 && emptyTexts.has(Buffer.from(body).toString()))
    return `Your handler fails even without any ${kind === 'bytes' ? 'byte' : 'field'}, so the body isn't the cause, unless this is another failure. Check the response.`
  return `Smallest failing body: removing any single ${kind === 'bytes' ? 'byte' : 'field or item'} makes the handler pass.`
}

export async function runShrink(deps: RunShrinkDeps): Promise<ShrinkEnd> {
  const { original, search, answerHolds } = deps
  const known = new Map<string, boolean>()
  let wanted: HandlerFailure | null = null

  const ask = (body: Uint8Array) => {
    const why = deps.stopped()
    if (why !== null) throw new Stopped(why)
    return deps.ask(body)
  }
  const isAlike = (failure: HandlerFailure | null) =>
    failure !== null &&
    failure.status === wanted?.status &&
    failure.kind === wanted.kind &&
    (answerHolds === null || failure.answer.includes(answerHolds))

  /** Never asks twice about the same body. */
  async function fails(body: Uint8Array): Promise<boolean> {
    const key = hash('sha256', body, 'base64')
    const before = known.get(key)
    if (before !== undefined) return before
    const isFailing = isAlike(await ask(body))
    // A response cut off by a cancel says nothing.
    const why = deps.stopped()
    if (why === 'cancelled') throw new Stopped(why)
    known.set(key, isFailing)
    if (isFailing) deps.onSmaller(body)
    return isFailing
  }

  /** Null if the whole body fails, and always the same way. */
  async function confirm(): Promise<ShrinkEnd | null> {
    deps.onPhase('confirming')
    const first = await ask(original)
    if (first === null) {
      return {
        outcome: 'passes',
        message: 'Nothing to shrink: your handler acknowledges this delivery.',
        failure: null,
      }
    }
    if (answerHolds !== null && !first.answer.includes(answerHolds)) {
      const message = `Your handler ${said(first)}, but the response doesn't contain "${answerHolds}".`
      return { outcome: 'passes', message, failure: first }
    }
    wanted = first
    deps.onFailure(first)
    for (let count = 2; count <= CONFIRMATIONS; count++) {
      const again = await ask(original)
      if (isAlike(again)) continue
      const message = `Your handler doesn't always fail the same way: it ${said(first)}, then ${said(again)} on the ${count === 2 ? 'second' : 'third'} try. It may remember deliveries, or depend on more than the body.`
      return { outcome: 'flaky', message, failure: again }
    }
    return null
  }

  try {
    const end = await confirm()
    if (end !== null) return end
    const smallest = await search.run({ fails, onPhase: deps.onPhase })
    deps.onPhase('checking')
    const failure = await ask(smallest)
    if (!isAlike(failure)) {
      const message = `The smallest body doesn't always fail the same way: on the last try your handler ${said(failure)}. The failure depends on more than the body.`
      return { outcome: 'flaky', message, failure }
    }
    return { outcome: 'smallest', message: smallestWords(smallest, search.kind), failure }
  } catch (error) {
    if (error instanceof Stopped)
      return { outcome: error.why, message: STOPPED[error.why], failure: null }
    if (deps.stopped() === 'cancelled')
      return { outcome: 'cancelled', message: STOPPED.cancelled, failure: null }
    if (error instanceof Unreachable) {
      const { kind, message } = error
      return { outcome: 'unreachable', message, failure: { status: null, kind, answer: '' } }
    }
    throw error
  }
}

// Sends a handler a smaller body instead of the captured one, with a fresh signature, and reports how it fails. Nothing is
// stored, because the service never sent these bodies.

interface AskHandlerDeps {
  readonly clock: Clock
  readonly sender: Pick<Sender, 'send'>
  readonly ownSends: OwnSends
  readonly delivery: Delivery
  readonly hook: SigningHook
  readonly prefixes: readonly string[]
  readonly target: string
  readonly signal: AbortSignal
  /** Called before each request. */
  onSend(): void
}

/** The handler can't be reached, so nothing was learned. The message is a sentence. */
class Unreachable extends Error {
  readonly kind: SendFailureKind
  constructor(kind: SendFailureKind, message: string) {
    super(message)
    this.name = 'Unreachable'
    this.kind = kind
  }
}

/** None of these are the handler's failures. */
const beforeTheHandler: readonly SendFailureKind[] = [
  'refused',
  'unknown-host',
  'certificate',
  'tls',
  'not-allowed',
  'cancelled',
]
/** A handler crashed by a body may be restarted by its supervisor. Delays before the retries, in milliseconds. */
const RESTART_WAITS_MS = [200, 500, 1_000, 2_000, 4_000]
const ANSWER_SHOWN = 500

/** Returns a function that asks the handler: null if it acknowledges. Rejects with `Unreachable`. */
export function createAskHandler(
  deps: AskHandlerDeps,
): (body: Uint8Array) => Promise<HandlerFailure | null> {
  const { clock, sender, ownSends, delivery, hook, prefixes, target, signal } = deps

  async function sendOnce(body: Uint8Array) {
    const made = outgoingRequest({ headers: delivery.headers, body }, hook, {
      tamper: null,
      edits: NO_EDITS,
      prefixes,
      wallTime: clock.now(),
    })
    deps.onSend()
    const { forget } = ownSends.expect(made, delivery.id)
    try {
      const { headers } = made
      return await sender.send({
        url: target,
        method: delivery.method ?? 'POST',
        headers,
        body: made.body,
        signal,
      })
    } finally {
      forget()
    }
  }

  return async (body) => {
    let result = await sendOnce(body)
    for (const wait of RESTART_WAITS_MS) {
      if (signal.aborted || result.failure?.kind !== 'refused') break
      await clock.sleep(wait, signal)
      result = await sendOnce(body)
    }
    const { failure, status } = result
    if (failure !== null && beforeTheHandler.includes(failure.kind))
      throw new Unreachable(failure.kind, failure.message)
    if (isSendAcknowledged(result, hook.ack)) return null
    const answer = Buffer.from(result.body).toString('utf8').slice(0, ANSWER_SHOWN)
    return { status: failure === null ? status : null, kind: failure?.kind ?? null, answer }
  }
}
