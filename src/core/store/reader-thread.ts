import { workerData } from 'node:worker_threads'
import { setUpThread, serveJobs } from '../base/threads/job-thread.ts'
import { lowerPriority } from '../base/threads/priority.ts'
import { openReader, type ReaderData } from './reader.ts'

setUpThread(() => {
  lowerPriority(5)
  serveJobs(openReader(workerData as ReaderData))
})
