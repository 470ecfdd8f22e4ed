/** The shrinker: searches for smallest bodies, each begun by a person, told of while it goes, and kept while the instance runs. */
import { AppError } from '../../shared/contract/errors.ts'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import { SHRINKABLE_BYTES, type ShrinkResult, type ShrinkRun } from '../../shared/model/shrink.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import type { Clock, Ids, Log } from '../deps.ts'
import type { Guard } from '../outgoing/wire/guarded-sender.ts'
import { readTarget } from '../outgoing/target.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { knownPrefixes } from '../hooks/known-prefixes.ts'
import type { Admission } from '../outgoing/admit.ts'
import { obstacle } from '../outgoing/obstacle.ts'
import type { OwnSends } from '../outgoing/own-sends.ts'
import { createPacer } from '../outgoing/send.ts'
import { createHookOf, hookToSign } from '../outgoing/signing-hooks.ts'
import type { Store } from '../store/store.ts'
import { createAskHandler } from './ask-handler.ts'
import { runShrink, type ShrinkEnd } from './run-shrink.ts'
import { openShrinkSearch, type ShrinkDescription } from './shrink-search.ts'

export interface ShrinksDeps {
  readonly store: Pick<Store, 'read' | 'settled'>
  readonly hooks: Pick<Hooks, 'get' | 'reveal'>
  readonly environments: Pick<Environments, 'get' | 'all'>
  readonly ownSends: OwnSends
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly guard: Pick<Guard, 'createSender'>
  readonly admit: Admission['admit']
  /** Of the thread that a search runs in. */
  readonly threadEntry: URL
  /** Hears how far a search is, at most ten times a second, and of its end. */
  onChanged(run: ShrinkRun): void
}

export type StartShrink = ParsedInputOf<'shrink.start'>

export interface Shrinks {
  /**
   * Resolves once it goes. Rejects, with nothing sent, with `INVALID_INPUT`, `NOT_FOUND`, `TARGET_NOT_ALLOWED`,
   * `CONFIRMATION_REQUIRED` or `SECRET_UNREADABLE`.
   */
  start(input: StartShrink): Promise<ShrinkRun>
  cancel(runId: string): Promise<ShrinkResult>
  get(runId: string): ShrinkResult
  /** Cancels what goes; nothing begins any more. */
  close(): Promise<void>
}

interface Search {
  run: ShrinkRun
  smallest: Uint8Array
  /** Of the smallest; known once it has ended. */
  description: ShrinkDescription
  failure: ShrinkEnd['failure']
  readonly cancelled: AbortController
  ended: Promise<void>
}

const MOST_KEPT = 20
const TELL_MS = 100
const WHOLE = SHRINKABLE_BYTES + 1

export function createShrinks(deps: ShrinksDeps): Shrinks {
  const { store, hooks, environments, ownSends, clock, log, admit } = deps
  const searches = new Map<string, Search>()
  let isClosing = false

  function find(runId: string): Search {
    const search = searches.get(runId)
    if (search === undefined)
      throw new AppError(
        'NOT_FOUND',
        `No search for a smallest body is known as ${runId}: the last ${MOST_KEPT} of an instance are.`,
      )
    return search
  }

  function resultOf({ run, smallest, description, failure }: Search): ShrinkResult {
    return { run, base64: Buffer.from(smallest).toString('base64'), ...description, failure }
  }

  async function start(input: StartShrink): Promise<ShrinkRun> {
    const { hookId, registeredUrl, targetCa, rate, live, allowHosts, maxSends, maxSeconds } = input
    await store.settled()
    const delivery = await store.read('get', input.id)
    const signing = hookToSign(hooks, hookId, delivery.hookId)
    const to = input.to ?? signing?.url ?? null
    const admitted = await admit(
      {
        targets: to === null ? [] : [to],
        targetCa,
        signers: { hookIds: [signing?.id ?? null] },
        what: 'shrinking with a live secret',
      },
      { allowHosts, live },
    )
    const hook = await createHookOf({ hooks, environments }, { hookId, registeredUrl }, admitted)(delivery)
    const prefixes = knownPrefixes(environments)
    const problem = obstacle(delivery, { hook, tamper: null, edits: NO_EDITS, prefixes, hasOwnBody: false })
    if (hook === null || to === null || problem !== null)
      throw new AppError('INVALID_INPUT', problem ?? 'The delivery belongs to no hook that is known here.')
    if (delivery.bodySize > SHRINKABLE_BYTES)
      throw new AppError(
        'INVALID_INPUT',
        `The body of ${delivery.id} has ${delivery.bodySize.toLocaleString('en')} bytes: bodies of up to ${SHRINKABLE_BYTES / 1_048_576} MiB can be shrunk. Larger ones are no webhook of the service, and each of hundreds of sends would carry as much.`,
      )
    const target = readTarget(to)
    const { bytes: original } = await store.read('body', { seq: delivery.seq, offset: 0, length: WHOLE })
    const thread = await openShrinkSearch(deps.threadEntry, original)
    if (isClosing) {
      await thread.close()
      throw new AppError('NOT_RUNNING', 'The program is ending, so no search begins. Start it again, and search then.')
    }

    const cancelled = new AbortController()
    const search: Search = {
      run: {
        id: deps.ids.next(),
        deliveryId: delivery.id,
        target: target.href,
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
      cancelled,
      ended: Promise.resolve(),
    }
    searches.set(search.run.id, search)
    for (const [id, { run }] of searches) if (searches.size > MOST_KEPT && run.outcome !== null) searches.delete(id)

    let tellAt = 0
    const change = (next: Partial<ShrinkRun>) => {
      search.run = { ...search.run, ...next }
      if (clock.monotonic() < tellAt && next.outcome === undefined && next.phase === undefined) return
      tellAt = clock.monotonic() + TELL_MS
      deps.onChanged(search.run)
    }
    const sender = deps.guard.createSender({ policy: admitted.policy, targetCa, keepAlive: true })
    const turn = createPacer(clock, rate, cancelled.signal)
    const endsAt = clock.monotonic() + maxSeconds * 1_000
    const handler = createAskHandler({
      clock,
      sender,
      ownSends,
      delivery,
      hook,
      prefixes,
      target: target.href,
      signal: cancelled.signal,
      onSend: () => {
        change({ sends: search.run.sends + 1 })
      },
    })
    search.ended = runShrink({
      original,
      search: thread,
      answerHolds: input.answerHolds,
      async ask(body) {
        await turn()
        return handler(body)
      },
      stopped: () =>
        cancelled.signal.aborted ? 'cancelled' : search.run.sends >= maxSends || clock.monotonic() >= endsAt ? 'limit' : null,
      onPhase: (phase) => {
        change({ phase })
      },
      onFailure: (failure) => {
        change({ failure })
      },
      onSmaller: (body) => {
        search.smallest = body
        change({ size: body.length })
      },
    })
      .catch((error: unknown): ShrinkEnd => {
        const reference = log.bug(error, 'the shrinker')
        return { outcome: 'broken', message: `It stopped for a bug (reference ${reference}).`, failure: null }
      })
      .then(async ({ outcome, message, failure }) => {
        await sender.close()
        search.failure = failure
        if (!isClosing && outcome !== 'broken')
          // What was found stands, also where it cannot be said what of it is left.
          search.description = await thread.describe(search.smallest).catch((error: unknown) => {
            log.bug(error, 'what is left of a body that was shrunk')
            return search.description
          })
        await thread.close()
        change({ phase: 'ended', outcome, message })
      })
    return search.run
  }

  return {
    start,
    async cancel(runId) {
      const search = find(runId)
      search.cancelled.abort()
      await search.ended
      return resultOf(search)
    },
    get: (runId) => resultOf(find(runId)),
    async close() {
      isClosing = true
      for (const { cancelled } of searches.values()) cancelled.abort()
      await Promise.all([...searches.values()].map(({ ended }) => ended))
    },
  }
}
