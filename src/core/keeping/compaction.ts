/**
 * Gives the free room of the database file back to the disk: a few milliseconds of the writer at a time, with pauses while
 * deliveries stream in, so that no acknowledgement waits for it. It can be stopped at any point: what is given back stays so.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { Compaction } from '../../shared/model/keeping.ts'
import type { Clock, Log } from '../deps.ts'
import type { Store } from '../store/store.ts'
import type { Removal } from './removal.ts'

export interface CompactionDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'pace'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
  readonly removal: Pick<Removal, 'drained'>
  /** Whether deliveries can arrive while it runs: a file that was not made for it is then left alone. */
  readonly isServing: boolean
  onProgress(compaction: Compaction): void
}

export interface Compactor {
  /** Runs it, or joins the one that runs. Resolves at its end. */
  run(): Promise<Compaction>
  cancel(): void
  /** The one that runs, or the last one; null where there was none. */
  current(): Compaction | null
  close(): Promise<void>
}

/** Milliseconds of the writer that a step may take. */
const BUDGET_MS = 2
const TELL_MS = 200
/** After so many steps in which nothing could be given back it is over. */
const MOST_IDLE = 3

export function createCompactor(deps: CompactionDeps): Compactor {
  const { store } = deps
  let current: Compaction | null = null
  let running: Promise<Compaction> | null = null
  let stopping = Promise.withResolvers<void>()
  let stopped = false
  let toldAt = Number.NEGATIVE_INFINITY

  function tell(next: Compaction): Compaction {
    current = next
    toldAt = deps.clock.monotonic()
    deps.onProgress(next)
    return next
  }

  async function compact(): Promise<Compaction> {
    tell({ state: 'running', done: 0, freed: 0, problem: null })
    // Thousands that were just deleted are taken out for a minute or more: nobody who cancels waits for that.
    await Promise.race([deps.removal.drained(), stopping.promise])
    if (stopped) return tell({ state: 'cancelled', done: 0, freed: 0, problem: null })
    const before = await store.read('fileUse', null)
    if (!before.incremental) {
      if (deps.isServing)
        throw new AppError(
          'UNSUPPORTED',
          'This database was made by a version that could not make it smaller while it is in use. Stop Countersign, and run "countersign compact" once.',
        )
      await store.write('compactWhole', null)
      return tell({ state: 'done', done: 1, freed: before.free, problem: null })
    }
    let freed = 0
    let idle = 0
    for (let left = before.free / before.pageBytes; left > 0 && idle < MOST_IDLE;) {
      await store.pace.rest()
      // What is deleted meanwhile is given back too.
      const done = freed / (freed + left * before.pageBytes)
      if (stopped) return end({ state: 'cancelled', done, freed, problem: null })
      if (deps.clock.monotonic() - toldAt >= TELL_MS) tell({ state: 'running', done, freed, problem: null })
      const next = await store.write('compactStep', BUDGET_MS)
      freed += Math.max(0, left - next) * before.pageBytes
      idle = next < left ? 0 : idle + 1
      left = next
    }
    return end({ state: 'done', done: 1, freed, problem: null })
  }

  async function end(compaction: Compaction): Promise<Compaction> {
    await store.write('writeBackLog', null)
    return tell(compaction)
  }

  function stop(): void {
    stopped = true
    stopping.resolve()
  }

  return {
    run() {
      if (running !== null) return running
      stopped = false
      stopping = Promise.withResolvers()
      running = compact()
        .catch((error: unknown) => {
          tell({ state: 'failed', done: current?.done ?? 0, freed: current?.freed ?? 0, problem: (error as Error).message })
          throw error
        })
        .finally(() => {
          running = null
        })
      return running
    },
    cancel: stop,
    current: () => current,
    async close() {
      stop()
      await running?.catch(() => undefined)
    },
  }
}
