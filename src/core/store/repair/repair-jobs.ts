/** The repair thread's jobs: checks a database's pages, or recovers its readable data. */
import type { RepairProgress } from '../../../shared/model/repair.ts'
import { checkPages } from './damaged-source.ts'
import { beginRecovery, type Recovery, type RecoveryResult } from './recover.ts'

export interface RepairTools {
  readonly file: string
  recovery: Recovery | null
}

export const repairJobs = {
  /** Reads every page. Throws SQLite's error for a damaged one. */
  checkPages: ({ file }: RepairTools, _: null) => {
    checkPages(file)
  },
  beginRecovery: (tools: RepairTools, _: null) => {
    tools.recovery = beginRecovery(tools.file)
  },
  recoveryStep: (
    { recovery }: RepairTools,
    budgetMs: number,
  ): { finished: boolean; progress: RepairProgress } => {
    const { step, progress } = begun(recovery)
    const finished = step(budgetMs)
    return { finished, progress: progress() }
  },
  /** Returns the recovered counts; the new file is then complete, or removed if nothing was damaged. */
  endRecovery: (tools: RepairTools, _: null): RecoveryResult => {
    const recovery = begun(tools.recovery)
    const result = recovery.result()
    if (result.isSound) recovery.drop()
    else recovery.finish()
    tools.recovery = null
    return result
  },
  dropRecovery: (tools: RepairTools, _: null) => {
    tools.recovery?.drop()
    tools.recovery = null
  },
} as const

function begun(recovery: Recovery | null): Recovery {
  if (recovery === null) throw new Error('No recovery has started.')
  return recovery
}

export type RepairJobs = typeof repairJobs
