/**
 * Repairs the database of a data folder that nobody has open: what is readable goes into a new file, the damaged one is set aside under
 * another name, and the new one takes its place. Until that last moment nothing is changed, so it can be cancelled.
 */
import type { RepairProgress, RepairReport } from '../../../shared/model/repair.ts'
import { startJobThread } from '../../base/threads/job-thread.ts'
import { databaseFileOf } from '../open.ts'
import type { RewritingJobs } from '../rewriting/rewriting-jobs.ts'
import { removeSearch, searchFileOf } from '../search/open-search.ts'
import { completeSwap, swapIn } from './swap.ts'

export interface RepairOptions {
  readonly dataFolder: string
  /** Entry of the rewriting thread. */
  readonly worker: URL
  readonly signal: AbortSignal
  /** In milliseconds; it names the damaged file. */
  readonly now: number
  onProgress(progress: RepairProgress): void
}

const STEP_MS = 50

/** Repairs the database. If it can't, it changes nothing and rejects with an `AppError` that says why. */
export async function repairDatabase({ dataFolder, worker, signal, now, onProgress }: RepairOptions): Promise<RepairReport> {
  const file = databaseFileOf(dataFolder)
  completeSwap(file)
  const nothing = { file, setAside: null, parts: [], lostDeliveries: [], lostBodies: [], bodiesLost: 0 }
  const thread = await startJobThread<RewritingJobs>(worker, { file })
  try {
    await thread.run('beginRecovery', null)
    for (let finished = false; !finished;) {
      if (signal.aborted) {
        await thread.run('dropRecovery', null)
        return { outcome: 'cancelled', ...nothing }
      }
      const step = await thread.run('recoveryStep', STEP_MS)
      finished = step.finished
      onProgress(step.progress)
    }
    const { isSound, ...result } = await thread.run('endRecovery', null)
    if (isSound) return { outcome: 'sound', ...nothing, parts: result.parts }
    const setAside = await swapIn(file, now)
    // The index is built from the database and may contain lost deliveries.
    removeSearch(searchFileOf(dataFolder))
    return { outcome: 'repaired', file, setAside, ...result }
  } finally {
    // It removes whatever it has not finished.
    await thread.close()
  }
}
