/** The shrinker: starts, follows and remembers searches for smallest bodies while the core runs. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import { SHRINKABLE_BYTES, type ShrinkResult, type ShrinkRun } from '../../shared/model/shrink.ts'
import type { KnownSecrets } from '../../shared/text/mask.ts'
import { closeAll, failureSentence } from '../base/async.ts'
import { createRuns } from '../base/runs.ts'
import { startJobThread, type JobThread } from '../base/threads/job-thread.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import { hookToSign } from '../outgoing/known-hooks.ts'
import {
  createSigningHookFinder,
  sendObstacle,
  signersOf,
  type SendDeps,
} from '../outgoing/signing-hooks.ts'
import {
  ShrinkSearch,
  type SearchState,
  type ShrinkEnd,
  type ShrinkWork,
  type StartShrink,
} from './shrink-search.ts'
import type { ShrinkJobs } from './shrink-thread.ts'

interface ShrinksDeps extends SendDeps, KnownSecrets {
  readonly threadEntry: URL
}

/** Maximum number of finished searches to remember. */
const MAX_KEPT = 20
/** Heap in megabytes for the many short-lived documents of a search. */
const YOUNG_GENERATION_MB = 64

export class Shrinker {
  readonly #deps: ShrinksDeps
  readonly #searches = new Map<string, SearchState>()
  readonly #runs = createRuns<SearchState, ShrinkEnd>({
    onProgress: ({ state }) => this.#report(state),
    onFailed: (error): ShrinkEnd => ({
      outcome: 'broken',
      message: failureSentence(error, this.#deps.log, 'the shrinker'),
      failure: null,
    }),
    onEnded: ({ state }, { outcome, message, failure }) => {
      state.failure = failure
      state.run = { ...state.run, phase: 'ended', outcome, message }
      this.#report(state)
    },
  })

  constructor(deps: ShrinksDeps) {
    this.#deps = deps
  }

  /**
   * Resolves once the search runs. Rejects before anything is sent, with `INVALID_INPUT`,
   * `NOT_FOUND`, `TARGET_NOT_ALLOWED`, `CONFIRMATION_REQUIRED` or `SECRET_UNREADABLE`.
   */
  async start(input: StartShrink): Promise<ShrinkRun> {
    const { store } = this.#deps
    await store.settled()
    const delivery = await store.read('get', input.id)
    const { target, hook, createSender } = await this.#admit(input, delivery)
    const { bytes: original } = await store.read('body', { seq: delivery.seq })
    const { thread, kind } = await this.#startThread(original, delivery.event)
    const search = this.#remember(
      {
        id: this.#deps.ids.next(),
        deliveryId: delivery.id,
        target: target.href,
        handlerId: input.handlerId,
        startedAt: new Date(this.#deps.clock.now()).toISOString(),
        phase: 'confirming',
        outcome: null,
        message: null,
        kind,
        sends: 0,
        maxSends: input.maxSends,
        originalSize: original.length,
        size: original.length,
        failure: null,
      },
      original,
    )
    const sender = createSender({ keepAlive: false })
    this.#run(search, { input, delivery, hook, sender, thread })
    return search.run
  }

  async cancel(runId: string): Promise<ShrinkResult> {
    const search = this.#find(runId)
    await this.#runs.cancel(runId)
    return resultOf(search)
  }

  get(runId: string): ShrinkResult {
    return resultOf(this.#find(runId))
  }

  /** Cancels running searches. No search starts after this. */
  close(): Promise<void> {
    return this.#runs.close()
  }

  async #admit(input: StartShrink, delivery: Delivery) {
    const { admission, environments, handlerSigner, hooks } = this.#deps
    const { hookId, handlerId, registeredUrl, targetCa, consent } = input
    const signing = hookToSign(hooks, hookId, delivery.hookId)
    const to = input.to ?? signing?.url ?? null
    const signers = await signersOf(handlerSigner, { hookId, handlerId }, () => [
      signing?.id ?? null,
    ])
    const admitted = await admission.admit(
      { targets: to === null ? [] : [to], targetCa, signers, what: 'shrinking with a live secret' },
      consent,
    )
    const hookOf = createSigningHookFinder(
      this.#deps,
      { hookId, handlerId, registeredUrl },
      admitted,
    )
    const hook = await hookOf(delivery)
    const problem = sendObstacle(delivery, {
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
    return { target, hook, createSender: admitted.createSender }
  }

  async #startThread(
    body: Uint8Array,
    event: string | null,
  ): Promise<{ thread: JobThread<ShrinkJobs>; kind: ShrinkRun['kind'] }> {
    const { threadEntry } = this.#deps
    const thread = await startJobThread<ShrinkJobs>(threadEntry, null, YOUNG_GENERATION_MB)
    const kind = await thread.run('read', { body, event })
    if (!this.#runs.closing.aborted) return { thread, kind }
    await thread.close()
    throw new AppError(
      'NOT_RUNNING',
      'Countersign is shutting down. Start it again, then shrink the body.',
    )
  }

  #remember(run: ShrinkRun, original: Uint8Array): SearchState {
    const search: SearchState = {
      run,
      smallest: original,
      description: { removed: 0, fields: [] },
      failure: null,
    }
    this.#searches.set(run.id, search)
    for (const [id, { run: other }] of this.#searches)
      if (this.#searches.size > MAX_KEPT && other.outcome !== null) this.#searches.delete(id)
    return search
  }

  #run(search: SearchState, work: ShrinkWork): void {
    const { sender, thread } = work
    this.#runs.start(search.run.id, search, async (run) => {
      try {
        const end = await new ShrinkSearch(this.#deps, run, work).search()
        if (!this.#runs.closing.aborted)
          // The smallest body counts even if its remaining parts can't be described.
          search.description = await thread
            .run('describe', search.smallest)
            .catch((error: unknown) => {
              this.#deps.log.bug(error, 'describing a shrunk body')
              return search.description
            })
        return end
      } finally {
        await closeAll([() => thread.close(), () => sender.close()])
      }
    })
  }

  #find(runId: string): SearchState {
    const search = this.#searches.get(runId)
    if (search !== undefined) return search
    throw new AppError(
      'NOT_FOUND',
      `Shrink run ${runId} not found. Only the last ${MAX_KEPT} are kept while Countersign runs.`,
    )
  }

  #report({ run }: SearchState): void {
    this.#deps.hub.emit('shrink.changed', { run })
  }
}

function resultOf({ run, smallest, description, failure }: SearchState): ShrinkResult {
  return { run, base64: Buffer.from(smallest).toString('base64'), ...description, failure }
}
