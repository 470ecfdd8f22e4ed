/** Jobs are of the process that works on them: an instance, or a command beside none. */
import { isProcess } from '../base/processes.ts'
import type { StoredJob } from '../store/replay-jobs-repo.ts'

/** How often a job's process records that it is alive and checks for a cancel by another process, in milliseconds. */
export const ALIVE_EVERY_MS = 500
/** After so long without it, it no longer is: another process may have its number by then. */
const ALIVE_FOR_MS = 10_000

/** Whether another process works on a job: it must not be taken for interrupted meanwhile. `now` in milliseconds since the epoch. */
export function isElsewhere({ owner, aliveAt }: Pick<StoredJob, 'owner' | 'aliveAt'>, now: number): boolean {
  return owner !== process.pid && now - aliveAt < ALIVE_FOR_MS && isProcess(owner)
}
