/** The comparisons of replays, made from their recorded responses. */
import { AppError } from '../../shared/contract/errors.ts'
import {
  baselineSchema,
  type Baseline,
  type RunComparison,
} from '../../shared/model/run-comparison.ts'
import type { Replay } from '../../shared/model/send.ts'
import type { StoredReplay } from '../store/replays.ts'
import type { Store } from '../store/store.ts'
import { RunComparer, type BaselinePage, type MaskResponse } from './run-comparer.ts'

/** Finished comparisons that are kept, because a window asks again and again. */
const MOST_KEPT = 4

interface ComparisonsDeps {
  readonly store: Pick<Store, 'read'>
  show(stored: StoredReplay): Replay
}

export class Comparisons {
  readonly #deps: ComparisonsDeps
  readonly #kept = new Map<string, Omit<RunComparison, 'replay'>>()

  constructor(deps: ComparisonsDeps) {
    this.#deps = deps
  }

  /**
   * Compares the responses recorded so far. Rejects with `NOT_FOUND`, `INVALID_INPUT` for a replay
   * that compares nothing, or if the signal aborts.
   */
  async compare(
    { replayId, masked }: { readonly replayId: string; readonly masked: string },
    mask: MaskResponse,
    signal: AbortSignal,
  ): Promise<RunComparison> {
    const stored = await this.#deps.store.read('replay', replayId)
    const replay = this.#deps.show(stored)
    const key = `${replayId} ${masked}`
    const kept = this.#kept.get(key)
    if (kept !== undefined && replay.state !== 'running') return { replay, ...kept }
    const comparer = this.#comparerOf(stored, mask)
    if (stored.settings.comparison?.with === 'nothing') throw nothingCompared(replayId)
    const comparison = await comparer.compare(await this.baselineOf(replayId), signal)
    if (replay.state === 'done' || replay.state === 'cancelled') {
      this.#kept.set(key, comparison)
      for (const oldest of [...this.#kept.keys()].slice(0, -MOST_KEPT)) this.#kept.delete(oldest)
    }
    return { replay, ...comparison }
  }

  /** Returns responses for a baseline. Rejects with `NOT_FOUND` or `INVALID_INPUT`. */
  async baselinePage(replayId: string, after: number, mask: MaskResponse): Promise<BaselinePage> {
    const stored = await this.#deps.store.read('replay', replayId)
    return this.#comparerOf(stored, mask).baselinePage(after)
  }

  /** Returns the baseline that a replay is compared with, or null. */
  async baselineOf(replayId: string): Promise<Baseline | null> {
    const json = await this.#deps.store.read('replayBaseline', replayId)
    return json === null ? null : baselineSchema.parse(JSON.parse(json))
  }

  #comparerOf(stored: StoredReplay, mask: MaskResponse): RunComparer {
    const { store } = this.#deps
    const { id, settings } = stored
    if (settings.comparison === null) throw nothingCompared(id)
    return new RunComparer({ store, mask }, stored, settings.comparison)
  }
}

function nothingCompared(replayId: string): AppError {
  return new AppError(
    'INVALID_INPUT',
    `Replay ${replayId} compares nothing. Start one with "countersign replay … --against WHAT".`,
  )
}
