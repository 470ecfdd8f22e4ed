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
  const counts: readonly (readonly [number, string])[] = [
    [job.passed, word],
    [job.failed, `not ${word}`],
    [job.recorded, 'recorded here'],
    [job.fixed, isForged(job) ? 'now rejected' : 'fixed'],
    [job.regressed, isForged(job) ? 'no longer rejected' : 'regressed'],
    [job.notSent, "couldn't be sent"],
    [job.cancelled, 'cancelled'],
    [
      job.uncertain,
      `uncertain: may have been sent before Countersign stopped${job.state === 'cancelled' ? '' : ', then sent again'}`,
    ],
  ]
  return counts.filter(([count]) => count > 0).map(([count, what]) => ({ count, what }))
}
