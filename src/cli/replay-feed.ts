/** Follows a replay to its end and passes on its sends in order; adds up its statistics. */
import { AppError } from '../shared/contract/errors.ts'
import type { ListedSend, ReplayJob } from '../shared/model/send.ts'
import { sumPieces, type Statistics } from '../shared/model/statistics.ts'
import type { Client } from '../shared/rpc/client.ts'
import { cancellable, createNews } from './lifetime.ts'
import type { Session } from './context.ts'

const PAGE = 500
/** Milliseconds between checks in case an event is missed. */
const LOOK_MS = 500

function hasEnded({ state }: ListedSend): boolean {
  return state !== 'waiting' && state !== 'under-way'
}

function goneError(id: string, isCancelled: boolean): AppError {
  const left = isCancelled ? 'If it was not cancelled, continue with' : 'Continue with'
  return new AppError(
    'DISCONNECTED',
    `Countersign stopped during the replay. ${left}: countersign replay --resume ${id}`,
  )
}

/**
 * Resolves with the finished job; `take` receives its sends in order. The first Ctrl+C cancels: sends in progress finish. Rejects
 * with `DISCONNECTED` if Countersign stops.
 */
export async function followReplay(
  session: Session,
  job: ReplayJob,
  take: (sends: readonly ListedSend[]) => void,
): Promise<ReplayJob> {
  const { client } = session
  const jobId = job.id
  const news = createNews()
  let gone = false
  const stopListening = client.on('replay.changed', (changed) => {
    if (changed.job.id === jobId) news.tell()
  })
  void session.closed.then(() => {
    gone = true
    news.tell()
  })
  let isCancelled = false
  const cancel = () => {
    isCancelled = true
    client.call('replay.cancel', { jobId }).catch(() => undefined)
  }
  const untilEnded = async () => {
    let after = 0
    for (;;) {
      if (gone) throw goneError(jobId, isCancelled)
      // Reads the job first: sends that finished before it are then in the list.
      const { job: now } = await client.call('replay.get', { jobId })
      const { sends } = await client.call('replay.sends', { jobId, after, limit: PAGE })
      const open = sends.findIndex((send) => !hasEnded(send))
      const ended = open === -1 ? sends : sends.slice(0, open)
      take(ended)
      after = ended.at(-1)?.position ?? after
      if (ended.length === PAGE) continue
      if (now.state !== 'running') return now
      await news.next(LOOK_MS)
    }
  }
  try {
    return await cancellable(cancel, untilEnded)
  } finally {
    stopListening()
  }
}

/** Statistics of a replay's finished sends. Rejects with `NOT_FOUND` for an unknown replay. */
export async function sumReplayStatistics(client: Client, jobId: string): Promise<Statistics> {
  const { job } = await client.call('replay.get', { jobId })
  return sumPieces((after) => client.call('replay.statistics', { jobId: job.id, after }))
}
