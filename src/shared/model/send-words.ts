/**
 * What came of sends, in the words that the window and the command line have in common. A stored outcome says whether the endpoint
 * acknowledges. What is not genuine is meant to be refused, so of that the words say whether it was refused or taken.
 */
import { isForged, isRightlyRefused, type ReplayJob, type Send, type SendOutcome, type SendState } from './send.ts'

export type SendWord =
  | 'passes'
  | 'still passing'
  | 'fixed'
  | 'fails'
  | 'still failing'
  | 'regressed'
  | 'refused'
  | 'now refused'
  | 'taken'
  | 'still taken'
  | 'now taken'
  | 'waiting'
  | 'under way'
  | 'answered'
  | 'uncertain'
  | 'not sent'
  | 'cancelled'

export interface SaidOfSend {
  readonly word: SendWord
  readonly tone: 'good' | 'bad' | 'doubtful' | 'open'
  /** Why that is right or wrong where it is not the usual; empty where there is nothing to add. */
  readonly why: string
}

export type ToldSend = Pick<Send, 'outcome' | 'state' | 'tamper' | 'edited' | 'status' | 'error'>

const say = (word: SendWord, tone: SaidOfSend['tone'], why = ''): SaidOfSend => ({ word, tone, why })

const states: Readonly<Record<SendState, SaidOfSend>> = {
  waiting: say('waiting', 'open'),
  'under-way': say('under way', 'open'),
  settled: say('answered', 'open'),
  uncertain: say('uncertain', 'doubtful'),
  'not-sent': say('not sent', 'doubtful'),
  cancelled: say('cancelled', 'open'),
}

const outcomes: Readonly<Record<SendOutcome, SaidOfSend>> = {
  'first-pass': say('passes', 'good'),
  'still-passing': say('still passing', 'good'),
  fixed: say('fixed', 'good'),
  'first-fail': say('fails', 'bad'),
  'still-failing': say('still failing', 'bad'),
  regressed: say('regressed', 'bad'),
}

const taken: Readonly<Partial<Record<SendOutcome, SendWord>>> = {
  'first-pass': 'taken',
  'still-passing': 'still taken',
  fixed: 'now taken',
}

/** What came of one send: the word, how good that is, and why. */
export function saidOfSend(send: ToldSend): SaidOfSend {
  const { outcome, state, tamper, error } = send
  if (outcome === null) return states[state]
  if (!isForged(send)) return outcomes[outcome]
  if (isRightlyRefused(send)) return say(outcome === 'regressed' ? 'now refused' : 'refused', 'good', 'as it should be')
  const word = taken[outcome]
  if (word === undefined) return say('fails', 'bad', error === null ? 'no proper refusal: that would be 400 to 499' : '')
  // A signature that was kept may still prove it, and a time that was kept may still be fresh.
  if (tamper === null) return say(word, 'doubtful', 'although its signature or time was not made anew')
  return say(word, 'bad', 'although it is not genuine')
}

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

/** What an endpoint does with the requests of a replay that it answers as hoped for by whoever sends. */
export function acknowledgedWord(job: Pick<ReplayJob, 'tamper' | 'edited'>): 'taken' | 'acknowledged' {
  return isForged(job) ? 'taken' : 'acknowledged'
}

/** What came of the sends of a replay: each count that is not 0, and of what it is. */
export function countsOf(job: ReplayJob): readonly { readonly count: number; readonly what: string }[] {
  const word = acknowledgedWord(job)
  const counts: readonly (readonly [number, string])[] = [
    [job.passed, word],
    [job.failed, `not ${word}`],
    [job.fixed, isForged(job) ? 'now taken' : 'fixed'],
    [job.regressed, isForged(job) ? 'no longer taken' : 'regressed'],
    [job.notSent, 'could not be sent'],
    [job.cancelled, 'cancelled before their turn'],
    [
      job.uncertain,
      `uncertain: may have gone before the program ended${job.state === 'cancelled' ? '' : ', and sent once more'}`,
    ],
  ]
  return counts.filter(([count]) => count > 0).map(([count, what]) => ({ count, what }))
}
