/** Words for the changes and counts of sends. */
import { isForged } from './replay-edits.ts'
import type { ReplayJob, Send, SendFailureKind } from './send.ts'

export function changeWords({ tamper, edited }: Pick<Send, 'tamper' | 'edited'>): string[] {
  return [
    ...(tamper === null ? [] : [`tampered: ${tamper}`]),
    ...(edited.length === 0 ? [] : [`changed ${edited.join(', ')}`]),
  ]
}

/** Lists how a replay's requests differ, and what signs them. */
export function replayChangeWords(
  job: Pick<ReplayJob, 'tamper' | 'edited' | 'hookId' | 'registeredUrl'>,
): string[] {
  const { hookId, registeredUrl } = job
  return [
    ...changeWords(job),
    ...(hookId === null ? [] : [`signed with the secret of hook ${hookId}`]),
    ...(registeredUrl === null ? [] : [`signed over ${registeredUrl}`]),
  ]
}

export function countsOf(
  job: ReplayJob,
): readonly { readonly count: number; readonly what: string }[] {
  const word = isForged(job) ? 'rejected' : 'acknowledged'
  const counts = [
    { count: job.passed, what: word },
    { count: job.failed, what: `not ${word}` },
    { count: job.recorded, what: 'recorded here' },
    { count: job.fixed, what: isForged(job) ? 'now rejected' : 'fixed' },
    { count: job.regressed, what: isForged(job) ? 'no longer rejected' : 'regressed' },
    { count: job.notSent, what: "couldn't be sent" },
    { count: job.cancelled, what: 'cancelled' },
    {
      count: job.uncertain,
      what: `uncertain: may have been sent before Countersign stopped${job.state === 'cancelled' ? '' : ', then sent again'}`,
    },
  ]
  return counts.filter(({ count }) => count > 0)
}

/** Why there was no response, in one or two words. */
export const failureKinds: Readonly<Record<SendFailureKind, string>> = {
  timeout: 'Timeout',
  refused: 'Refused',
  'unknown-host': 'Unknown host',
  certificate: 'Certificate',
  tls: 'TLS error',
  dropped: 'Dropped',
  'not-http': 'Not HTTP',
  'not-allowed': 'Not allowed',
  cancelled: 'Cancelled',
  other: 'No response',
}

/** Why an endpoint wasn't reached, in a few words. */
export const unreachable: Readonly<Record<SendFailureKind, string>> = {
  ...failureKinds,
  timeout: 'Timed out',
  refused: 'Connection refused',
  'unknown-host': 'Host not found',
  certificate: 'Certificate not trusted',
  tls: 'TLS failed',
  dropped: 'Connection closed',
  other: 'Not reachable',
}
