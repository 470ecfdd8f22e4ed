/** The shrinker: starts, follows and remembers searches for smallest bodies while the core runs. */
import { AppError } from '../../shared/contract/errors.ts'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import type { ReplaySettings, SendFailureKind } from '../../shared/model/send.ts'
import {
  SHRINKABLE_BYTES,
  type ShrinkResult,
  type ShrinkRun,
  type HandlerFailure,
  type ShrinkOutcome,
} from '../../shared/model/shrink.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import { closeAll, createRuns, failureSentence } from '../base/async.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { type Environments, knownPrefixes } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import {
  type Admission,
  obstacle,
  createHookOf,
  hookToSign,
  signersOf,
  type FindHandlerSigner,
  type SigningHook,
} from '../outgoing/admit.ts'
import type { OwnSends } from '../outgoing/own-sends.ts'
import { createPacer, type Sender, isSendAcknowledged } from '../outgoing/send.ts'
import type { Store } from '../store/store.ts'
import { hash } from 'node:crypto'
import type { Delivery } from '../../shared/model/delivery.ts'
import { outgoingRequest } from '../outgoing/outgoing-request.ts'
import { Worker } from 'node:worker_threads'

interface ShrinksDeps {
  readonly store: Pick<Store, 'read' | 'settled'>
  readonly hooks: Pick<Hooks, 'get' | 'reveal'>
  readonly environments: Pick<Environments, 'get' | 'all'>
  readonly handlerSigner: FindHandlerSigner
  readonly ownSends: OwnSends
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly admit: Admission['admit']
  /** Options of the search's thread. */
  readonly threadEntry: URL
  readonly hub: Pick<EventHub, 'emit'>
}

type StartShrink = ParsedInputOf<'shrink.start'> & Pick<ReplaySettings, 'handlerId'>

export type Shrinks = ReturnType<typeof createShrinks>

interface Search {
  run: ShrinkRun
  smallest: Uint8Array
  /** Describes the smallest body; known at the end. */
  description: ShrinkDescription
  failure: ShrinkEnd['failure']
}

const MOST_KEPT = 20
const WHOLE = SHRINKABLE_BYTES + 1

export function createShrinks(deps: ShrinksDeps) {
  const { store, hooks, environments, ownSends, clock, log, admit } = deps
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
    const {
      hookId,
      handlerId,
      registeredUrl,
      targetCa,
      rate,
      live,
      allowHosts,
      maxSends,
      maxSeconds,
    } = input
    await store.settled()
    const delivery = await store.read('get', input.id)
    const signing = hookToSign(hooks, hookId, delivery.hookId)
    const to = input.to ?? signing?.url ?? null
    const admitted = await admit(
      {
        targets: to === null ? [] : [to],
        targetCa,
        signers: await signersOf(deps.handlerSigner, { hookId, handlerId }, () => [
          signing?.id ?? null,
        ]),
        what: 'shrinking with a live secret',
      },
      { allowHosts, live },
    )
    const hook = await createHookOf(deps, { hookId, handlerId, registeredUrl }, admitted)(delivery)
    const prefixes = knownPrefixes(environments)
    const problem = obstacle(delivery, {
      hook,
      tamper: null,
      edits: NO_EDITS,
      prefixes,
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
    const { bytes: original } = await store.read('body', {
      seq: delivery.seq,
      offset: 0,
      length: WHOLE,
    })
    const thread = await openShrinkSearch(deps.threadEntry, original, delivery.event)
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
        kind: thread.kind,
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
    runs.start(search.run.id, search, async ({ stopped, progress }) => {
      const change = (next: Partial<ShrinkRun>) => {
        search.run = { ...search.run, ...next }
        progress()
      }
      const turn = createPacer(clock, rate, stopped)
      const endsAt = clock.monotonic() + maxSeconds * 1_000
      const handler = createAskHandler({
        clock,
        sender,
        ownSends,
        delivery,
        hook,
        prefixes,
        target: target.href,
        signal: stopped,
        onSend: () => change({ sends: search.run.sends + 1 }),
      })
      try {
        const end = await runShrink({
          original,
          search: thread,
          answerHolds: input.answerHolds,
          async ask(body) {
            await turn()
            return handler(body)
          },
          stopped: () =>
            stopped.aborted
              ? 'cancelled'
              : search.run.sends >= maxSends || clock.monotonic() >= endsAt
                ? 'limit'
                : null,
          onPhase: (phase) => {
            search.run = { ...search.run, phase }
            progress.flush()
          },
          onFailure: (failure) => change({ failure }),
          onSmaller: (body) => {
            search.smallest = body
            change({ size: body.length })
          },
        })
        if (!runs.closing.aborted)
          // The smallest body counts even if its remaining parts can't be described.
          search.description = await thread.describe(search.smallest).catch((error: unknown) => {
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
// by itself, at a limit, or when cancelled, with the smallest body so far.

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

interface ShrinkEnd {
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

async function runShrink(deps: RunShrinkDeps): Promise<ShrinkEnd> {
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
function createAskHandler(
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

// Runs the search for a smallest body in its own thread, and answers the thread's questions.

export type ToSearch =
  | { readonly type: 'read'; readonly body: Uint8Array; readonly event: string | null }
  | { readonly type: 'search' }
  | { readonly type: 'answer'; readonly isFailing: boolean }
  | { readonly type: 'describe'; readonly smallest: Uint8Array }

export type FromSearch =
  | { readonly type: 'read'; readonly kind: ShrinkRun['kind'] }
  | { readonly type: 'phase'; readonly phase: 'removing' | 'simplifying' }
  | { readonly type: 'asked'; readonly body: Uint8Array }
  | { readonly type: 'found'; readonly body: Uint8Array }
  | ({ readonly type: 'described' } & ShrinkDescription)

/** The removed and remaining parts of the original. */
type ShrinkDescription = Pick<ShrinkResult, 'removed' | 'fields'>

interface SearchAsks {
  /** If it rejects, the search ends. */
  fails(body: Uint8Array): Promise<boolean>
  onPhase(phase: 'removing' | 'simplifying'): void
}

type ShrinkSearch = Awaited<ReturnType<typeof openShrinkSearch>>

/** Reads the body of an event, if it is known, in a thread. Rejects if the thread breaks. */
async function openShrinkSearch(entry: URL, original: Uint8Array, event: string | null) {
  const worker = new Worker(entry)
  const { promise: broken, reject: breakOff } = Promise.withResolvers<never>()
  broken.catch(() => undefined)
  worker.on('error', breakOff)
  worker.on('exit', () => breakOff(new Error('The search thread stopped.')))
  let hear: (message: FromSearch) => void = () => undefined
  worker.on('message', (message: FromSearch) => hear(message))
  const post = (message: ToSearch) => worker.postMessage(message)
  /** Sends a message and passes the replies to `take` until it returns a result. */
  const talk = <Answer>(
    message: ToSearch,
    take: (message: FromSearch) => Answer | null,
  ): Promise<Answer> =>
    Promise.race([
      broken,
      new Promise<Answer>((resolve) => {
        hear = (heard) => {
          const answer = take(heard)
          if (answer !== null) resolve(answer)
        }
        post(message)
      }),
    ])

  try {
    const kind = await talk({ type: 'read', body: original, event }, (heard) =>
      heard.type === 'read' ? heard.kind : null,
    )
    return {
      kind,
      /** Resolves with the smallest body, in UTF-8 if it is JSON. Rejects with the error of an answer. */
      run({ fails, onPhase }: SearchAsks): Promise<Uint8Array> {
        const { promise: refused, reject: refuse } = Promise.withResolvers<never>()
        const found = talk({ type: 'search' }, (heard) => {
          if (heard.type === 'phase') onPhase(heard.phase)
          else if (heard.type === 'asked')
            fails(heard.body).then((isFailing) => post({ type: 'answer', isFailing }), refuse)
          return heard.type === 'found' ? heard.body : null
        })
        return Promise.race([found, refused])
      },
      describe: (smallest: Uint8Array): Promise<ShrinkDescription> =>
        talk({ type: 'describe', smallest }, (heard) =>
          heard.type === 'described' ? { removed: heard.removed, fields: heard.fields } : null,
        ),
      async close() {
        await worker.terminate()
      },
    }
  } catch (error) {
    await worker.terminate()
    throw error
  }
}
