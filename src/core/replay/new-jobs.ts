/**
 * Writes a job and its sends down, before the first of them goes. There may be a million: they are written piece by piece, and
 * what comes in meanwhile is stored in between. A job that is not written to its end is none, and is taken out again.
 */
import type { ReplaySettings } from '../../shared/model/send.ts'
import type { Clock, Log } from '../base/deps.ts'
import type { NewJob, RunOfSends } from '../store/new-jobs-repo.ts'
import type { StoredJob } from '../store/replay-jobs-repo.ts'
import { SENDS_AT_ONCE } from '../store/waiting-sends.ts'
import type { Store } from '../store/store.ts'
import type { SelectedDeliveries } from './select-deliveries.ts'
import { isProcess } from '../base/processes.ts'

interface NewJobsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Clock
  readonly log: Log
}

export interface JobToWrite extends Pick<NewJob, 'id' | 'body' | 'variant'> {
  readonly settings: ReplaySettings
  readonly selected: SelectedDeliveries
  /** By place in the kinds of the selected ones. */
  readonly targets: readonly string[]
  /** Hears after each piece how many of so many sends are written. */
  onWritten(written: number, total: number): void
}

interface NewJobs {
  /** Resolves once the job is written to its end, and can go. */
  write(job: JobToWrite, signal: AbortSignal): Promise<StoredJob>
  /** Takes out what earlier processes have left that ended before their job was written. */
  sweep(signal: AbortSignal): Promise<void>
}

/** The sends from one place, counted from 0, to before another. */
function runsOf({ seqs, kindOf }: SelectedDeliveries, targets: readonly string[], from: number, to: number): RunOfSends[] {
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

export function createNewJobs({ store, clock, log }: NewJobsDeps): NewJobs {
  const writing = new Set<string>()

  async function drop(id: string, signal?: AbortSignal): Promise<void> {
    let isLeft = true
    while (isLeft && signal?.aborted !== true) isLeft = await store.write('dropReplayJob', { id, most: SENDS_AT_ONCE })
  }

  /** Round after round, each in the order of what is selected; resolves with how many sends there are. */
  async function addAll(job: JobToWrite, signal: AbortSignal): Promise<number> {
    const { id: jobId, variant, settings, targets, selected } = job
    const places = selected.seqs.length * settings.repeat
    let total = 0
    for (let from = 0; from < places; from += SENDS_AT_ONCE) {
      signal.throwIfAborted()
      const to = Math.min(from + SENDS_AT_ONCE, places)
      const runs = runsOf(selected, targets, from, to)
      total += await store.write('addReplaySends', { jobId, at: clock.now(), tamper: settings.tamper, variant, runs })
      job.onWritten(to, places)
    }
    // Given up on during the last piece, it is not begun either.
    signal.throwIfAborted()
    return total
  }

  return {
    async write(job, signal) {
      const { id, settings, body, variant } = job
      writing.add(id)
      try {
        await store.write('insertReplayJob', { id, createdAt: clock.now(), owner: process.pid, settings, body, variant })
        const total = await addAll(job, signal)
        return await store.write('readyReplayJob', { id, at: clock.now(), total })
      } catch (error) {
        await drop(id).catch((reason: unknown) => {
          log.warn("Couldn't remove a replay that didn't start. Countersign retries at the next start.", {
            reason: (reason as Error).message,
          })
        })
        throw error
      } finally {
        writing.delete(id)
      }
    },
    async sweep(signal) {
      for (const job of await store.read('preparingReplays', null))
        if (!writing.has(job.id) && !isElsewhere(job, clock.now())) await drop(job.id, signal)
    },
  }
}

// A job belongs to the process that works on it: a running instance, or a command without one.

/** How often a job's process records that it is alive and checks for a cancel by another process, in milliseconds. */
export const ALIVE_EVERY_MS = 500
/** After so long without it, it no longer is: another process may have its number by then. */
const ALIVE_FOR_MS = 10_000

/** Whether another process works on a job: it must not be taken for interrupted meanwhile. `now` in milliseconds since the epoch. */
export function isElsewhere({ owner, aliveAt }: Pick<StoredJob, 'owner' | 'aliveAt'>, now: number): boolean {
  return owner !== process.pid && now - aliveAt < ALIVE_FOR_MS && isProcess(owner)
}
