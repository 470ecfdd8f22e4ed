/**
 * Search for the smallest failing body. Nothing is stored, because the service never sent these
 * bodies.
 */
import { hash } from 'node:crypto'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import type { Consent } from '../../shared/model/consent.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import type { ReplaySettings } from '../../shared/model/send.ts'
import type { ShrinkOutcome, HandlerFailure, ShrinkRun } from '../../shared/model/shrink.ts'
import type { KnownSecrets } from '../../shared/text/mask.ts'
import type { ActiveRun } from '../base/runs.ts'
import type { JobThread } from '../base/threads/job-thread.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import {
  type Pacer,
  type Sender,
  createPacer,
  sendSigned,
  NOT_CONNECTED,
  isSendAcknowledged,
} from '../outgoing/send.ts'
import type { SendDeps, SigningHook } from '../outgoing/signing-hooks.ts'
import type { ShrinkDescription, ShrinkJobs } from './shrink-thread.ts'

type SearchDeps = Pick<SendDeps, 'clock' | 'environments' | 'ownSends'> & KnownSecrets

export interface StartShrink
  extends Omit<ParsedInputOf<'shrink.start'>, keyof Consent>, Pick<ReplaySettings, 'handlerId'> {
  readonly consent: Consent
}

export interface ShrinkEnd {
  readonly outcome: ShrinkOutcome
  readonly message: string
  /** Failure on the result; null if unknown. */
  readonly failure: HandlerFailure | null
}

export interface SearchState {
  run: ShrinkRun
  smallest: Uint8Array
  description: ShrinkDescription
  failure: ShrinkEnd['failure']
}

export interface ShrinkWork {
  readonly input: StartShrink
  readonly delivery: Delivery
  readonly hook: SigningHook
  readonly sender: Sender
  readonly thread: JobThread<ShrinkJobs>
}

const CONFIRMATIONS = 3
/** Delays before retries, in milliseconds, for a supervisor that restarts a crashed handler. */
const RESTART_WAITS_MS = [200, 500, 1_000, 2_000, 4_000]
const SHOWN_RESPONSE_LENGTH = 500

/** Error that ends the search from within a request. */
class SearchEnded extends Error {
  readonly end: ShrinkEnd
  constructor(end: ShrinkEnd) {
    super(end.message)
    this.name = 'Ended'
    this.end = end
  }
}

const AT_LIMIT: ShrinkEnd = {
  outcome: 'limit',
  message:
    'Stopped at the limit. This body still fails, but a smaller one might too. Continue with a higher limit.',
  failure: null,
}

function responseText(failure: HandlerFailure | null): string {
  if (failure === null) return 'acknowledged'
  return failure.kind === null
    ? `returned ${failure.status ?? 'no response'}`
    : `failed without a response (${failure.kind})`
}

/** Bodies without content, which can't cause a failure. */
const emptyTexts = new Set(['', '{}', '[]'])

function smallestMessage(body: Uint8Array, kind: ShrinkRun['kind']): string {
  if (body.length <= 2 && emptyTexts.has(Buffer.from(body).toString()))
    return `Your handler fails even without any ${kind === 'bytes' ? 'byte' : 'field'}, so the body isn't the cause. Is it the same error? Check the response.`
  return `Smallest failing body: removing any single ${kind === 'bytes' ? 'byte' : 'field or item'} makes the handler pass.`
}

export class ShrinkSearch {
  readonly #deps: SearchDeps
  readonly #run: ActiveRun<SearchState>
  readonly #work: ShrinkWork
  readonly #prefixes: readonly string[]
  readonly #turn: Pacer
  readonly #endsAt: number
  /** Whether a body fails, by its hash. */
  readonly #results = new Map<string, boolean>()
  /** Failure of the whole body. */
  #expected: HandlerFailure | null = null

  constructor(deps: SearchDeps, run: ActiveRun<SearchState>, work: ShrinkWork) {
    this.#deps = deps
    this.#run = run
    this.#work = work
    this.#prefixes = knownPrefixes(deps.environments)
    this.#turn = createPacer(deps.clock, work.input.rate, run.stopped)
    this.#endsAt = deps.clock.monotonic() + work.input.maxSeconds * 1_000
  }

  async search(): Promise<ShrinkEnd> {
    const { state, stopped } = this.#run
    const { thread } = this.#work
    try {
      const end = await this.#confirm(state.smallest)
      if (end !== null) return end
      let step = await thread.run('next', null)
      while (!step.isSmallest) {
        if (step.phase !== state.run.phase) this.#begin(step.phase)
        step = await thread.run('next', await this.#fails(step.body))
      }
      return await this.#confirmSmallest(step.body)
    } catch (error) {
      if (stopped.aborted) {
        const message = 'Cancelled. This body still fails, but a smaller one might too.'
        return { outcome: 'cancelled', message, failure: null }
      }
      if (error instanceof SearchEnded) return error.end
      throw error
    }
  }

  /** Sends the original several times; resolves with null if it always fails the same way. */
  async #confirm(original: Uint8Array): Promise<ShrinkEnd | null> {
    const { answerHolds } = this.#work.input
    this.#begin('confirming')
    const first = await this.#ask(original)
    if (first === null) {
      const message = 'Nothing to shrink: your handler acknowledges this delivery.'
      return { outcome: 'passes', message, failure: null }
    }
    if (answerHolds !== null && !first.answer.includes(answerHolds)) {
      const message = `Your handler ${responseText(first)}, but the response doesn't contain "${answerHolds}".`
      return { outcome: 'passes', message, failure: first }
    }
    this.#expected = first
    this.#change({ failure: first })
    for (let count = 2; count <= CONFIRMATIONS; count++) {
      const again = await this.#ask(original)
      if (this.#isExpected(again)) continue
      const message = `Your handler doesn't always fail the same way: it ${responseText(first)}, then ${responseText(again)} on the ${count === 2 ? 'second' : 'third'} try. It may remember deliveries, or depend on more than the body.`
      return { outcome: 'flaky', message, failure: again }
    }
    return null
  }

  async #confirmSmallest(smallest: Uint8Array): Promise<ShrinkEnd> {
    this.#begin('checking')
    const failure = await this.#ask(smallest)
    if (!this.#isExpected(failure)) {
      const message = `The smallest body doesn't always fail the same way: on the last try your handler ${responseText(failure)}. The failure depends on more than the body.`
      return { outcome: 'flaky', message, failure }
    }
    const message = smallestMessage(smallest, this.#run.state.run.kind)
    return { outcome: 'smallest', message, failure }
  }

  async #fails(body: Uint8Array): Promise<boolean> {
    const key = hash('sha256', body, 'base64')
    const earlier = this.#results.get(key)
    if (earlier !== undefined) return earlier
    const isFailing = this.#isExpected(await this.#ask(body))
    // A response cut off by a cancel says nothing.
    this.#run.stopped.throwIfAborted()
    this.#results.set(key, isFailing)
    if (isFailing) {
      this.#run.state.smallest = body
      this.#change({ size: body.length })
    }
    return isFailing
  }

  #isExpected(failure: HandlerFailure | null): boolean {
    const { answerHolds } = this.#work.input
    return (
      failure !== null &&
      failure.status === this.#expected?.status &&
      failure.kind === this.#expected.kind &&
      (answerHolds === null || failure.answer.includes(answerHolds))
    )
  }

  /**
   * Sends a body; resolves with its failure, or null if acknowledged. Rejects with `SearchEnded`.
   */
  async #ask(body: Uint8Array): Promise<HandlerFailure | null> {
    const { clock } = this.#deps
    const { state, stopped } = this.#run
    const isAtLimit = state.run.sends >= this.#work.input.maxSends
    if (stopped.aborted || isAtLimit || clock.monotonic() >= this.#endsAt)
      throw new SearchEnded(AT_LIMIT)
    await this.#turn()
    let result = await this.#send(body)
    // A handler that never responded isn't being restarted.
    for (const wait of this.#expected === null ? [] : RESTART_WAITS_MS) {
      if (stopped.aborted || result.failure?.kind !== 'refused') break
      await clock.sleep(wait, stopped)
      result = await this.#send(body)
    }
    const { failure, status } = result
    // A failed connection isn't the handler's failure.
    if (failure !== null && (failure.kind === 'cancelled' || NOT_CONNECTED.has(failure.kind)))
      throw new SearchEnded({
        outcome: 'unreachable',
        message: failure.message,
        failure: { status: null, kind: failure.kind, answer: '' },
      })
    if (isSendAcknowledged(result, this.#work.hook.ack)) return null
    const mask = await this.#deps.mask()
    const answer = mask(Buffer.from(result.body).toString('utf8'), SHOWN_RESPONSE_LENGTH)
    return { status: failure === null ? status : null, kind: failure?.kind ?? null, answer }
  }

  async #send(body: Uint8Array) {
    const { clock, ownSends } = this.#deps
    const { state, stopped } = this.#run
    const { delivery, hook, sender } = this.#work
    this.#change({ sends: state.run.sends + 1 })
    const prefixes = this.#prefixes
    const wallTime = clock.now()
    const { result } = await sendSigned(
      ownSends,
      sender,
      { delivery, body, signing: hook, tamper: null, edits: NO_EDITS, prefixes, wallTime },
      { url: state.run.target, signal: stopped },
    )
    return result
  }

  #begin(phase: ShrinkRun['phase']): void {
    const { state, progress } = this.#run
    state.run = { ...state.run, phase }
    progress.flush()
  }

  #change(changes: Partial<ShrinkRun>): void {
    const { state, progress } = this.#run
    state.run = { ...state.run, ...changes }
    progress()
  }
}
