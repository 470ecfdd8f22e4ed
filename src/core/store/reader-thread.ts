/** Entry of the reader thread. */
import { workerData } from 'node:worker_threads'
import { reportReady, serveJobs } from '../base/threads/job-thread.ts'
import { stepBack } from '../base/threads/priority.ts'
import { openForReading } from './open.ts'
import { readerJobs } from './reader-jobs.ts'

reportReady(() => {
  stepBack(5)
  const { file } = workerData as { file: string }
  const db = openForReading(file)
  serveJobs(db, readerJobs, () => {
    db.close()
  })
})
