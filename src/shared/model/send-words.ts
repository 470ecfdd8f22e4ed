/** How sends are changed and counted, in the words that the window and the command line share. Single outcomes: `outcomes.ts`. */
import { isForged, type ReplayJob, type Send } from './send.ts'

/** In which ways it is other than captured. */
export function changeWords({ tamper, edited }: Pick<Send, 'tamper' | 'edited'>): string[] {
  return [...(tamper === null ? [] : [`tampered: ${tamper}`]), ...(edited.length === 0 ? [] : [`other ${edited.join(', ')}`])]
}

/** The same of all that a replay sends, and what signs it where that is not each delivery's own hook. */
export function replayChangeWords(job: Pick<ReplayJob, 'tamper' | 'edited' | 'hookId' | 'registeredUrl'>): string[] {
  const { hookId, registeredUrl } = job
  return [
    ...changeWords(job),
    ...(hookId === null ? [] : [`signed with the secret of ${hookId}`]),
    ...(registeredUrl === null ? [] : [`signed over ${registeredUrl}`]),
  ]
}

/** What an endpoint did with the requests of a replay that it responded to with success. */
export function acknowledgedWord(job: Pick<ReplayJob, 'tamper' | 'edited'>): 'accepted' | 'acknowledged' {
  return isForged(job) ? 'accepted' : 'acknowledged'
}

/** What came of the sends of a replay: each count that is not 0, and of what it is. */
export function countsOf(job: ReplayJob): readonly { readonly count: number; readonly what: string }[] {
  const word = acknowledgedWord(job)
  const counts: readonly (readonly [number, string])[] = [
    [job.passed, word],
    [job.failed, `not ${word}`],
    [job.recorded, 'recorded here'],
    [job.fixed, isForged(job) ? 'now accepted' : 'fixed'],
    [job.regressed, isForged(job) ? 'no longer accepted' : 'regressed'],
    [job.notSent, 'could not be sent'],
    [job.cancelled, 'cancelled before their turn'],
    [
      job.uncertain,
      `uncertain: may have gone before the program ended${job.state === 'cancelled' ? '' : ', and sent once more'}`,
    ],
  ]
  return counts.filter(([count]) => count > 0).map(([count, what]) => ({ count, what }))
}
