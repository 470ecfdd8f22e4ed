/** Replays in words: progress, results and filters. */
import { responseWords } from '../../../shared/model/outcomes.ts'
import { outcomeOfJob, outcomeOfSend } from '../../../shared/model/send-outcomes.ts'
import { countsOf, replayChangeWords } from '../../../shared/model/send-words.ts'
import { isForged } from '../../../shared/model/replay-edits.ts'
import type { ReplayJob, Send, SendsShown } from '../../../shared/model/send.ts'
import { visibleText } from '../../ui/visible-text.ts'

const number = (count: number) => count.toLocaleString('en')

/** Counts the finished requests. */
export function finishedCount({ total, waiting, underWay, cancelled }: ReplayJob): number {
  return total - waiting - underWay - cancelled
}

/** Returns the results in words, without zero counts. */
export function resultsText(job: ReplayJob): string {
  const counts = countsOf(job).map(({ count, what }) => `${number(count)} ${what}`)
  return counts.length === 0 ? 'Nothing sent.' : `${counts.join(', ')}.`
}

/** Explains what resuming a replay sends: `26 left. 4 were in progress …`. */
export function resumeText({ waiting, underWay }: ReplayJob): string {
  const left = waiting + underWay
  const all = `${number(left)} left.`
  if (underWay === 0) return all
  const which = underWay === 1 ? '1 was' : `${number(underWay)} were`
  const them = underWay === 1 ? 'it' : 'them'
  return `${all} ${which} in progress when Countersign stopped, and may have arrived. Resuming sends ${them} again and marks ${them} as uncertain.`
}

/** Returns the filters for a replay's results; "Uncertain" only if there are any. */
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
 * Returns a title such as `Replay: 3 of 5 failed`; for a single request its response, such as
 * `Returned 422 in 12.0 ms · still failing`.
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

/** Returns changes to the captured requests, such as `tampered: stale · other headers, body`. */
export function changesText(job: ReplayJob): string {
  return visibleText(replayChangeWords(job).join(' · '))
}
