import { workerData } from 'node:worker_threads'
import { reportReady, serveJobs } from '../base/threads/job-thread.ts'
import { stepBack } from '../base/threads/priority.ts'
import { openReader, type ReaderData } from './reader.ts'

reportReady(() => {
  stepBack(5)
  serveJobs(openReader(workerData as ReaderData))
})
