/** Entry of the rewriting thread. */
import { workerData } from 'node:worker_threads'
import { reportReady, serveJobs } from '../../base/threads/job-thread.ts'
import { stepBack } from '../../base/threads/priority.ts'
import { rewritingJobs, type RewritingTools } from './rewriting-jobs.ts'

reportReady(() => {
  // Not lower: a delivery may wait for one of its steps.
  stepBack(5)
  const { file } = workerData as { file: string }
  const tools: RewritingTools = { file, copy: null, putBack: null, recovery: null }
  serveJobs({
    tools,
    jobs: rewritingJobs,
    close() {
      tools.copy?.drop()
      tools.recovery?.drop()
    },
  })
})
