/** Describes replays: what they send, their progress and their results. */
import {
  outcomeOfJob,
  outcomeOfSend,
  responseWords,
  countsOf,
  replayChangeWords,
} from '../../../shared/model/outcomes.ts'
import { isForged } from '../../../shared/model/replay-edits.ts'
import type { ReplayJob, Send, SendsShown } from '../../../shared/model/send.ts'
import { visibleText } from '../../ui/visible-text.ts'

const number = (count: number) => count.toLocaleString('en')

/** How many requests are finished. */
export function doneOf({ total, waiting, underWay, cancelled }: ReplayJob): number {
  return total - waiting - underWay - cancelled
}

/** The results in words. Leaves out zero counts. */
export function accountOf(job: ReplayJob): string {
  const counts = countsOf(job).map(({ count, what }) => `${number(count)} ${what}`)
  return counts.length === 0 ? 'Nothing sent.' : `${counts.join(', ')}.`
}

/** What resuming a replay sends: `26 left. 4 were in progress …`. */
export function leftOf({ waiting, underWay }: ReplayJob): string {
  const left = waiting + underWay
  const all = `${number(left)} left.`
  if (underWay === 0) return all
  const which = underWay === 1 ? '1 was' : `${number(underWay)} were`
  const them = underWay === 1 ? 'it' : 'them'
  return `${all} ${which} in progress when Countersign stopped, and may have arrived. Resuming sends ${them} again and marks ${them} as uncertain.`
}

/** The filters for a replay's results. Uncertain appears only if there are any. */
export function filtersOf(
  job: ReplayJob,
): readonly { readonly value: SendsShown; readonly label: string }[] {
  const labels = isForged(job)
    ? { failed: 'Not rejected', regressed: 'No longer rejected', fixed: 'Now rejected' }
    : { failed: 'Failed', regressed: 'Regressed', fixed: 'Fixed' }
  return [
    { value: 'all', label: 'All' },
    { value: 'failed', label: labels.failed },
    { value: 'regressed', label: labels.regressed },
    { value: 'fixed', label: labels.fixed },
    { value: 'not-sent', label: 'Not sent' },
    ...(job.uncertain === 0 ? [] : [{ value: 'uncertain', label: 'Uncertain' } as const]),
  ]
}

/**
 * `Replay of 40 cancelled`, `Replay: 3 of 5 failed`; for a single request, its response: `Returned 422 in 12.0 ms · still failing`.
 */
export function endTitle(job: ReplayJob, send?: Send): string {
  if (send !== undefined) {
    return send.state === 'not-sent'
      ? 'Not sent'
      : `${responseWords(send.status, send.ms)} · ${outcomeOfSend(send).word}`
  }
  if (job.total === 0) return 'No deliveries match'
  const { word } = outcomeOfJob(job)
  return job.state === 'done' ? `Replay: ${word}` : `Replay of ${number(job.total)} ${word}`
}

/** Changes to the captured requests: `tampered: stale · other headers, body`; empty if none. */
export function changesOf(job: ReplayJob): string {
  return visibleText(replayChangeWords(job).join(' · '))
}
