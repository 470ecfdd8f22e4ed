/** Entry of the writer thread. */
import { workerData } from 'node:worker_threads'
import { reportReady, serveJobs } from '../base/threads/job-thread.ts'
import { settleResponses } from './describe-repo.ts'
import { openForWriting, type StoreOptions } from './open.ts'
import { createWriterTools, writerJobs } from './writer-jobs.ts'

reportReady(() => {
  const { file, options } = workerData as { file: string; options: StoreOptions }
  const db = openForWriting(file, options)
  serveJobs(createWriterTools(db), writerJobs, () => {
    settleResponses(db)
    db.close()
  })
})
