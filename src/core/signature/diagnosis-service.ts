/**
 * Diagnoses in a thread of its own, started with the first question. Who walks through a list of invalid deliveries asks faster
 * than a search ends: what was asked before and is not waited for any more is left out.
 */
import type { Diagnosis } from '../../shared/model/signature.ts'
import { createMutex } from '../base/mutex.ts'
import { startJobThread, type JobThread } from '../base/threads/job-thread.ts'
import type { DiagnosisInput } from './diagnosis/departure.ts'
import type { DiagnosisJobs } from './diagnosis-thread.ts'

/** In MiB: what one search makes of a body of many kilobytes, so that it is not cleared away piece by piece while it lasts. */
const YOUNG_GENERATION_MB = 24

export interface DiagnosisService {
  /** One after the other; null, and nothing is searched, where nobody waits for the answer by then. */
  diagnose(input: DiagnosisInput, signal?: { readonly aborted: boolean }): Promise<Diagnosis | null>
  close(): Promise<void>
}

export function createDiagnosisService(entry: URL): DiagnosisService {
  let thread: Promise<JobThread<DiagnosisJobs>> | null = null
  const exclusive = createMutex()
  return {
    diagnose: (input, signal) =>
      exclusive(async () => {
        if (signal?.aborted === true) return null
        thread ??= startJobThread<DiagnosisJobs>(entry, null, YOUNG_GENERATION_MB)
        const { run } = await thread
        return run('diagnose', input)
      }),
    close: () => exclusive(async () => (await thread)?.close()),
  }
}
