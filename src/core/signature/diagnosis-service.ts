/**
 * Runs diagnoses in a separate thread, started with the first request. Someone who steps through invalid deliveries asks faster
 * than a search ends, so abandoned requests are skipped.
 */
import { createMutex } from '../base/async.ts'
import { startJobThread, type JobThread } from '../base/threads/job-thread.ts'
import type { DiagnosisInput } from './diagnosis/mismatch.ts'
import type { SearchDepth } from './diagnosis/search.ts'
import type { diagnoseAny } from './diagnose.ts'
import type { DiagnosisJobs } from './diagnosis-thread.ts'

/** In MiB: the memory that one search uses for a body of many kilobytes, so that it isn't collected piece by piece. */
const YOUNG_GENERATION_MB = 24

export interface DiagnosisService {
  /** As `diagnoseAny`, one at a time; null, without a search, if the caller no longer waits by then. */
  diagnose(
    inputs: readonly DiagnosisInput[],
    depth: SearchDepth,
    signal?: { readonly aborted: boolean },
  ): Promise<ReturnType<typeof diagnoseAny>>
  close(): Promise<void>
}

export function createDiagnosisService(entry: URL): DiagnosisService {
  let thread: Promise<JobThread<DiagnosisJobs>> | null = null
  const exclusive = createMutex()
  return {
    diagnose: (inputs, depth, signal) =>
      exclusive(async () => {
        if (signal?.aborted === true) return null
        thread ??= startJobThread<DiagnosisJobs>(entry, null, YOUNG_GENERATION_MB)
        try {
          const { run } = await thread
          return await run('diagnose', { inputs, depth })
        } catch (error) {
          // The thread may have ended: the next diagnosis starts another.
          const ended = thread
          thread = null
          void ended.then(({ close }) => close()).catch(() => undefined)
          throw error
        }
      }),
    close: () => exclusive(async () => (await thread)?.close()),
  }
}
