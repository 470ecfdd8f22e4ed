/** Words for the changes and counts of sends, shared by the window and the command line. Single outcomes are in `outcomes.ts`. */
import { isForged, type ReplayJob, type Send } from './send.ts'

/** How the request differs from the captured one. */
export function changeWords({ tamper, edited }: Pick<Send, 'tamper' | 'edited'>): string[] {
  return [...(tamper === null ? [] : [`tampered: ${tamper}`]), ...(edited.length === 0 ? [] : [`changed ${edited.join(', ')}`])]
}

/** How a replay's requests differ, and what signs them if not each delivery's own hook. */
export function replayChangeWords(job: Pick<ReplayJob, 'tamper' | 'edited' | 'hookId' | 'registeredUrl'>): string[] {
  const { hookId, registeredUrl } = job
  return [
    ...changeWords(job),
    ...(hookId === null ? [] : [`signed with the secret of hook ${hookId}`]),
    ...(registeredUrl === null ? [] : [`signed over ${registeredUrl}`]),
  ]
}

/** The word for a successful response: a forged request is accepted, a valid one acknowledged. */
export function acknowledgedWord(job: Pick<ReplayJob, 'tamper' | 'edited'>): 'accepted' | 'acknowledged' {
  return isForged(job) ? 'accepted' : 'acknowledged'
}

/** The results of a replay: each count above 0, with its label. */
export function countsOf(job: ReplayJob): readonly { readonly count: number; readonly what: string }[] {
  const word = acknowledgedWord(job)
  const counts: readonly (readonly [number, string])[] = [
    [job.passed, word],
    [job.failed, `not ${word}`],
    [job.recorded, 'recorded here'],
    [job.fixed, isForged(job) ? 'now accepted' : 'fixed'],
    [job.regressed, isForged(job) ? 'no longer accepted' : 'regressed'],
    [job.notSent, "couldn't be sent"],
    [job.cancelled, 'cancelled'],
    [
      job.uncertain,
      `uncertain: may have been sent before Countersign stopped${job.state === 'cancelled' ? '' : ', then sent again'}`,
    ],
  ]
  return counts.filter(([count]) => count > 0).map(([count, what]) => ({ count, what }))
}
