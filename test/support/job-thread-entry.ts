import { workerData } from 'node:worker_threads'
import { setUpThread, serveJobs } from '../../src/core/base/threads/job-thread.ts'
import { openTestJobs } from './test-jobs.ts'

setUpThread(() => {
  serveJobs(openTestJobs(workerData))
})
