/** Follows a replay to its end, and prints its sends as they finish. */
import { outcomeOfSend } from '../shared/model/send-outcomes.ts'
import { changeWords } from '../shared/model/send-words.ts'
import type { ListedSend, Replay, Send } from '../shared/model/send.ts'
import type { Client } from '../shared/rpc/client.ts'
import type { Statistics } from '../shared/model/statistics.ts'
import { followRun } from './lifetime.ts'
import { type Cell, outcomeCell, type Output, right } from './print.ts'
import type { Session } from './session.ts'

/** Describes how the request differs from the captured one; empty if it doesn't. */
export function sendChanges(send: Pick<Send, 'tamper' | 'edited'>): string {
  return changeWords(send).join('; ')
}

/** Returns a line of `--json`, with the state if there is no outcome. */
export function sendJson(send: ListedSend): Record<string, unknown> {
  const { deliveryId, event, id, status, ms, error, outcome, state, target } = send
  return { deliveryId, sendId: id, status, ms, error, outcome: outcome ?? state, event, target }
}

function sendCells(send: ListedSend): Cell[] {
  const { deliveryId, event, status, ms, error, target } = send
  const shown = outcomeOfSend(send)
  return [
    outcomeCell(shown),
    event ?? '-',
    deliveryId,
    right(status === null ? '–' : String(status)),
    right(ms === null ? '' : `${ms.toFixed(0)} ms`),
    target,
    error ?? shown.why,
  ]
}

export function createSendPrinter(output: Output): (sends: readonly ListedSend[]) => void {
  return output.printer(sendCells, sendJson)
}

/** Number of sends per call. */
const PAGE_SIZE = 500

function hasEnded({ state }: ListedSend): boolean {
  return state !== 'waiting' && state !== 'under-way'
}

/**
 * Resolves with the finished replay; `take` receives its sends in order. The first Ctrl+C
 * cancels it. Rejects with `DISCONNECTED` if Countersign stops.
 */
export async function followReplay(
  session: Session,
  replay: Replay,
  take: (sends: readonly ListedSend[]) => void,
): Promise<Replay> {
  const { client } = session
  const replayId = replay.id
  let isCancelled = false
  let after = 0
  const read = async (): Promise<Replay | undefined> => {
    // Reads the replay first, so that the list has the sends that finished before it.
    const { replay: currentReplay } = await client.call('replay.get', { replayId })
    const { sends } = await client.call('replay.sends', { replayId, after, limit: PAGE_SIZE })
    const firstUnfinished = sends.findIndex((send) => !hasEnded(send))
    const ended = firstUnfinished === -1 ? sends : sends.slice(0, firstUnfinished)
    take(ended)
    after = ended.at(-1)?.position ?? after
    if (ended.length === PAGE_SIZE) return read()
    return currentReplay.state === 'running' ? undefined : currentReplay
  }
  return followRun(session, {
    event: 'replay.changed',
    read,
    cancel() {
      isCancelled = true
      return client.call('replay.cancel', { replayId })
    },
    gone: () =>
      `Countersign stopped during the replay. ${isCancelled ? 'If it was not cancelled, continue with' : 'Continue with'}: countersign replay --resume ${replayId}`,
  })
}

/**
 * Computes statistics of a replay's finished sends. Rejects with `NOT_FOUND` for an unknown replay.
 */
export async function sumReplayStatistics(client: Client, replayId: string): Promise<Statistics> {
  const { replay } = await client.call('replay.get', { replayId })
  return client.call('replay.statistics', { replayId: replay.id })
}
