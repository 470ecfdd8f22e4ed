/**
 * Shrinks the database file by its free space: a few milliseconds of the writer at a time, with pauses while deliveries stream in,
 * so that no acknowledgement waits. A cancel keeps the progress. A file that wasn't created for this is rewritten once as a whole;
 * a cancel then changes nothing.
 */
import { once } from 'node:events'
import type { Compaction } from '../../shared/model/keeping.ts'
import { createRuns, type ActiveRun } from '../base/runs.ts'
import type { FileUse } from '../store/storage-repo.ts'
import type { Store } from '../store/store.ts'
import type { Removal } from './removal.ts'
import type { Log } from '../base/deps.ts'
import { ERASE_PENDING } from '../store/clear-headers-repo.ts'

interface CompactionDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'pace' | 'rewrite' | 'settled'>
  readonly removal: Pick<Removal, 'drained'>
  onProgress(compaction: Compaction): void
}

export interface Compactor {
  /** Starts a compaction or joins the running one. Resolves at its end. */
  run(): Promise<Compaction>
  cancel(): void
  /** The running or last compaction; null if there was none. */
  current(): Compaction | null
  close(): Promise<void>
}

/** How long a step may use the writer, in milliseconds. */
const BUDGET_MS = 2
const PROGRESS_MS = 200
/** Ends after this many steps without progress. */
const MOST_IDLE = 3
/** Only one compaction runs at a time. */
const ONLY = 'compaction'

type Run = ActiveRun<null>

export function createCompactor(deps: CompactionDeps): Compactor {
  const { store } = deps
  let current: Compaction | null = null
  const show = (next: Compaction): void => {
    current = next
    deps.onProgress(next)
  }
  const runs = createRuns<null, Compaction>(
    {
      onProgress: () => current !== null && deps.onProgress(current),
      onFailed(error) {
        if (current !== null)
          show({ ...current, state: 'failed', problem: (error as Error).message })
        throw error
      },
      onEnded: (_, compaction) => show(compaction),
    },
    PROGRESS_MS,
  )

  async function compact(run: Run): Promise<Compaction> {
    const { stopped, progress } = run
    const begun: Compaction = { state: 'running', whole: false, done: 0, freed: 0, problem: null }
    current = begun
    progress.flush()
    // Removing thousands of deleted deliveries takes a minute or more, and a cancel doesn't wait for it.
    if (!stopped.aborted) await Promise.race([deps.removal.drained(), once(stopped, 'abort')])
    if (stopped.aborted) return { ...begun, state: 'cancelled' }
    const before = await store.read('fileUse', null)
    return before.incremental || before.free === 0 ? piecemeal(before, run) : whole(before, run)
  }

  async function whole({ used, free }: FileUse, { stopped, progress }: Run): Promise<Compaction> {
    const begun: Compaction = { state: 'running', whole: true, done: 0, freed: 0, problem: null }
    current = begun
    progress.flush()
    await store.settled()
    const onProgress = (done: number) => {
      current = { ...begun, done }
      progress()
    }
    if (!(await store.rewrite({ used, signal: stopped, onProgress })))
      return { ...begun, state: 'cancelled' }
    const after = await store.read('fileUse', null)
    return {
      ...begun,
      state: 'done',
      done: 1,
      freed: Math.max(0, used + free - after.used - after.free),
    }
  }

  async function piecemeal(before: FileUse, { stopped, progress }: Run): Promise<Compaction> {
    const begun: Compaction = { state: 'running', whole: false, done: 0, freed: 0, problem: null }
    let freed = 0
    let idle = 0
    for (let left = before.free / before.pageBytes; left > 0 && idle < MOST_IDLE;) {
      await store.pace.rest()
      // Space freed meanwhile is included.
      const done = freed / (freed + left * before.pageBytes)
      if (stopped.aborted) return end({ ...begun, state: 'cancelled', done, freed })
      current = { ...begun, done, freed }
      progress()
      const next = await store.write('compactStep', BUDGET_MS)
      freed += Math.max(0, left - next) * before.pageBytes
      idle = next < left ? 0 : idle + 1
      left = next
    }
    return end({ ...begun, state: 'done', done: 1, freed })
  }

  async function end(compaction: Compaction): Promise<Compaction> {
    await store.write('writeBackLog', null)
    return compaction
  }

  return {
    run: () => (runs.get(ONLY) ?? runs.start(ONLY, null, compact)).ended,
    cancel: () => runs.get(ONLY)?.cancel(),
    current: () => current,
    close: runs.close,
  }
}

// Erases values that an earlier version stored in clear from free pages, gaps of reused pages and the log. SQLite only overwrites
// what it deletes from now on, so the whole file is rewritten once, while nothing is received.

interface Eraser {
  /** Resolves when nothing is left, or when the next start must retry. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/** Starts erasing if needed. */
export function startErasing(
  store: Pick<Store, 'read' | 'write' | 'rewrite' | 'settled'>,
  log: Log,
): Eraser {
  const stopping = new AbortController()

  async function erase(): Promise<void> {
    if ((await store.read('setting', ERASE_PENDING)) !== 'true') return
    await store.settled()
    const { used } = await store.read('fileUse', null)
    const isDone = await store.rewrite({
      used,
      signal: stopping.signal,
      onProgress: () => undefined,
    })
    if (isDone && (await store.write('emptyLog', null)))
      await store.write('writeSetting', { name: ERASE_PENDING, value: 'false' })
  }

  const ended = erase().catch((error: unknown) => {
    log.warn(
      "Couldn't erase old header values from free database pages. Countersign retries at the next start.",
      {
        reason: (error as Error).message,
      },
    )
  })
  return {
    ended,
    async close() {
      stopping.abort()
      await ended
    },
  }
}
