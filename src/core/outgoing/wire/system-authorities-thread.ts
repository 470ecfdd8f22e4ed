/** Entry of the thread that reads the system's CA certificates. */
import { getCACertificates } from 'node:tls'
import { setUpThread, serveJobs } from '../../base/threads/job-thread.ts'

const jobs = {
  read: (_: null, _input: null): readonly string[] => getCACertificates('system'),
} as const

export type AuthorityJobs = typeof jobs

setUpThread(() => serveJobs({ tools: null, jobs, close: () => undefined }))
