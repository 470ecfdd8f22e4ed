/**
 * Repairs the database of a data folder that no process has open: readable data goes into a new file, the damaged file is renamed,
 * and the new one replaces it. Nothing changes until that last step, so it can be cancelled.
 */
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { z } from 'zod'
import type { RepairProgress, RepairReport } from '../../../shared/model/repair.ts'
import { startJobThread } from '../../base/threads/job-thread.ts'
import { databaseFileOf } from '../open.ts'
import { removeSearch, searchFileOf } from '../search/open-search.ts'
import { replaceWholeFile } from '../../base/whole-file.ts'
import { newFileOf } from './recover.ts'
import type { RepairJobs } from './repair-jobs.ts'

export interface RepairOptions {
  readonly dataFolder: string
  /** Entry of the repair thread. */
  readonly worker: URL
  readonly signal: AbortSignal
  /** In milliseconds; part of the damaged file's new name. */
  readonly now: number
  onProgress(progress: RepairProgress): void
}

const STEP_MS = 50

/** Repairs the database. If it can't, it changes nothing and rejects with an `AppError` and the reason. */
export async function repairDatabase({
  dataFolder,
  worker,
  signal,
  now,
  onProgress,
}: RepairOptions): Promise<RepairReport> {
  const file = databaseFileOf(dataFolder)
  completeSwap(file)
  const nothing = {
    file,
    setAside: null,
    parts: [],
    lostDeliveries: [],
    lostBodies: [],
    bodiesLost: 0,
  }
  const thread = await startJobThread<RepairJobs>(worker, { file })
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
    // It removes any unfinished file.
    await thread.close()
  }
}

// Replaces the database with the repaired file; the damaged one is kept with its log under another name. Nothing is overwritten,
// and the next start completes a swap that a crash interrupted: a note beside the database lists the remaining renames.

const noteSchema = z.object({ setAside: z.string() })
const ENDS = ['-wal', '-shm', '']

function noteOf(file: string): string {
  return `${file}.swap`
}

/** An unused name for the damaged file: with the time, and a number if needed. */
function freeName(file: string, now: number): string {
  const at = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  for (let number = 1; ; number++) {
    const name = `${file}.damaged-${at}${number === 1 ? '' : `-${number}`}`
    if (ENDS.every((end) => !existsSync(name + end))) return name
  }
}

function move(from: string, to: string): void {
  if (!existsSync(from) || existsSync(to)) return
  renameSync(from, to)
}

/** Completes a swap that a crash interrupted, if there is one. */
export function completeSwap(file: string): void {
  if (!existsSync(noteOf(file))) return
  const { setAside } = noteSchema.parse(JSON.parse(readFileSync(noteOf(file), 'utf8')))
  if (existsSync(newFileOf(file))) {
    // The log goes first: otherwise it would be read into the new file.
    for (const end of ENDS) move(file + end, setAside + end)
    move(newFileOf(file), file)
  }
  rmSync(noteOf(file), { force: true })
}

/** Renames the damaged file and puts the new one in its place; returns the damaged file's new name. */
export async function swapIn(file: string, now: number): Promise<string> {
  const setAside = freeName(file, now)
  await replaceWholeFile(noteOf(file), JSON.stringify({ setAside }))
  completeSwap(file)
  return setAside
}
