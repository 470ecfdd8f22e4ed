/** Replays in words: progress, results and filters. */
import { statusName } from '../../../shared/http.ts'
import { createOutcome, labelOf, responseWords } from '../../../shared/model/outcomes.ts'
import {
  isCompared,
  outcomeOfReplay,
  outcomeOfSend,
  sendOutcomes,
} from '../../../shared/model/send-outcomes.ts'
import { countsOf, replayChangeWords, unreachable } from '../../../shared/model/send-words.ts'
import { isForged } from '../../../shared/model/replay-edits.ts'
import type { ListedSend, Replay, Send, SendsShown } from '../../../shared/model/send.ts'
import { answerAdvice } from '../../ui/send-advice.ts'
import { visibleText } from '../../ui/visible-text.ts'

const number = (count: number) => count.toLocaleString('en')

/** Counts the finished requests. */
export function finishedCount({ total, waiting, underWay, cancelled }: Replay): number {
  return total - waiting - underWay - cancelled
}

/** Returns the results in words, without zero counts. */
export function resultsText(replay: Replay): string {
  const counts = countsOf(replay).map(({ count, what }) => `${number(count)} ${what}`)
  return counts.length === 0 ? 'Nothing sent.' : `${counts.join(', ')}.`
}

/** Returns what happened to a request: `409 Conflict`, `Connection refused`. */
function reasonOf(send: Send): string {
  const { status, errorKind } = send
  if (status !== null) return `${status} ${statusName(status)}`.trimEnd()
  return errorKind === null ? outcomeOfSend(send).word : unreachable[errorKind]
}

/** Groups requests by what happened: failed ones first, then the largest group. */
export function groupSends(sends: readonly ListedSend[]) {
  const groups = Map.groupBy(sends, (send) => `${outcomeOfSend(send).tone} ${reasonOf(send)}`)
  return [...groups.values()]
    .flatMap(([first, ...rest]) => {
      if (first === undefined) return []
      const { glyph, tone } = outcomeOfSend(first)
      const outcome = createOutcome(tone === 'bad' ? 'fail' : glyph, tone, reasonOf(first))
      return [{ outcome, sends: [first, ...rest] }]
    })
    .toSorted(
      (one, other) =>
        Number(other.outcome.tone === 'bad') - Number(one.outcome.tone === 'bad') ||
        other.sends.length - one.sends.length,
    )
}

/** Explains what resuming a replay sends: `26 left. 4 were in progress …`. */
export function resumeText({ waiting, underWay }: Replay): string {
  const left = waiting + underWay
  const all = `${number(left)} left.`
  if (underWay === 0) return all
  const which = underWay === 1 ? '1 was' : `${number(underWay)} were`
  const them = underWay === 1 ? 'it' : 'them'
  return `${all} ${which} in progress when Countersign stopped, and may have arrived. Resuming sends ${them} again and marks ${them} as uncertain.`
}

/** Returns the filters for a replay's results; "Uncertain" only if there are any. */
export function filtersOf(replay: Replay): readonly {
  readonly value: SendsShown
  readonly label: string
  readonly count: number
}[] {
  const labels = isForged(replay)
    ? { failed: 'Not rejected', regressed: 'No longer rejected', fixed: 'Now rejected' }
    : { failed: 'Failed', regressed: 'Regressed', fixed: 'Fixed' }
  return [
    { value: 'all', label: 'All', count: replay.total },
    { value: 'failed', label: labels.failed, count: replay.failed },
    { value: 'regressed', label: labels.regressed, count: replay.regressed },
    { value: 'fixed', label: labels.fixed, count: replay.fixed },
    { value: 'not-sent', label: 'Not sent', count: replay.notSent + replay.cancelled },
    ...(replay.uncertain === 0
      ? []
      : [{ value: 'uncertain', label: 'Uncertain', count: replay.uncertain } as const]),
  ]
}

/**
 * Returns a title such as `Replay: 3 of 5 failed`; for a single request its response, such as
 * `Returned 422 in 12.0 ms · still failing`.
 */
export function endTitle(replay: Replay, send?: Send): string {
  if (send !== undefined) {
    return send.state === 'not-sent'
      ? 'Not sent'
      : `${responseWords(send.status, send.ms)} · ${outcomeOfSend(send).word}`
  }
  if (replay.total === 0) return 'No deliveries match'
  const { word } = outcomeOfReplay(replay)
  return replay.state === 'done' ? `Replay: ${word}` : `Replay of ${number(replay.total)} ${word}`
}

/** Returns what a replay is compared with, such as `against @old`; empty without a comparison. */
export function againstText(replay: Replay): string {
  return isCompared(replay) ? visibleText(`against ${replay.comparison?.name ?? ''}`) : ''
}

/** Returns changes to the captured requests, such as `tampered: stale · other headers, body`. */
export function changesText(replay: Replay): string {
  // A saved handler's name says what signs.
  const own = replay.handlerId === null ? {} : { hookId: null, registeredUrl: null }
  return visibleText(replayChangeWords({ ...replay, ...own }).join(' · '))
}

/**
 * Explains a result by the previous send to the same endpoint: `Still failing: @local returned 500
 * "Already settled" before your changes, too.`
 * @param message message of the response, if the previous one was the same; otherwise empty
 */
export function resultSentence(send: Send, before: Send | null, message: string): string {
  const { outcome, error, handler, edited, status, expected } = send
  if (error !== null) return error
  const advice = answerAdvice(send) ?? ''
  if (outcome === null || outcome === 'recorded' || expected !== 'acknowledged' || before === null)
    return advice === '' ? `${labelOf(outcomeOfSend(send))}.` : advice
  const [passes, passed] = [send, before].map((one) => outcomeOfSend(one).tone === 'good')
  const still = passes ? 'still-passing' : 'still-failing'
  const word = labelOf(sendOutcomes[passes === passed ? still : passes ? 'fixed' : 'regressed'])
  const who = handler === null ? 'your handler' : `@${handler}`
  const what = before.status === null ? "didn't respond" : `returned ${before.status}`
  const when = edited.length > 0 && before.edited.length === 0 ? ' before your changes' : ' before'
  const isSame = before.status === status
  return `${word}: ${who} ${what}${isSame && message !== '' ? ` ${message}` : ''}${when}${isSame ? ', too' : ''}.`
}
