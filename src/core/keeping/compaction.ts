/**
 * Gives the free room of the database file back to the disk: a few milliseconds of the writer at a time, with pauses while
 * deliveries stream in, so that no acknowledgement waits for it. It can be stopped at any point: what is given back stays so. A file
 * that was not made for it is written anew as a whole instead, once: stopped, that leaves it as it was.
 */
import { once } from 'node:events'
import type { Compaction } from '../../shared/model/keeping.ts'
import type { Clock, Log } from '../deps.ts'
import type { FileUse } from '../store/retention-repo.ts'
import type { Store } from '../store/store.ts'
import type { Removal } from './removal.ts'

export interface CompactionDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'pace' | 'rewrite' | 'settled'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
  readonly removal: Pick<Removal, 'drained'>
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
  let stopping = new AbortController()
  let toldAt = Number.NEGATIVE_INFINITY

  function tell(next: Compaction): Compaction {
    current = next
    toldAt = deps.clock.monotonic()
    deps.onProgress(next)
    return next
  }

  async function compact({ signal }: AbortController): Promise<Compaction> {
    const begun: Compaction = { state: 'running', whole: false, done: 0, freed: 0, problem: null }
    tell(begun)
    // Thousands that were just deleted are taken out for a minute or more: nobody who cancels waits for that.
    await Promise.race([deps.removal.drained(), once(signal, 'abort')])
    if (signal.aborted) return tell({ ...begun, state: 'cancelled' })
    const before = await store.read('fileUse', null)
    return before.incremental || before.free === 0 ? piecemeal(before, signal) : whole(before, signal)
  }

  async function whole({ used, free }: FileUse, signal: AbortSignal): Promise<Compaction> {
    const begun: Compaction = { state: 'running', whole: true, done: 0, freed: 0, problem: null }
    tell(begun)
    await store.settled()
    const onProgress = (done: number) => {
      if (deps.clock.monotonic() - toldAt >= TELL_MS) tell({ ...begun, done })
    }
    if (!(await store.rewrite({ used, signal, onProgress }))) return tell({ ...begun, state: 'cancelled' })
    const after = await store.read('fileUse', null)
    return tell({ ...begun, state: 'done', done: 1, freed: Math.max(0, used + free - after.used - after.free) })
  }

  async function piecemeal(before: FileUse, signal: AbortSignal): Promise<Compaction> {
    const begun: Compaction = { state: 'running', whole: false, done: 0, freed: 0, problem: null }
    let freed = 0
    let idle = 0
    for (let left = before.free / before.pageBytes; left > 0 && idle < MOST_IDLE;) {
      await store.pace.rest()
      // What is deleted meanwhile is given back too.
      const done = freed / (freed + left * before.pageBytes)
      if (signal.aborted) return end({ ...begun, state: 'cancelled', done, freed })
      if (deps.clock.monotonic() - toldAt >= TELL_MS) tell({ ...begun, done, freed })
      const next = await store.write('compactStep', BUDGET_MS)
      freed += Math.max(0, left - next) * before.pageBytes
      idle = next < left ? 0 : idle + 1
      left = next
    }
    return end({ ...begun, state: 'done', done: 1, freed })
  }

  async function end(compaction: Compaction): Promise<Compaction> {
    await store.write('writeBackLog', null)
    return tell(compaction)
  }

  function stop(): void {
    stopping.abort()
  }

  return {
    run() {
      if (running !== null) return running
      stopping = new AbortController()
      running = compact(stopping)
        .catch((error: unknown) => {
          if (current !== null) tell({ ...current, state: 'failed', problem: (error as Error).message })
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
