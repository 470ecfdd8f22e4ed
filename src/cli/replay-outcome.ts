/** Starts a replay so that Ctrl+C cancels it, and prints how it ended. */
import { AppError } from '../shared/contract/errors.ts'
import { countsOf } from '../shared/model/send-words.ts'
import type { Replay } from '../shared/model/send.ts'
import { statisticsSummary, type StatisticsSummary } from '../shared/model/statistics.ts'
import { counted } from '../shared/text/english.ts'
import { EXIT, type ExitCode } from './context.ts'
import { cancellable } from './lifetime.ts'
import type { Output } from './print.ts'
import { createSendPrinter, followReplay, sumReplayStatistics } from './replay-progress.ts'
import type { Session } from './session.ts'

export function countsText(replay: Replay): string {
  const left = replay.waiting + replay.underWay
  const counts = [...countsOf(replay), ...(left === 0 ? [] : [{ count: left, what: 'left' }])].map(
    ({ count, what }) => `${count} ${what}`,
  )
  return `${counted(replay.total, 'send')}: ${counts.length === 0 ? 'nothing sent' : counts.join(', ')}.`
}

/**
 * Returns `Failing 5.0%. Response times: p50 12 ms, p95 30 ms, p99 41 ms.`; null without a
 * response.
 */
function timesText({ shares, handlers }: StatisticsSummary): string | null {
  if (shares === null || handlers.p50 === null) return null
  const times = Object.entries(handlers).map(([name, ms]) => `${name} ${String(ms)} ms`)
  return `Failing ${(100 * shares.failing).toFixed(1)}%. Response times: ${times.join(', ')}.`
}

function exitCodeOf(replay: Replay): ExitCode {
  if (replay.state !== 'done') return EXIT.failed
  if (replay.total === 0) return EXIT.negative
  return replay.notSent === 0 && replay.failed === 0 ? EXIT.done : EXIT.negative
}

/**
 * Resolves with the replay once its first sends start. Rejects with `CANCELLED` after an earlier
 * Ctrl+C.
 */
export async function startCancellable(
  call: (signal: AbortSignal) => Promise<{ readonly replay: Replay }>,
): Promise<Replay> {
  const abort = new AbortController()
  const { signal } = abort
  try {
    return (
      await cancellable(
        () => abort.abort(),
        () => call(signal),
      )
    ).replay
  } catch (error) {
    if (!signal.aborted) throw error
    throw new AppError('CANCELLED', 'Replay cancelled. Nothing sent.')
  }
}

/** Prints the sends of a replay and its end; resolves with the exit code. */
export async function printReplay(
  session: Session,
  replay: Replay,
  output: Output,
): Promise<ExitCode> {
  const ended = await followReplay(session, replay, createSendPrinter(output))
  return printEnded(session, { started: replay, ended }, output)
}

type EndedReplay = Readonly<{ started: Replay; ended: Replay; isStored?: boolean }>

/** Prints how a replay ended; resolves with the exit code. */
export async function printEnded(
  session: Session,
  { started, ended, isStored = true }: EndedReplay,
  output: Output,
): Promise<ExitCode> {
  if (ended.total > 1 || ended.state !== 'done') output.note(countsText(ended))
  if (ended.total > 1) {
    const { all } = await sumReplayStatistics(session.client, ended.id)
    const times = timesText(statisticsSummary(all))
    const more = ` By event: countersign stats --replay ${ended.id} --by event`
    if (times !== null) output.note(`${times}${isStored ? more : ''}`)
  }
  if (ended.problem !== null) output.note(ended.problem)
  if (ended.recorded > 0)
    output.note(
      `Recorded here: Countersign itself responded${ended.recorded === ended.total ? '' : ` to ${ended.recorded} of ${ended.total}`}, not your handler. Replay to your handler with --to URL.`,
    )
  if (started.state === 'cancelled')
    output.note('This replay was cancelled earlier. Start a new one for the rest.')
  if (ended.state === 'interrupted' && isStored)
    output.note(`Continue with: countersign replay --resume ${ended.id}`)
  return exitCodeOf(ended)
}
