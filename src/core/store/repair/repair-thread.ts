/** Entry of the repair thread. */
import { workerData } from 'node:worker_threads'
import { reportReady, serveJobs } from '../../base/threads/job-thread.ts'
import { stepBack } from '../../base/threads/priority.ts'
import { repairJobs, type RepairTools } from './repair-jobs.ts'

reportReady(() => {
  stepBack(5)
  const { file } = workerData as { file: string }
  const tools: RepairTools = { file, recovery: null }
  serveJobs({
    tools,
    jobs: repairJobs,
    close() {
      tools.recovery?.drop()
    },
  })
})
