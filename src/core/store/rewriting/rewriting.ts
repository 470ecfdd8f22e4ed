/**
 * Rewrites the whole database without free pages, in a separate thread. Capture has priority: any write stops it within
 * milliseconds, and it starts again at the next quiet moment, a few times.
 */
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { byteSize } from '../../../shared/text/counted.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import { systemClock } from '../../base/system-clock.ts'
import { startJobThread, type JobThread } from '../../base/threads/job-thread.ts'
import type { RewritingJobs } from './rewriting-jobs.ts'

export interface RewriteOptions {
  /** Bytes of the database in use: the copy takes about as much, and so does the log in the end. */
  readonly used: number
  readonly signal: AbortSignal
  /** Receives the progress from 0 to 1; it falls back when it starts again. */
  onProgress(done: number): void
}

export interface Rewriting {
  /**
   * Resolves with whether it was done (false if cancelled). Rejects with an `AppError` if it failed; the database is then
   * unchanged.
   */
  run(options: RewriteOptions): Promise<boolean>
  /** A promise to await before writing; null if nothing blocks. */
  giveWay(): Promise<void> | null
}

const STEP_MS = 20
const LOOK_MS = 50
const MOST_TRIES = 5
/** It starts when nothing was written for this long. */
const QUIET_MS = 250
/** The copy's share of the whole work; writing it back is the rest. */
const COPY_PART = 0.5

interface Attempt {
  readonly thread: JobThread<RewritingJobs>
  /** Whether others can't write now: a copy can finish by itself. */
  isLocking: boolean
  /** Set as soon as it must end: the stop in progress. */
  stopping: Promise<void> | null
}

function failureOf(error: unknown): unknown {
  const { code, message } = error as Error & { code?: string }
  return code === 'SQLITE_FULL' || code?.startsWith('SQLITE_IOERR') === true
    ? new AppError(
        'STORE_UNAVAILABLE',
        `The database couldn't be compacted: the disk is full or failing (${message}). It is unchanged. Free some space, then try again.`,
        { cause: error },
      )
    : error
}

export function createRewriting(worker: URL, file: string): Rewriting {
  let attempt: Attempt | null = null
  let writtenAt = Number.NEGATIVE_INFINITY

  function stop(present: Attempt): Promise<void> {
    present.stopping ??= present.thread.run('stop', null)
    return present.stopping
  }

  async function untilQuiet(signal: AbortSignal): Promise<void> {
    for (
      let left = QUIET_MS;
      left > 0 && !signal.aborted;
      left = writtenAt + QUIET_MS - systemClock.monotonic()
    )
      await delay(Math.min(left, LOOK_MS))
  }

  /** Tries once; resolves with whether it was done. */
  async function tryOnce(
    present: Attempt,
    onProgress: RewriteOptions['onProgress'],
  ): Promise<boolean> {
    const { thread } = present
    await thread.run('begin', null)
    for (let finished = false; !finished;) {
      if (present.stopping !== null) return false
      const step = await thread.run('copyStep', STEP_MS)
      onProgress(step.done * COPY_PART)
      finished = step.finished
    }
    if (present.stopping !== null) return false
    let ended = false
    present.isLocking = true
    const outcome = thread.run('putBack', null).finally(() => {
      ended = true
    })
    // The code below reports a failure.
    outcome.catch(() => undefined)
    while (!ended) {
      onProgress(COPY_PART + (1 - COPY_PART) * (await thread.run('progress', null)))
      await Promise.race([delay(LOOK_MS), outcome.catch(() => undefined)])
    }
    return (await outcome) === 'done'
  }

  async function checkRoom(used: number): Promise<void> {
    const { bavail, bsize } = await statfs(dirname(file))
    const needed = used * 2
    if (bavail * bsize < needed)
      throw new AppError(
        'STORE_UNAVAILABLE',
        `Compacting needs ${byteSize(needed)} of free disk space, but only ${byteSize(bavail * bsize)} is free. Free some space, then try again.`,
      )
  }

  return {
    async run(options) {
      await checkRoom(options.used)
      const { signal } = options
      const thread = await startJobThread<RewritingJobs>(worker, { file })
      try {
        for (let tried = 0; tried < MOST_TRIES; tried++) {
          options.onProgress(0)
          await untilQuiet(signal)
          if (signal.aborted) return false
          const present: Attempt = { thread, isLocking: false, stopping: null }
          const cancel = () => void stop(present)
          signal.addEventListener('abort', cancel)
          attempt = present
          try {
            if (await tryOnce(present, options.onProgress)) {
              attempt = null
              await thread.run('writeBack', null)
              return true
            }
          } catch (error) {
            throw failureOf(error)
          } finally {
            signal.removeEventListener('abort', cancel)
            await stop(present)
            attempt = null
            await thread.run('drop', null)
          }
          if (signal.aborted) return false
        }
      } finally {
        await thread.close()
      }
      throw new AppError(
        'STORE_UNAVAILABLE',
        `Deliveries arrived ${MOST_TRIES} times while compacting, so the database is unchanged. Try again when it is quieter, or stop Countersign and run "countersign compact".`,
      )
    },
    giveWay() {
      writtenAt = systemClock.monotonic()
      if (attempt === null) return null
      const stopped = stop(attempt)
      return attempt.isLocking ? stopped : null
    },
  }
}
