/** Runs diagnoses in a thread and skips those nobody waits for anymore. */
import { createMutex } from '../base/async.ts'
import { startJobThread, type JobThread } from '../base/threads/job-thread.ts'
import type { DiagnosisInput } from './diagnosis/diagnosis-input.ts'
import type { SearchDepth } from './diagnosis/search.ts'
import type { diagnoseAny } from './diagnose.ts'
import type { DiagnosisJobs } from './diagnosis-thread.ts'

/** Heap in MiB that a search in a large body fills. */
const YOUNG_GENERATION_MB = 24

export interface DiagnosisService {
  /** Runs `diagnoseAny`; resolves with null if the caller stopped waiting. */
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
          // The thread may have ended.
          const endedThread = thread
          thread = null
          void endedThread.then(({ close }) => close()).catch(() => undefined)
          throw error
        }
      }),
    close: () => exclusive(async () => (await thread)?.close()),
  }
}
