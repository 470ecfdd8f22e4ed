/** Diagnoses in a thread of its own, started with the first question. */
import type { Diagnosis } from '../../shared/model/signature.ts'
import { startJobThread, type JobThread } from '../threads/job-thread.ts'
import type { DiagnosisInput } from './diagnosis/departure.ts'
import type { DiagnosisJobs } from './diagnosis-thread.ts'

export interface DiagnosisService {
  diagnose(input: DiagnosisInput): Promise<Diagnosis | null>
  close(): Promise<void>
}

export function createDiagnosisService(entry: URL): DiagnosisService {
  let thread: Promise<JobThread<DiagnosisJobs>> | null = null
  return {
    async diagnose(input) {
      thread ??= startJobThread<DiagnosisJobs>(entry, null)
      const { run } = await thread
      return run('diagnose', input)
    },
    async close() {
      await (await thread)?.close()
    },
  }
}
