/** Entry of the diagnosis thread: a search over a large body must not block the receiver. */
import { reportReady, serveJobs } from '../base/threads/job-thread.ts'
import { stepBack } from '../base/threads/priority.ts'
import type { DiagnosisInput } from './diagnosis/departure.ts'
import { diagnose } from './diagnose.ts'

const jobs = {
  diagnose: (_: null, input: DiagnosisInput) => diagnose(input),
} as const

export type DiagnosisJobs = typeof jobs

reportReady(() => {
  stepBack(5)
  serveJobs({ tools: null, jobs, close: () => undefined })
})
