/** Diagnoses in a thread of its own, started with the first question. */
import type { KeyObject } from 'node:crypto'
import type { Diagnosis } from '../../shared/model/signature.ts'
import { startJobThread, type JobThread } from '../threads/job-thread.ts'
import type { DiagnosisInput } from './diagnose.ts'
import type { DiagnosisJobs } from './diagnosis-thread.ts'

export interface DiagnosisService {
  diagnose(input: DiagnosisInput): Promise<Diagnosis | null>
  close(): Promise<void>
}

function bytesOf(key: KeyObject): Uint8Array {
  return key.export()
}

export function createDiagnosisService(entry: URL): DiagnosisService {
  let thread: Promise<JobThread<DiagnosisJobs>> | null = null
  return {
    async diagnose(input) {
      thread ??= startJobThread<DiagnosisJobs>(entry, null)
      const { run } = await thread
      return run('diagnose', {
        ...input,
        key: bytesOf(input.key),
        otherSecrets: input.otherSecrets.map(({ owner, key }) => ({ owner, key: bytesOf(key) })),
      })
    },
    async close() {
      await (await thread)?.close()
    },
  }
}
