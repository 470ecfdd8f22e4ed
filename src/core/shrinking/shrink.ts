/** The shrinker: starts, follows and remembers searches for smallest bodies while the core runs. */
import { AppError } from '../../shared/contract/errors.ts'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import type { Consent } from '../../shared/model/consent.ts'
import type { ReplaySettings } from '../../shared/model/send.ts'
import {
  SHRINKABLE_BYTES,
  type ShrinkResult,
  type ShrinkRun,
  type HandlerFailure,
  type ShrinkOutcome,
} from '../../shared/model/shrink.ts'
import type { KnownSecrets } from '../../shared/text/masked.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import { type ActiveRun, closeAll, createRuns, failureSentence } from '../base/async.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import {
  obstacle,
  createHookOf,
  hookToSign,
  signersOf,
  type SendingDeps,
  type SigningHook,
} from '../outgoing/admit.ts'
import {
  createPacer,
  type Sender,
  isSendAcknowledged,
  NOT_CONNECTED,
  sendSigned,
} from '../outgoing/send.ts'
import { hash } from 'node:crypto'
import type { Delivery } from '../../shared/model/delivery.ts'
import { startJobThread, type JobThread } from '../base/threads/job-thread.ts'
import type { ShrinkDescription, ShrinkJobs } from './shrink-thread.ts'

interface ShrinksDeps extends SendingDeps, KnownSecrets {
  /** The search's thread. */
  readonly threadEntry: URL
}

interface StartShrink
  extends Omit<ParsedInputOf<'shrink.start'>, keyof Consent>, Pick<ReplaySettings, 'handlerId'> {
  readonly consent: Consent
}

export type Shrinks = ReturnType<typeof createShrinks>

interface Search {
  run: ShrinkRun
  smallest: Uint8Array
  /** Describes the smallest body; known at the end. */
  description: ShrinkDescription
  failure: ShrinkEnd['failure']
}

const MOST_KEPT = 20
/** The search's documents need much memory, for a short time each. */
const YOUNG_GENERATION_MB = 64

export function createShrinks(deps: ShrinksDeps) {
  const { store, hooks, environments, clock, log, admission } = deps
  const searches = new Map<string, Search>()
  const runs = createRuns<Search, ShrinkEnd>({
    onProgress: ({ state }) => deps.hub.emit('shrink.changed', { run: state.run }),
    onFailed: (error): ShrinkEnd => ({
      outcome: 'broken',
      message: failureSentence(error, log, 'the shrinker'),
      failure: null,
    }),
    onEnded({ state }, { outcome, message, failure }) {
      state.failure = failure
      state.run = { ...state.run, phase: 'ended', outcome, message }
      deps.hub.emit('shrink.changed', { run: state.run })
    },
  })

  function find(runId: string): Search {
    const search = searches.get(runId)
    if (search === undefined)
      throw new AppError(
        'NOT_FOUND',
        `Shrink run ${runId} not found. Only the last ${MOST_KEPT} are kept while Countersign runs.`,
      )
    return search
  }

  function resultOf({ run, smallest, description, failure }: Search): ShrinkResult {
    return { run, base64: Buffer.from(smallest).toString('base64'), ...description, failure }
  }

  async function start(input: StartShrink): Promise<ShrinkRun> {
    const { hookId, handlerId, registeredUrl, targetCa, consent, maxSends } = input
    await store.settled()
    const delivery = await store.read('get', input.id)
    const signing = hookToSign(hooks, hookId, delivery.hookId)
    const to = input.to ?? signing?.url ?? null
    const admitted = await admission.admit(
      {
        targets: to === null ? [] : [to],
        targetCa,
        signers: await signersOf(deps.handlerSigner, { hookId, handlerId }, () => [
          signing?.id ?? null,
        ]),
        what: 'shrinking with a live secret',
      },
      consent,
    )
    const hook = await createHookOf(deps, { hookId, handlerId, registeredUrl }, admitted)(delivery)
    const problem = obstacle(delivery, {
      hook,
      tamper: null,
      edits: NO_EDITS,
      prefixes: knownPrefixes(environments),
      hasOwnBody: false,
    })
    const [target] = admitted.targets
    if (hook === null || target === undefined || problem !== null)
      throw new AppError('INVALID_INPUT', problem ?? 'The delivery matches no hook.')
    if (delivery.bodySize > SHRINKABLE_BYTES)
      throw new AppError(
        'INVALID_INPUT',
        `The body of ${delivery.id} has ${delivery.bodySize.toLocaleString('en')} bytes. Bodies up to ${SHRINKABLE_BYTES / 1_048_576} MiB can be shrunk, because each of hundreds of requests carries one.`,
      )
    const { bytes: original } = await store.read('body', { seq: delivery.seq })
    const thread = await startJobThread<ShrinkJobs>(deps.threadEntry, null, YOUNG_GENERATION_MB)
    const kind = await thread.run('read', { body: original, event: delivery.event })
    if (runs.closing.aborted) {
      await thread.close()
      throw new AppError(
        'NOT_RUNNING',
        'Countersign is shutting down. Start it again, then shrink the body.',
      )
    }

    const search: Search = {
      run: {
        id: deps.ids.next(),
        deliveryId: delivery.id,
        target: target.href,
        handlerId,
        startedAt: new Date(clock.now()).toISOString(),
        phase: 'confirming',
        outcome: null,
        message: null,
        kind,
        sends: 0,
        maxSends,
        originalSize: original.length,
        size: original.length,
        failure: null,
      },
      smallest: original,
      description: { removed: 0, fields: [] },
      failure: null,
    }
    searches.set(search.run.id, search)
    for (const [id, { run }] of searches)
      if (searches.size > MOST_KEPT && run.outcome !== null) searches.delete(id)

    const sender = admitted.createSender({ keepAlive: false })
    runs.start(search.run.id, search, async (run) => {
      try {
        const end = await runShrink(deps, run, { input, delivery, hook, sender, thread })
        if (!runs.closing.aborted)
          // The smallest body counts even if its remaining parts can't be described.
          search.description = await thread
            .run('describe', search.smallest)
            .catch((error: unknown) => {
              log.bug(error, 'describing a shrunk body')
              return search.description
            })
        return end
      } finally {
        await closeAll([() => thread.close(), () => sender.close()])
      }
    })
    return search.run
  }

  return {
    /**
     * Resolves once the search runs. Rejects before anything is sent, with `INVALID_INPUT`, `NOT_FOUND`, `TARGET_NOT_ALLOWED`,
     * `CONFIRMATION_REQUIRED` or `SECRET_UNREADABLE`.
     */
    start,
    async cancel(runId: string): Promise<ShrinkResult> {
      const search = find(runId)
      await runs.cancel(runId)
      return resultOf(search)
    },
    get: (runId: string): ShrinkResult => resultOf(find(runId)),
    /** Cancels running searches. No search starts after this. */
    close: runs.close,
  }
}

// One search for the smallest failing body: confirms the failure, sends smaller and smaller bodies, and confirms the result. Ends
// by itself, at a limit, or when cancelled, with the smallest body so far. Nothing is stored, because the service never sent these
// bodies.

interface ShrinkEnd {
  readonly outcome: ShrinkOutcome
  readonly message: string
  /** How the handler fails on the result, or why it couldn't be reached; null if unknown. */
  readonly failure: HandlerFailure | null
}

/** How often the whole body is sent before anything is removed. */
const CONFIRMATIONS = 3

/** Ends a search from within a request. */
class Ended extends Error {
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

function said(failure: HandlerFailure | null): string {
  if (failure === null) return 'acknowledged'
  return failure.kind === null
    ? `returned ${failure.status ?? 'no response'}`
    : `failed without a response (${failure.kind})`
}

/** Empty objects and arrays: nothing left to blame. */
const emptyTexts = new Set(['', '{}', '[]'])

function smallestWords(body: Uint8Array, kind: ShrinkRun['kind']): string {
  if (body.length <= 2 && emptyTexts.has(Buffer.from(body).toString()))
    return `Your handler fails even without any ${kind === 'bytes' ? 'byte' : 'field'}, so the body isn't the cause, unless this is another failure. Check the response.`
  return `Smallest failing body: removing any single ${kind === 'bytes' ? 'byte' : 'field or item'} makes the handler pass.`
}

/**
 * Delays before the retries, in milliseconds: a supervisor may restart a handler that a body has
 * crashed.
 */
const RESTART_WAITS_MS = [200, 500, 1_000, 2_000, 4_000]
const ANSWER_SHOWN = 500

/** What a search sends, and with what. */
interface ShrinkWork {
  readonly input: StartShrink
  readonly delivery: Delivery
  readonly hook: SigningHook
  readonly sender: Sender
  readonly thread: JobThread<ShrinkJobs>
}

async function runShrink(
  { clock, environments, ownSends, mask }: ShrinksDeps,
  { state: search, stopped, progress }: ActiveRun<Search>,
  { input, delivery, hook, sender, thread }: ShrinkWork,
): Promise<ShrinkEnd> {
  const { answerHolds, rate, maxSends, maxSeconds } = input
  const { smallest: original } = search
  const { target } = search.run
  const prefixes = knownPrefixes(environments)
  const turn = createPacer(clock, rate, stopped)
  const endsAt = clock.monotonic() + maxSeconds * 1_000
  const known = new Map<string, boolean>()
  let wanted: HandlerFailure | null = null

  const change = (next: Partial<ShrinkRun>) => {
    search.run = { ...search.run, ...next }
    progress()
  }
  const begin = (phase: ShrinkRun['phase']) => {
    search.run = { ...search.run, phase }
    progress.flush()
  }

  /** Sends the handler a smaller body instead of the captured one, with a fresh signature. */
  async function sendOnce(body: Uint8Array) {
    change({ sends: search.run.sends + 1 })
    const wallTime = clock.now()
    const { result } = await sendSigned(
      ownSends,
      sender,
      { delivery, body, hook, tamper: null, edits: NO_EDITS, prefixes, wallTime },
      { url: target, signal: stopped },
    )
    return result
  }

  /** How the handler fails; null if it acknowledges. Rejects with `Ended` if it can't be reached or asked. */
  async function ask(body: Uint8Array): Promise<HandlerFailure | null> {
    if (stopped.aborted || search.run.sends >= maxSends || clock.monotonic() >= endsAt)
      throw new Ended(AT_LIMIT)
    await turn()
    let result = await sendOnce(body)
    // A handler that never responded isn't being restarted.
    for (const wait of wanted === null ? [] : RESTART_WAITS_MS) {
      if (stopped.aborted || result.failure?.kind !== 'refused') break
      await clock.sleep(wait, stopped)
      result = await sendOnce(body)
    }
    const { failure, status } = result
    // None of these is the handler's failure.
    if (failure !== null && (failure.kind === 'cancelled' || NOT_CONNECTED.has(failure.kind)))
      throw new Ended({
        outcome: 'unreachable',
        message: failure.message,
        failure: { status: null, kind: failure.kind, answer: '' },
      })
    if (isSendAcknowledged(result, hook.ack)) return null
    const answer = (await mask())(Buffer.from(result.body).toString('utf8'), ANSWER_SHOWN)
    return { status: failure === null ? status : null, kind: failure?.kind ?? null, answer }
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
    stopped.throwIfAborted()
    known.set(key, isFailing)
    if (isFailing) {
      search.smallest = body
      change({ size: body.length })
    }
    return isFailing
  }

  /** Null if the whole body fails, and always the same way. */
  async function confirm(): Promise<ShrinkEnd | null> {
    begin('confirming')
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
    change({ failure: first })
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
    let step = await thread.run('next', null)
    while (!step.isSmallest) {
      if (step.phase !== search.run.phase) begin(step.phase)
      step = await thread.run('next', await fails(step.body))
    }
    begin('checking')
    const failure = await ask(step.body)
    if (!isAlike(failure)) {
      const message = `The smallest body doesn't always fail the same way: on the last try your handler ${said(failure)}. The failure depends on more than the body.`
      return { outcome: 'flaky', message, failure }
    }
    return { outcome: 'smallest', message: smallestWords(step.body, search.run.kind), failure }
  } catch (error) {
    if (stopped.aborted) {
      const message = 'Cancelled. This body still fails, but a smaller one might too.'
      return { outcome: 'cancelled', message, failure: null }
    }
    if (error instanceof Ended) return error.end
    throw error
  }
}
