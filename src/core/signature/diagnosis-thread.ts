/** Entry of the thread for diagnoses, which must not block the receiver. */
import { setUpThread, serveJobs } from '../base/threads/job-thread.ts'
import { lowerPriority } from '../base/threads/priority.ts'
import type { DiagnosisInput } from './diagnosis/diagnosis-input.ts'
import type { SearchDepth } from './diagnosis/search.ts'
import { diagnoseAny } from './diagnose.ts'
import { signAlike, type AlikeInput } from './sign-alike.ts'

const jobs = {
  diagnose: (
    _: null,
    { inputs, depth }: { readonly inputs: readonly DiagnosisInput[]; readonly depth: SearchDepth },
  ) => diagnoseAny(inputs, depth),
  signAlike: (_: null, input: AlikeInput) => signAlike(input),
} as const

export type DiagnosisJobs = typeof jobs

/** Niceness of the thread, so that it delays no acknowledgement. */
const NICENESS = 5

setUpThread(() => {
  lowerPriority(NICENESS)
  serveJobs({ tools: null, jobs, close: () => undefined })
})
