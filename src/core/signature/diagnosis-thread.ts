/** Entry of the diagnosis thread: a search through mistakes over a large body must not hold up the receiver. */
import { createSecretKey } from 'node:crypto'
import { reportReady, serveJobs } from '../threads/job-thread.ts'
import { diagnose } from './diagnose.ts'

/** What travels to the thread: keys as bytes. */
export interface DiagnosisJob {
  readonly body: Uint8Array
  readonly url: string
  readonly timestamp: string
  readonly received: string
  readonly key: Uint8Array
  readonly otherSecrets: readonly { readonly owner: string; readonly key: Uint8Array }[]
  readonly otherUrls: readonly string[]
}

const jobs = {
  diagnose: (_: null, job: DiagnosisJob) =>
    diagnose({
      ...job,
      key: createSecretKey(job.key),
      otherSecrets: job.otherSecrets.map(({ owner, key }) => ({ owner, key: createSecretKey(key) })),
    }),
} as const

export type DiagnosisJobs = typeof jobs

reportReady(() => {
  serveJobs(null, jobs, () => undefined)
})
