/** What the rewriting thread does: it makes the copy of a database, and puts it in the place of what it was made from. */
import { beginCopy, type CopyStep, type FileCopy } from './file-copy.ts'
import { startPutBack, writeBackAll, type PutBack } from './put-back.ts'

export interface RewritingTools {
  readonly file: string
  copy: FileCopy | null
  putBack: PutBack | null
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
} as const

export type RewritingJobs = typeof rewritingJobs
