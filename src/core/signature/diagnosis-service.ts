/** Runs diagnoses in a thread and skips those nobody waits for anymore. */
import { createMutex } from '../base/async.ts'
import { startJobThread, type JobThread } from '../base/threads/job-thread.ts'
import type { DiagnosisInput } from './diagnosis/diagnosis-input.ts'
import type { SearchDepth } from './diagnosis/search.ts'
import type { diagnoseAny } from './diagnose.ts'
import type { AlikeInput, AlikeSignature } from './sign-alike.ts'
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
  signAlike(input: AlikeInput): Promise<AlikeSignature | null>
  close(): Promise<void>
}

export function createDiagnosisService(entry: URL): DiagnosisService {
  let thread: Promise<JobThread<DiagnosisJobs>> | null = null
  const exclusive = createMutex()
  const inThread = <T>(use: (jobs: JobThread<DiagnosisJobs>) => Promise<T>): Promise<T> =>
    exclusive(async () => {
      thread ??= startJobThread<DiagnosisJobs>(entry, null, YOUNG_GENERATION_MB)
      try {
        return await use(await thread)
      } catch (error) {
        // The thread may have ended.
        const endedThread = thread
        thread = null
        void endedThread.then(({ close }) => close()).catch(() => undefined)
        throw error
      }
    })
  return {
    diagnose: (inputs, depth, signal) =>
      inThread(async ({ run }) =>
        signal?.aborted === true ? null : run('diagnose', { inputs, depth }),
      ),
    signAlike: (input) => inThread(({ run }) => run('signAlike', input)),
    close: () => exclusive(async () => (await thread)?.close()),
  }
}
