/** The rewriting thread's jobs: copies a database and replaces its content with the copy, or repairs one. */
import type { RepairProgress } from '../../../shared/model/repair.ts'
import { checkPages } from '../repair/damaged-source.ts'
import { beginRecovery, type Recovery, type RecoveryResult } from '../repair/recover.ts'
import { beginCopy, type CopyStep, type FileCopy } from './file-copy.ts'
import { startPutBack, writeBackAll, type PutBack } from './put-back.ts'

export interface RewritingTools {
  readonly file: string
  copy: FileCopy | null
  putBack: PutBack | null
  recovery: Recovery | null
}

export const rewritingJobs = {
  begin: (tools: RewritingTools, _: null) => {
    tools.copy = beginCopy(tools.file)
  },
  copyStep: ({ copy }: RewritingTools, budgetMs: number): CopyStep =>
    copy?.step(budgetMs) ?? { done: 0, finished: false },
  /** Resolves at the end; `progress` and `stop` respond in the meantime. */
  putBack: async (tools: RewritingTools, _: null): Promise<Awaited<PutBack['ended']>> => {
    if (tools.copy === null) return 'stopped'
    tools.putBack = startPutBack(tools.copy, tools.file)
    return tools.putBack.ended
  },
  /** How much of the copy is written back, from 0 to 1. */
  progress: ({ putBack }: RewritingTools, _: null): number => putBack?.done() ?? 0,
  writeBack: ({ file }: RewritingTools, _: null) => {
    writeBackAll(file)
  },
  /** Ends the writing back if it is in progress; nothing is locked when it returns. */
  stop: async ({ putBack }: RewritingTools, _: null): Promise<void> => {
    putBack?.stop()
    // The waiting caller gets the error.
    await putBack?.ended.catch(() => undefined)
  },
  /** Removes the copy. Nobody waits for it, because removing a large file takes a while. */
  drop: (tools: RewritingTools, _: null) => {
    tools.copy?.drop()
    tools.copy = null
    tools.putBack = null
  },
  /** Reads every page. Throws SQLite's error for a damaged one. */
  checkPages: ({ file }: RewritingTools, _: null) => {
    checkPages(file)
  },
  beginRecovery: (tools: RewritingTools, _: null) => {
    tools.recovery = beginRecovery(tools.file)
  },
  recoveryStep: (
    { recovery }: RewritingTools,
    budgetMs: number,
  ): { finished: boolean; progress: RepairProgress } => {
    const { step, progress } = begun(recovery)
    const finished = step(budgetMs)
    return { finished, progress: progress() }
  },
  /** Returns the recovered counts; the new file is then complete, or removed if nothing was damaged. */
  endRecovery: (tools: RewritingTools, _: null): RecoveryResult => {
    const recovery = begun(tools.recovery)
    const result = recovery.result()
    if (result.isSound) recovery.drop()
    else recovery.finish()
    tools.recovery = null
    return result
  },
  dropRecovery: (tools: RewritingTools, _: null) => {
    tools.recovery?.drop()
    tools.recovery = null
  },
} as const

function begun(recovery: Recovery | null): Recovery {
  if (recovery === null) throw new Error('No recovery has started.')
  return recovery
}

export type RewritingJobs = typeof rewritingJobs
