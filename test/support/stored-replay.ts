/** A plain replay as the store receives it. */
import { NO_EDITS } from '../../src/shared/model/replay-edits.ts'
import type { NewSends } from '../../src/core/store/replay-jobs-repo.ts'

/** All of a new job except its ID. */
export const NEW = {
  createdAt: 1,
  owner: 1,
  settings: {
    query: null,
    to: null,
    hookId: null,
    handlerId: null,
    registeredUrl: null,
    tamper: null,
    edits: NO_EDITS,
    repeat: 1,
    concurrency: 2,
    rate: null,
    targetCa: null,
  },
  body: null,
  variant: null,
}

/** Sends of these deliveries, by seq, from the first position on, to one target. */
export function sendsOf(jobId: string, seqs: readonly number[]): NewSends {
  return {
    jobId,
    at: 1,
    tamper: null,
    variant: null,
    runs: [{ target: 'http://127.0.0.1:1/', from: 1, seqs }],
  }
}
