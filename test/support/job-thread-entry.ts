import { workerData } from 'node:worker_threads'
import { reportReady, serveJobs } from '../../src/core/base/threads/job-thread.ts'
import { openTestJobs } from './test-jobs.ts'

reportReady(() => {
  serveJobs(openTestJobs(workerData))
})
