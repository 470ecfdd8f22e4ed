import { workerData } from 'node:worker_threads'
import { setUpThread, serveJobs } from '../../base/threads/job-thread.ts'
import { lowerPriority } from '../../base/threads/priority.ts'
import { openForReading } from '../open.ts'
import { startRead } from '../read-limits.ts'
import { closeSearchTools, openSearchTools, searchJobs, type SearchData } from './search-jobs.ts'

setUpThread(() => {
  lowerPriority(10)
  const { file, searchFile, limitMs } = workerData as SearchData
  const main = openForReading(file)
  const tools = openSearchTools(main, searchFile)
  serveJobs({
    tools,
    jobs: searchJobs,
    starts: (isCancelled) => startRead(main, { limitMs, isCancelled }),
    close() {
      closeSearchTools(tools)
      main.close()
    },
  })
})
