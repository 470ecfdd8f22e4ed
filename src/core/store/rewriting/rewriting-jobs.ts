/** What the rewriting thread does: it makes the copy of a database, and puts it in the place of what it was made from; or repairs one. */
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
  copyStep: ({ copy }: RewritingTools, budgetMs: number): CopyStep => copy?.step(budgetMs) ?? { done: 0, finished: false },
  /** Resolves when it is over; `progress` and `stop` are answered meanwhile. */
  putBack: async (tools: RewritingTools, _: null): Promise<Awaited<PutBack['ended']>> => {
    if (tools.copy === null) return 'stopped'
    tools.putBack = startPutBack(tools.copy, tools.file)
    return tools.putBack.ended
  },
  /** How much of the copy is put back, from 0 to 1. */
  progress: ({ putBack }: RewritingTools, _: null): number => putBack?.done() ?? 0,
  writeBack: ({ file }: RewritingTools, _: null) => {
    writeBackAll(file)
  },
  /** Ends the putting back, where it is under way; nothing is locked when it answers. */
  stop: async ({ putBack }: RewritingTools, _: null): Promise<void> => {
    putBack?.stop()
    // How it failed is told to whoever waits for it.
    await putBack?.ended.catch(() => undefined)
  },
  /** Removes the copy. Nobody waits for it: of a large one that takes a while. */
  drop: (tools: RewritingTools, _: null) => {
    tools.copy?.drop()
    tools.copy = null
    tools.putBack = null
  },
  /** Looks at every page. Throws what SQLite throws of a damaged one. */
  checkPages: ({ file }: RewritingTools, _: null) => {
    checkPages(file)
  },
  beginRecovery: (tools: RewritingTools, _: null) => {
    tools.recovery = beginRecovery(tools.file)
  },
  recoveryStep: ({ recovery }: RewritingTools, budgetMs: number): { finished: boolean; progress: RepairProgress } => {
    const { step, progress } = begun(recovery)
    const finished = step(budgetMs)
    return { finished, progress: progress() }
  },
  /** Gives what came back; the new file is complete then, or gone if nothing was wrong. */
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
  if (recovery === null) throw new Error('No recovery was begun.')
  return recovery
}

export type RewritingJobs = typeof rewritingJobs
