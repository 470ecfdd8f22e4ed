/** The shrinker: starts, follows and remembers searches for smallest bodies while the core runs. */
import { AppError } from '../../shared/contract/errors.ts'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import type { ReplaySettings } from '../../shared/model/send.ts'
import { SHRINKABLE_BYTES, type ShrinkResult, type ShrinkRun } from '../../shared/model/shrink.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import { closeAll } from '../base/async.ts'
import { createRuns, failureSentence } from '../base/runs.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import { type Environments, knownPrefixes } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import {
  type Admission,
  obstacle,
  createHookOf,
  hookToSign,
  signersOf,
  type FindHandlerSigner,
} from '../outgoing/admit.ts'
import type { OwnSends } from '../outgoing/own-sends.ts'
import { createPacer } from '../outgoing/send.ts'
import type { Store } from '../store/store.ts'
import { runShrink, type ShrinkEnd, createAskHandler } from './run-shrink.ts'
import { openShrinkSearch, type ShrinkDescription } from './shrink-search.ts'

export interface ShrinksDeps {
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
  /** Called with a search's progress, at most ten times per second, and at its end. */
  onChanged(run: ShrinkRun): void
}

export type StartShrink = ParsedInputOf<'shrink.start'> & Pick<ReplaySettings, 'handlerId'>

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
    onProgress: ({ state }) => deps.onChanged(state.run),
    onFailed: (error): ShrinkEnd => ({
      outcome: 'broken',
      message: failureSentence(error, log, 'the shrinker'),
      failure: null,
    }),
    onEnded({ state }, { outcome, message, failure }) {
      state.failure = failure
      state.run = { ...state.run, phase: 'ended', outcome, message }
      deps.onChanged(state.run)
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
