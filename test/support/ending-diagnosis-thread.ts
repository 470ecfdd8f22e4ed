/** A diagnosis thread that ends at its first job, and writes a file to end only once. */
import { existsSync, writeFileSync } from 'node:fs'

const remembered = process.env['ENDED_THREAD'] ?? ''
if (existsSync(remembered)) await import('../../src/core/signature/diagnosis-thread.ts')
else {
  const { setUpThread, serveJobs } = await import('../../src/core/base/threads/job-thread.ts')
  const diagnose = () => {
    writeFileSync(remembered, '')
    process.exit(1)
  }
  setUpThread(() => serveJobs({ tools: null, jobs: { diagnose }, close: () => undefined }))
}
