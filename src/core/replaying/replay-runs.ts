/** The replays of this process: started, followed, cancelled, or aborted when Countersign stops. */
import { editedParts } from '../../shared/model/replay-edits.ts'
import type { OtherEndpoint, Replay } from '../../shared/model/send.ts'
import { failureSentence } from '../base/async.ts'
import type { SendDeps } from '../outgoing/signing-hooks.ts'
import { countSends, isAliveAt, type StoredReplay } from '../store/replays.ts'
import { createRuns } from '../base/runs.ts'
import { ReplayRun, type ReplayEnding, type ReplayToRun, type RunningReplay } from './replay-run.ts'

/** Interval of reading the state of another process's replay, in milliseconds. */
const POLL_MS = 100

export class ReplayRuns {
  readonly #deps: SendDeps
  readonly #problems = new Map<string, string>()
  readonly #runs = createRuns<RunningReplay, ReplayEnding>({
    onProgress: ({ state: { stored } }) => this.#emit(this.show(stored)),
    onFailed: (error, { id }) => {
      this.#problems.set(id, failureSentence(error, this.#deps.log, 'a replay'))
      return 'running'
    },
    onEnded: async ({ id }) => {
      if (!this.#runs.closing.aborted) this.#emit(await this.get(id))
    },
  })

  constructor(deps: SendDeps) {
    this.#deps = deps
  }

  run(replay: ReplayToRun): Replay {
    const { lastStarted, stored } = replay
    this.#problems.delete(stored.id)
    const state: RunningReplay = { stored, lastStarted, tally: stored.tally }
    const { closing } = this.#runs
    this.#runs.start(stored.id, state, (run) =>
      new ReplayRun(this.#deps, replay, run, closing).send(),
    )
    return this.show(stored)
  }

  isRunning(stored: StoredReplay): boolean {
    return this.#runs.isRunning(stored.id) || this.#isElsewhere(stored)
  }

  async get(replayId: string): Promise<Replay> {
    const running = this.#runs.get(replayId)?.state.stored
    return this.show(running ?? (await this.#deps.store.read('replay', replayId)))
  }

  async list(limit: number): Promise<Replay[]> {
    const replays = await this.#deps.store.read('replays', limit)
    return replays.map((replay) => this.show(replay))
  }

  show(stored: StoredReplay): Replay {
    const { id, createdAt, settings, state } = stored
    const { targetCa: _, edits, comparison, ...common } = settings
    const isRunning = this.isRunning(stored)
    const { lastStarted, tally } = this.#runs.get(id)?.state ?? {
      ...stored,
      lastStarted: stored.reached,
    }
    return {
      id,
      createdAt: new Date(createdAt).toISOString(),
      ...common,
      comparison: comparison && { ...comparison, other: shownEndpoint(comparison.other) },
      edited: editedParts(edits, stored.hasBody),
      state: isRunning ? 'running' : state === 'running' ? 'interrupted' : state,
      problem: isRunning ? null : (this.#problems.get(id) ?? null),
      ...countSends(
        { ...stored, tally },
        { started: lastStarted, isOver: !isRunning && state !== 'running' },
      ),
    }
  }

  /** Cancels a replay: pending requests are discarded, those in progress finish. */
  async cancel(replayId: string): Promise<Replay> {
    const { clock, store } = this.#deps
    const ended = this.#runs.cancel(replayId)
    // Recorded before requests finish, so that a crash doesn't make the replay resumable.
    await Promise.all([store.write('cancelReplay', replayId), ended])
    for (;;) {
      const stored = await store.read('replay', replayId)
      if (this.#runs.closing.aborted || !this.#isElsewhere(stored)) return this.show(stored)
      await clock.sleep(POLL_MS, this.#runs.closing)
    }
  }

  /** Aborts running requests. Interrupted replays can be resumed. */
  close(): Promise<void> {
    return this.#runs.close()
  }

  #isElsewhere(stored: StoredReplay): boolean {
    return stored.owner !== process.pid && isAliveAt(stored, this.#deps.clock.now())
  }

  #emit(replay: Replay): void {
    this.#deps.hub.emit('replay.changed', { replay })
  }
}

/** Returns the endpoint without its long CA certificate. */
function shownEndpoint(other: OtherEndpoint | null) {
  if (other === null) return null
  const { targetCa: _, ...shown } = other
  return shown
}
