/** Words for the changes and counts of sends. */
import { isForged } from './replay-edits.ts'
import type { ReplayJob, Send } from './send.ts'

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
