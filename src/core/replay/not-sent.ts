/** A send that was never made, as it is recorded: with the reason, and nothing of an exchange. */
import type { EndedSend } from '../store/sends-batch.ts'

/** `seq` is the send's; `error` says in a sentence why it did not go. */
export function notSent(seq: number, error: string): EndedSend {
  return {
    seq,
    state: 'not-sent',
    startedAt: null,
    registeredUrl: null,
    status: null,
    ms: null,
    phases: null,
    errorKind: null,
    error,
    passed: false,
    certificateProblem: null,
    headers: [],
    body: new Uint8Array(),
    truncated: false,
    request: null,
  }
}
