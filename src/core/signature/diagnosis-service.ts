/**
 * Runs diagnoses in a separate thread, started with the first request. Someone who steps through invalid deliveries asks faster
 * than a search ends, so abandoned requests are skipped.
 */
import type { Diagnosis } from '../../shared/model/signature.ts'
import { createMutex } from '../base/async.ts'
import { startJobThread, type JobThread } from '../base/threads/job-thread.ts'
import type { DiagnosisInput } from './diagnosis/departure.ts'
import type { DiagnosisJobs } from './diagnosis-thread.ts'

/** In MiB: the memory that one search uses for a body of many kilobytes, so that it isn't collected piece by piece. */
const YOUNG_GENERATION_MB = 24

export interface DiagnosisService {
  /** One at a time; null, without a search, if the caller no longer waits by then. */
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
