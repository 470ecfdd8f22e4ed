/** Entry of the search thread. */
import { workerData } from 'node:worker_threads'
import { reportReady, serveJobs } from '../../base/threads/job-thread.ts'
import { stepBack } from '../../base/threads/priority.ts'
import { openForReading } from '../open.ts'
import { closeSearchTools, openSearchTools, searchJobs } from './search-jobs.ts'

reportReady(() => {
  stepBack(10)
  const { file, searchFile } = workerData as { file: string; searchFile: string }
  const main = openForReading(file)
  const tools = openSearchTools(main, searchFile)
  serveJobs({
    tools,
    jobs: searchJobs,
    close() {
      closeSearchTools(tools)
      main.close()
    },
  })
})
