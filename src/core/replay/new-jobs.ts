/**
 * Writes a job and its requests before the first one is sent. There may be a million, so they are written in pieces, and incoming
 * deliveries are stored in between. A job that isn't completely written doesn't count and is removed.
 */
import type { ReplaySettings } from '../../shared/model/send.ts'
import type { Clock, Log } from '../base/deps.ts'
import type { NewJob, RunOfSends } from '../store/new-jobs-repo.ts'
import type { StoredJob } from '../store/replay-jobs-repo.ts'
import { SENDS_AT_ONCE } from '../store/waiting-sends.ts'
import type { Store } from '../store/store.ts'
import type { SelectedDeliveries } from './select-deliveries.ts'
import { isAlive } from '../base/processes.ts'

interface NewJobsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Clock
  readonly log: Log
}

export interface JobToWrite extends Pick<NewJob, 'id' | 'body' | 'variant'> {
  readonly settings: ReplaySettings
  readonly selected: SelectedDeliveries
  /** By index into the selected kinds. */
  readonly targets: readonly string[]
  /** Called after each piece with the number written and the total. */
  onWritten(written: number, total: number): void
}

/** The requests from one position, from 0, up to another. */
function runsOf(
  { seqs, kindOf }: SelectedDeliveries,
  targets: readonly string[],
  from: number,
  to: number,
): RunOfSends[] {
  const runs: { target: string; from: number; seqs: number[] }[] = []
  for (let place = from; place < to; place++) {
    const index = place % seqs.length
    const target = targets[kindOf[index] ?? 0] ?? ''
    let run = runs.at(-1)
    if (run?.target !== target) runs.push((run = { target, from: place + 1, seqs: [] }))
    run.seqs.push(seqs[index]!)
  }
  return runs
}

export function createNewJobs({ store, clock, log }: NewJobsDeps) {
  const writing = new Set<string>()

  async function drop(id: string, signal?: AbortSignal): Promise<void> {
    let isLeft = true
    while (isLeft && signal?.aborted !== true)
      isLeft = await store.write('dropReplayJob', { id, most: SENDS_AT_ONCE })
  }

  /** Round by round, each in the order of the selection. Resolves with the number of requests. */
  async function addAll(job: JobToWrite, signal: AbortSignal): Promise<number> {
    const { id: jobId, variant, settings, targets, selected } = job
    const places = selected.seqs.length * settings.repeat
    let total = 0
    for (let from = 0; from < places; from += SENDS_AT_ONCE) {
      signal.throwIfAborted()
      const to = Math.min(from + SENDS_AT_ONCE, places)
      const runs = runsOf(selected, targets, from, to)
      total += await store.write('addReplaySends', {
        jobId,
        at: clock.now(),
        tamper: settings.tamper,
        variant,
        runs,
      })
      job.onWritten(to, places)
    }
    // A start cancelled during the last piece doesn't begin either.
    signal.throwIfAborted()
    return total
  }

  return {
    /** Resolves once the job is completely written and can start. */
    async write(job: JobToWrite, signal: AbortSignal): Promise<StoredJob> {
      const { id, settings, body, variant } = job
      writing.add(id)
      try {
        await store.write('insertReplayJob', {
          id,
          createdAt: clock.now(),
          owner: process.pid,
          settings,
          body,
          variant,
        })
        const total = await addAll(job, signal)
        return await store.write('readyReplayJob', { id, at: clock.now(), total })
      } catch (error) {
        await drop(id).catch((reason: unknown) =>
          log.warn(
            "Couldn't remove a replay that didn't start. Countersign retries at the next start.",
            {
              reason: (reason as Error).message,
            },
          ),
        )
        throw error
      } finally {
        writing.delete(id)
      }
    },
    /** Removes jobs that earlier processes left half-written. */
    async sweep(signal: AbortSignal) {
      for (const job of await store.read('preparingReplays', null))
        if (!writing.has(job.id) && !isElsewhere(job, clock.now())) await drop(job.id, signal)
    },
  }
}

// A job belongs to the process that works on it: Countersign, or a command while Countersign isn't running.

/** How often a job's process records that it is alive and checks for a cancel by another process, in milliseconds. */
export const ALIVE_EVERY_MS = 500
/** Without that record for this long, the process is gone, and another one may have its ID by then. */
const ALIVE_FOR_MS = 10_000

/** Whether another process works on a job, which then isn't interrupted. `now` in milliseconds since the epoch. */
export function isElsewhere(
  { owner, aliveAt }: Pick<StoredJob, 'owner' | 'aliveAt'>,
  now: number,
): boolean {
  return owner !== process.pid && now - aliveAt < ALIVE_FOR_MS && isAlive(owner)
}
